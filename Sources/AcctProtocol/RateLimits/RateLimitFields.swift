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
