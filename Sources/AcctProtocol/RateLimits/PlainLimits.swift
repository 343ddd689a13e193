import AcctModel

/// Limits in fields with a number each, such as `X-RateLimit-Remaining`.
///
/// Servers that count several things put the kind behind the part (`x-ratelimit-remaining-tokens` of OpenAI,
/// `X-RateLimit-Remaining-Minute` of Kong) or before it (`anthropic-ratelimit-tokens-remaining`). GitHub names the one
/// that a response is about in a field of its own.
struct PlainLimits {
  fileprivate struct Group {
    /// The name of its fields up to the word "limit": `x-ratelimit`.
    var family: String
    /// Such as `tokens`; empty where the server counts one thing.
    var kind: String
    var lines: [Part: [String]] = [:]
  }

  fileprivate enum Part: String { case limit, remaining, reset }

  private var groups: [Group] = []
  private let resource: String?

  /// The families of which the first one counts, where a server sends the same in several.
  private static let families = ["ratelimit", "x-ratelimit", "x-rate-limit"]
  /// No known server sends more; a longer answer must not take long.
  private static let maximum = 32

  init(_ fields: [(name: String, value: String)]) {
    resource = fields.only("x-ratelimit-resource").flatMap { $0.isPolicyName ? $0 : nil }
    for field in fields {
      guard let (family, kind, part) = Self.meaning(of: field.name) else { continue }
      var place = groups.firstIndex { $0.family == family && $0.kind == kind }
      if place == nil, groups.count < Self.maximum {
        place = groups.endIndex
        groups.append(Group(family: family, kind: kind))
      }
      if let place { groups[place].lines[part, default: []].append(field.value) }
    }
  }

  /// One balance for each kind, from the first family in which it can be read.
  func balances(at observed: Timestamp) -> [LimitBalance] {
    let rank = { (family: String) in Self.families.firstIndex(of: family) ?? Self.families.endIndex }
    var balances: [LimitBalance] = []
    for group in groups.sorted(by: { rank($0.family) < rank($1.family) }) {
      let name = group.kind.isEmpty ? nil : group.kind
      guard !balances.contains(where: { $0.name == name }), let balance = group.balance(at: observed) else { continue }
      balances.append(balance)
    }
    guard let place = balances.firstIndex(where: { $0.name == nil }) else { return balances }
    let whole = balances[place]
    // Kong repeats the scarcest kind without its name, and says only there when it resets.
    if let kind = balances.firstIndex(where: { $0.name != nil && $0.hasNumbers(of: whole) }) {
      balances[kind].resetsAt = balances[kind].resetsAt ?? whole.resetsAt
      balances.remove(at: place)
    } else if let resource {
      balances[place].name = resource
      balances[place].isOfResource = true
    }
    return balances
  }

  /// The family, the kind and the part that a field's name consists of; `nil` for another field.
  private static func meaning(of name: String) -> (family: String, kind: String, part: Part)? {
    // Most fields are about something else.
    guard name.utf8.count >= 15, name.utf8.count <= 128 else { return nil }
    let words = name.lowercased().split(separator: "-")
    guard let mark = words.firstIndex(where: { $0 == "ratelimit" || $0 == "limit" }),
      words[mark] != "limit" || mark > 0 && words[mark - 1] == "rate"
    else { return nil }
    let rest = words[(mark + 1)...]
    for (word, kind) in [(rest.first, rest.dropFirst()), (rest.last, rest.dropLast())] {
      // The same moment as Reset, in other units.
      guard kind != ["after"], let part = word.flatMap({ Part(rawValue: String($0)) }) else { continue }
      return (words[...mark].joined(separator: "-"), kind.joined(separator: "-"), part)
    }
    return nil
  }
}

extension PlainLimits.Group {
  fileprivate func balance(at observed: Timestamp) -> LimitBalance? {
    LimitBalance(
      name: kind.isEmpty ? nil : kind,
      limit: Self.number(lines[.limit] ?? []),
      remaining: Self.number(lines[.remaining] ?? []),
      resetsAt: Self.moment(lines[.reset] ?? [], observed)
    )
  }

  /// The number in a field's lines; `nil` if they have two that differ, since none is known to count.
  ///
  /// `100, 100;w=60, 1000;w=3600` is a limit with its policies behind it, `100;w=60` one with a window.
  private static func number(_ lines: [String]) -> Int64? {
    let pieces = lines.flatMap { $0.split(separator: ",") }
    let plain = pieces.filter { !$0.contains(";") }
    let numbers = (plain.isEmpty ? pieces : plain).map { piece in trimmingBlanks(piece.prefix { $0 != ";" }) }
    guard Set(numbers).count == 1 else { return nil }
    return numbers.first.flatMap(LimitValue.count)
  }

  /// The moment in a field's lines; the same holds as for numbers.
  private static func moment(_ lines: [String], _ observed: Timestamp) -> Timestamp? {
    let values = Set(lines.map(trimmingBlanks))
    guard values.count == 1, let value = values.first else { return nil }
    // A date has a comma in it, so it is tried whole first.
    if let moment = LimitValue.moment(value, from: observed) { return moment }
    let pieces = Set(value.split(separator: ",").map { piece in trimmingBlanks(piece.prefix { $0 != ";" }) })
    guard pieces.count == 1 else { return nil }
    return pieces.first.flatMap { LimitValue.moment($0, from: observed) }
  }
}
