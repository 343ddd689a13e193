import AcctModel
import RawStructuredFieldValues

/// The rest of a limit, before it is known which policy that belongs to.
struct LimitBalance: Equatable {
  var name: String?
  var limit: Int64?
  var remaining: Int64?
  var resetsAt: Timestamp?

  /// Takes numbers as they came, or returns `nil` if none of them can be used.
  ///
  /// Less than nothing left counts as nothing. Some servers send a limit below zero for no limit;
  /// then such a remainder has no meaning either.
  private init?(name: String? = nil, limit: Int64?, remaining: Int64?, resetsAt: Timestamp?) {
    let isUnlimited = (limit ?? 0) < 0
    let left = remaining.flatMap { $0 < 0 && isUnlimited ? nil : max($0, 0) }
    guard !isUnlimited && limit != nil || left != nil || resetsAt != nil else { return nil }
    self.name = name
    self.limit = isUnlimited ? nil : limit
    self.remaining = left
    self.resetsAt = resetsAt
  }

  /// Reads the first spelling that can be read.
  static func read(_ fields: [(name: String, value: String)], at observed: Timestamp) -> [LimitBalance] {
    let structured = structured(fields.values(of: "ratelimit"), observed)
    guard structured.isEmpty else { return structured }
    return (plain("ratelimit-", fields, observed) ?? plain("x-ratelimit-", fields, observed)).map { [$0] } ?? []
  }

  /// `true` if this balance belongs to `limit`, one of `count` limits.
  ///
  /// Without a name, the numbers of the two limits must be the same, or there must be no choice.
  func belongs(to limit: RateLimit, of count: Int) -> Bool {
    if let name { return name == limit.name || limit.name == nil && count == 1 }
    return self.limit.map { $0 == limit.limit } ?? (count == 1)
  }

  /// `"default";r=50;t=30`, since version 08 of the draft, or `limit=100, remaining=50, reset=5` of
  /// version 07.
  private static func structured(_ lines: [String], _ observed: Timestamp) -> [LimitBalance] {
    guard !lines.isEmpty else { return [] }
    if let items = StructuredField.list(lines) {
      return items.compactMap { item in
        guard let name = item.rfc9651BareItem.policyName else { return nil }
        return LimitBalance(
          name: name,
          limit: nil,
          remaining: item.rfc9651Parameters["r"]?.integer,
          resetsAt: item.rfc9651Parameters["t"]?.moment(from: observed)
        )
      }
    }
    guard let members = StructuredField.dictionary(lines) else { return [] }
    return LimitBalance(
      limit: members["limit"]?.rfc9651BareItem.integer,
      remaining: members["remaining"]?.rfc9651BareItem.integer,
      resetsAt: members["reset"]?.rfc9651BareItem.moment(from: observed)
    ).map { [$0] } ?? []
  }

  /// Three fields with a number each.
  private static func plain(
    _ prefix: String,
    _ fields: [(name: String, value: String)],
    _ observed: Timestamp
  ) -> LimitBalance? {
    LimitBalance(
      limit: number(fields.values(of: "\(prefix)limit")),
      remaining: number(fields.values(of: "\(prefix)remaining")),
      resetsAt: moment(fields.values(of: "\(prefix)reset"), observed)
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

extension RFC9651BareItem {
  /// The moment that it means; see ``LimitValue/moment(_:from:)``.
  fileprivate func moment(from observed: Timestamp) -> Timestamp? {
    switch self {
    case .integer(let seconds): LimitValue.moment("\(seconds)", from: observed)
    case .decimal(let seconds): LimitValue.moment(String(seconds), from: observed)
    case .string(let text): LimitValue.moment(text, from: observed)
    case .date(let seconds):
      Timestamp(secondsSince1970: seconds).flatMap { LimitValue.moment($0.description, from: observed) }
    case .token, .bool, .undecodedByteSequence, .displayString: nil
    }
  }
}
