import AcctModel
import RawStructuredFieldValues

/// The rest of a limit, before it is known which policy that belongs to.
struct LimitBalance: Equatable {
  var name: String?
  /// `true` if the response describes this resource alone, and the server has others.
  var isOfResource = false
  var limit: Int64?
  var remaining: Int64?
  var resetsAt: Timestamp?

  /// Takes numbers as they came, or returns `nil` if none of them can be used.
  ///
  /// Less than nothing left counts as nothing. Some servers send a limit below zero for no limit;
  /// then such a remainder has no meaning either.
  init?(name: String? = nil, limit: Int64?, remaining: Int64?, resetsAt: Timestamp?) {
    let isUnlimited = (limit ?? 0) < 0
    let left = remaining.flatMap { $0 < 0 && isUnlimited ? nil : max($0, 0) }
    guard !isUnlimited && limit != nil || left != nil || resetsAt != nil else { return nil }
    self.name = name
    self.limit = isUnlimited ? nil : limit
    self.remaining = left
    self.resetsAt = resetsAt
  }

  /// Reads the first spelling that can be read, and the limits that have a kind of their own.
  static func read(_ fields: [(name: String, value: String)], at observed: Timestamp) -> [LimitBalance] {
    let structured = structured(fields.values(of: "ratelimit"), observed)
    let plain = PlainLimits(fields).balances(at: observed)
    return structured.isEmpty ? plain : structured + plain.filter { $0.name != nil && !$0.isOfResource }
  }

  /// `true` if this balance belongs to `limit`, one of `count` limits.
  ///
  /// Unless both have a name, the numbers of the two limits must be the same, or there must be no choice.
  func belongs(to limit: RateLimit, of count: Int) -> Bool {
    if let name, name == limit.name { return true }
    guard name == nil || limit.name == nil else { return false }
    return self.limit.map { $0 == limit.limit } ?? (count == 1)
  }

  /// `true` if it says the same of how much is left, of how much.
  func hasNumbers(of other: LimitBalance) -> Bool {
    remaining != nil && remaining == other.remaining && limit == other.limit
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
