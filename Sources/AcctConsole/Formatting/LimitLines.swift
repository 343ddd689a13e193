package import AcctModel
package import StrictJSON

/// An account's limits.
package typealias AccountLimits = (account: Account, limits: [RateLimit])

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

/// The lines for a screen of so many columns without colour; `nil` without a terminal.
package func limitLines(_ limits: [RateLimit], at now: Timestamp, columns: Int?) -> [String] {
  limitLines(limits.map { (nil, $0) }, at: now, on: Screen(columns: columns))
}

/// A limit in words, such as `3 of 5 left, resets in 14 h 5 min`.
///
/// - Parameters:
///   - limit: The limit as the server sent it.
///   - now: The time of the output.
/// - Returns: The words; a limit that has been reset since is described in the past tense.
package func words(for limit: RateLimit, at now: Timestamp) -> String {
  let isOver = limit.isOver(at: now)
  let quantity: String? =
    switch (limit.remaining, limit.limit) {
    case (let remaining?, let most?): "\(remaining) of \(most) left"
    case (let remaining?, nil): "\(remaining) left"
    case (nil, let most?): "\(most) in all"
    case (nil, nil): nil
    }
  let reset = limit.resetsAt.map { time in
    isOver
      ? "before it was reset \(duration(now.seconds(since: time))) ago"
      : "resets in \(duration(time.seconds(since: now)))"
  }
  let wait = limit.retryAfterSeconds
    .map { limit.observedAt.adding(seconds: $0).seconds(since: now) }
    .map { $0 > 0 ? "retry in \(duration($0))" : "may retry now" }
  let told = [quantity, reset].compactMap(\.self).joined(separator: isOver ? " " : ", ")
  return [told.isEmpty ? nil : told, wait].compactMap(\.self).joined(separator: ", ")
}

/// The `limits` object of the contract.
package func limitsJSON(_ limits: [RateLimit], of account: Account, at now: Timestamp) -> JSON {
  .object(envelope(limitMembers((account, limits), at: now)))
}

/// The `limits` object of the contract for every account.
package func limitsJSON(_ all: [AccountLimits], at now: Timestamp) -> JSON {
  .object(envelope(["accounts": .array(all.map { .object(JSONObject(limitMembers($0, at: now))) })]))
}

private func limitMembers(_ limits: AccountLimits, at now: Timestamp) -> KeyValuePairs<String, JSON> {
  [
    "account": .string(limits.account.id.description),
    "accountName": .string(limits.account.name.description),
    "limits": .array(limits.limits.map { $0.json(at: now) }),
  ]
}

extension RateLimit {
  /// The `LIMIT` object of the contract.
  package func json(at now: Timestamp) -> JSON {
    [
      "origin": .string(origin.description),
      "name": .init(name),
      "limit": .init(limit),
      "remaining": .init(remaining),
      "resetsAt": .init(resetsAt?.description),
      "retryAfterSeconds": .init(retryAfterSeconds),
      "observedAt": .string(observedAt.description),
      "secondsLeft": .init(usableAgainAt.map { max($0.seconds(since: now), 0) }),
    ]
  }

  /// The origin of the limit, and the limit's name.
  package var label: String { [origin.description, name].compactMap(\.self).joined(separator: " ") }

  /// `true` if a new window has begun, in which the amount left is unknown.
  fileprivate func isOver(at now: Timestamp) -> Bool { resetsAt.map { $0 <= now } ?? false }
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

/// The limitations of a guest in words, such as `5 edits a day, no save and history`.
package func words(for limitations: GuestLimitations) -> String {
  let features = limitations.featuresDisabled
  let list =
    features.count > 1
    ? "\(features.dropLast().joined(separator: ", ")) and \(features[features.count - 1])"
    : features.first
  return [
    limitations.maxEditsPerDay.map { "\($0) edits a day" }, list.map { "no \($0)" },
  ].compactMap(\.self).joined(separator: ", ")
}
