package import AcctConsole
package import AcctModel
import StrictJSON

/// An account's limits.
typealias AccountLimits = (account: Account, limits: [RateLimit])

/// The lines that show limits, one for each: its account if there may be several, its owner, on a terminal a bar, and
/// the words.
package func limitLines(_ limits: [(name: String?, limit: RateLimit)], at now: Timestamp, on screen: Screen) -> [String]
{
  let rows = limits.map { name, limit in
    [
      name.map { Cell($0) }, Cell(limit.label),
      Cell(screen.columns == nil ? "" : bar(limit, at: now, on: screen), .faint),
      Cell(words(for: limit, at: now)),
    ]
  }
  let isShown = [limits.contains { $0.name != nil }, true, rows.contains { $0[2]?.text.isEmpty == false }, true]
  let columns: [Table.Column] = [.init("", floor: 12), .init("", floor: 12), .init("", rank: 0), .init("", floor: 20)]
  return Table(
    columns: zip(columns, isShown).filter(\.1).map(\.0),
    rows: rows.map { row in zip(row, isShown).filter(\.1).map { $0.0 ?? "" } }
  )
  .lines(on: screen)
}

/// The `limits` object of the contract.
func limitsJSON(_ limits: [RateLimit], of account: Account, at now: Timestamp) -> JSON {
  .object(envelope(limitMembers((account, limits), at: now)))
}

/// The `limits` object of the contract for every account.
func limitsJSON(_ all: [AccountLimits], at now: Timestamp) -> JSON {
  .object(envelope(["accounts": .array(all.map { .object(JSONObject(limitMembers($0, at: now))) })]))
}

private func limitMembers(_ limits: AccountLimits, at now: Timestamp) -> KeyValuePairs<String, JSON> {
  [
    "account": .string(limits.account.id.description),
    "accountName": .string(limits.account.name.description),
    "limits": .array(limits.limits.map { $0.json(at: now) }),
  ]
}

/// In characters.
private let barWidth = 10

/// The share that is left, in tenths; something left is never drawn as nothing.
private func bar(_ limit: RateLimit, at now: Timestamp, on screen: Screen) -> String {
  guard let most = limit.limit, most > 0, let remaining = limit.remaining, !limit.isOver(at: now) else { return "" }
  let share = Double(min(remaining, most)) / Double(most) * Double(barWidth)
  let filled = Int(share.rounded(.up))
  let (full, empty) = screen.isUnicode ? ("█", "░") : ("#", ".")
  return String(repeating: full, count: filled) + String(repeating: empty, count: barWidth - filled)
}
