package import AcctModel

/// When a server accepts another request: the value of `Retry-After` (RFC 9110, section 10.2.3).
package enum RetryAfter: Equatable, Sendable {
  /// So many seconds after the answer; 0 or more.
  case seconds(Int64)
  /// At this time, by the server's clock.
  case date(Timestamp)

  /// Reads the field's value; `nil` for what is neither a number of seconds nor an HTTP date.
  package init?(_ value: String?) {
    guard let value else { return nil }
    if !value.isEmpty, value.utf8.allSatisfy({ (0x30...0x39).contains($0) }) {
      self = .seconds(Int64(value) ?? .max)
    } else if let date = HTTPDate.parse(value) {
      self = .date(date)
    } else {
      return nil
    }
  }

  /// Seconds from `now`; 0 where the time has come.
  package func seconds(from now: Timestamp) -> Int64 {
    switch self {
    case .seconds(let seconds): seconds
    case .date(let date): max(0, date.seconds(since: now))
    }
  }
}
