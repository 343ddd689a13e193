package import AcctModel
import RawStructuredFieldValues

/// Reads limits from a response's fields, in every spelling in use.
///
/// - `RateLimit` and `RateLimit-Policy` as structured fields
///   (draft-ietf-httpapi-ratelimit-headers, 07 and later).
/// - `RateLimit-Limit`, `-Remaining`, `-Reset`, `-Policy` (its versions up to 06, and Bluesky, which
///   says when instead of in how long).
/// - `X-RateLimit-Limit`, `-Remaining`, `-Reset`, also as `X-Rate-Limit-…`, and those of each kind that a server counts
///   (``PlainLimits``).
/// - `Retry-After` (RFC 9110, section 10.2.3).
///
/// A limit without a name that a response sends in several of these forms is read from the first one with a remainder;
/// policies are joined to it. Unusable values are dropped, and the rest counts.
package enum RateLimitFields {
  /// Reads the limits of one response.
  ///
  /// - Parameters:
  ///   - fields: The response's fields, in order.
  ///   - origin: The server that sent them.
  ///   - observed: When they came; times such as "in 30 seconds" count from here.
  /// - Returns: One limit for each policy; none where the fields speak of none.
  package static func limits(
    from fields: [(name: String, value: String)],
    of origin: Origin,
    at observed: Timestamp
  ) -> [RateLimit] {
    let policies = LimitPolicy.read(fields)
    let balances = LimitBalance.read(fields, at: observed)
    var limits = policies.map { policy in
      RateLimit(origin: origin, name: policy.name, limit: policy.quota, observedAt: observed)
    }
    for balance in balances {
      let place = limits.firstIndex { balance.belongs(to: $0, of: policies.count) }
      var limit = place.map { limits[$0] } ?? RateLimit(origin: origin, observedAt: observed)
      // Of several partitions of one policy, the scarcest is the one that will refuse a request.
      if let other = limit.remaining, let own = balance.remaining, other <= own { continue }
      limit.name = limit.name ?? balance.name
      if balance.isOfResource { limit.extent = .resource }
      limit.limit = limit.limit ?? balance.limit
      limit.remaining = balance.remaining
      limit.resetsAt = balance.resetsAt
      if let place { limits[place] = limit } else { limits.append(limit) }
    }
    limits = Array(limits.prefix(maximum))
    // A balance is joined to its policy by any name; only a short token is stored and shown.
    for index in limits.indices where limits[index].name?.isPolicyName == false { limits[index].name = nil }
    limits.removeAll { $0 == RateLimit(origin: origin, observedAt: observed) }
    if let wait = retryAfter(fields, observed) { add(wait, to: &limits, origin, observed) }
    return limits
  }

  /// No known server sends more limits than this; a longer answer must not fill the disk.
  private static let maximum = 32

  /// Seconds to wait: a number of them, or until a time; one that is past needs no waiting.
  private static func retryAfter(_ fields: [(name: String, value: String)], _ observed: Timestamp) -> Int64? {
    fields.only("retry-after").flatMap { LimitValue.moment($0, from: observed) }
      .map { max($0.seconds(since: observed), 0) }
  }

  /// `Retry-After` applies to each limit that is used up, or may be; if none is, to a limit of its own that the
  /// server does not describe.
  private static func add(_ seconds: Int64, to limits: inout [RateLimit], _ origin: Origin, _ observed: Timestamp) {
    let affected = limits.indices.filter { limits[$0].remaining ?? 0 == 0 }
    for index in affected { limits[index].retryAfterSeconds = seconds }
    guard affected.isEmpty else { return }
    limits.append(RateLimit(origin: origin, retryAfterSeconds: seconds, observedAt: observed))
  }
}

extension [(name: String, value: String)] {
  /// The value of a field that must have only one; `nil` if there is none, or two that differ.
  func only(_ name: String) -> String? {
    let values = values(of: name).map(trimmingBlanks)
    guard let first = values.first, values.allSatisfy({ $0 == first }) else { return nil }
    return first
  }
}

/// The text without the spaces and tabs around it.
func trimmingBlanks(_ text: some StringProtocol) -> String {
  let isBlank: (UInt8) -> Bool = { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
  let bytes = Array(text.utf8).drop(while: isBlank)
  let end = bytes.lastIndex { !isBlank($0) }.map { $0 + 1 } ?? bytes.startIndex
  return String(decoding: bytes[..<end], as: UTF8.self)
}

/// Structured fields (RFC 9651, which replaces RFC 8941), as far as rate limits are written so:
/// lists of items, and dictionaries of items, each with parameters.
///
/// A field with one flaw in it is no field at all (section 4.2). An inner list, which no rate limit
/// is, counts as a flaw.
enum StructuredField {
  /// Parses a list of items (section 4.2.1); `nil` for anything else.
  static func list(_ lines: [String]) -> [Item]? {
    guard let bytes = bytes(lines) else { return nil }
    var parser = StructuredFieldValueParser(bytes)
    return (try? parser.parseListFieldValue()).flatMap { items($0) }
  }

  /// Parses a dictionary of items (section 4.2.2); `nil` for anything else.
  static func dictionary(_ lines: [String]) -> [String: Item]? {
    guard let bytes = bytes(lines) else { return nil }
    var parser = StructuredFieldValueParser(bytes)
    guard let members = try? parser.parseDictionaryFieldValue(), let items = items(members.map(\.1)) else { return nil }
    return Dictionary(zip(members.map(\.0), items)) { _, later in later }
  }

  /// Several lines of one field are one list (section 4.2).
  ///
  /// The parser's time for the names in a field grows with the square of their number, so a field of
  /// more than 16 KiB counts as a flaw.
  private static func bytes(_ lines: [String]) -> [UInt8]? {
    let bytes = Array(lines.joined(separator: ", ").utf8)
    return bytes.count <= 1 << 14 ? bytes : nil
  }

  private static func items(_ members: [ItemOrInnerList]) -> [Item]? {
    var items: [Item] = []
    for member in members {
      guard case .item(let item) = member else { return nil }
      items.append(item)
    }
    return items
  }
}

extension RFC9651BareItem {
  /// The value of an integer.
  var integer: Int64? { if case .integer(let value) = self { value } else { nil } }
}

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
