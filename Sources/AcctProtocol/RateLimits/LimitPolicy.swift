import AcctModel
import RawStructuredFieldValues

/// A policy that a server applies: how much there is, under which name.
struct LimitPolicy: Equatable {
  var name: String?
  var quota: Int64?

  /// Reads `RateLimit-Policy`, or its predecessor: the parameters behind the number in `RateLimit-Limit`.
  ///
  /// A policy is `"name";q=100;w=60` since version 08 of the draft, `100;w=60` before. Its window is
  /// not kept: what counts for a client is when the window ends.
  static func read(_ fields: [(name: String, value: String)]) -> [LimitPolicy] {
    let named = StructuredField.list(fields.values(of: "ratelimit-policy")) ?? []
    let earlier = StructuredField.list(fields.values(of: "ratelimit-limit")) ?? []
    let items = named.isEmpty ? earlier.filter { !$0.rfc9651Parameters.isEmpty } : named
    var policies: [LimitPolicy] = []
    for policy in items.compactMap(policy)
    where policy.name == nil || !policies.contains(where: { $0.name == policy.name }) { policies.append(policy) }
    return policies
  }

  private static func policy(_ item: Item) -> LimitPolicy? {
    let name = item.rfc9651BareItem.policyName
    guard let quota = item.rfc9651Parameters["q"]?.integer ?? item.rfc9651BareItem.integer else {
      return name.map { LimitPolicy(name: $0, quota: nil) }
    }
    // Fewer than none means, in the responses that have it, that there is no limit.
    guard quota >= 0 else { return nil }
    return LimitPolicy(name: name, quota: quota)
  }
}

extension RFC9651BareItem {
  /// The name of a policy within one answer; `nil` for a text that is too long, and for a value of another type.
  var policyName: String? {
    switch self {
    case .string(let text), .token(let text): (1...128).contains(text.utf8.count) ? text : nil
    case .integer, .decimal, .bool, .undecodedByteSequence, .date, .displayString: nil
    }
  }
}

extension String {
  /// `true` if it can be the name of a policy: a short token (RFC 9651, section 3.3.4), which may begin with a digit,
  /// as the names of some servers do, such as `100-in-15min`.
  ///
  /// A name is for people, and any other text may carry data that are not meant for them.
  var isPolicyName: Bool {
    (1...32).contains(utf8.count) && utf8.allSatisfy { $0.isHTTPTokenCharacter || ":/".utf8.contains($0) }
  }
}
