package import AcctModel

/// The verdict of a response on the next request: whether a limit refused this one, and when another makes sense.
package struct LimitVerdict: Equatable, Sendable {
  /// `true` for 429, and for 403 if nothing is left of a limit or the server asks for a wait, as GitHub does.
  package let isLimited: Bool
  /// `Retry-After`, which comes first; for a request that a limit refused, else the reset of what is used up.
  package let retryAfter: RetryAfter?

  /// Reads a response.
  ///
  /// - Parameters:
  ///   - status: Its status.
  ///   - fields: Its fields, in order.
  ///   - origin: The server that sent it.
  ///   - now: The time by the server's clock.
  package init(status: Int, _ fields: [(name: String, value: String)], of origin: Origin, at now: Timestamp) {
    let wait = RetryAfter(fields.values(of: "retry-after").first)
    guard status == 429 || status == 403, wait == nil else {
      isLimited = status == 429 || status == 403
      retryAfter = wait
      return
    }
    let limits = RateLimitFields.limits(from: fields, of: origin, at: now)
    var refusing = limits.filter { $0.remaining == 0 }
    isLimited = status == 429 || !refusing.isEmpty
    // A server that does not say what is left may still say when there will be more.
    if refusing.isEmpty, isLimited { refusing = limits.filter { $0.remaining == nil } }
    let seconds = refusing.compactMap(\.resetsAt).max()?.seconds(since: now) ?? 0
    retryAfter = seconds > 0 ? .reset(seconds) : nil
  }
}
