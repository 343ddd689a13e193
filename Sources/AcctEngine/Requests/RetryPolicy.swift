import AcctModel
import AcctPorts
import AcctProtocol

/// When a request may be made once more, and how long to wait before that.
struct RetryPolicy {
  private let method: String
  private var left: Int
  /// Seconds to wait where the server names none; doubled each time.
  private var pause: Int64 = 1

  /// Nobody waits for more than this, in seconds.
  private static let longestWait: Int64 = 3600
  private static let longestPause: Int64 = 60

  /// - Parameters:
  ///   - retries: How often at most.
  ///   - method: The request's.
  init(_ retries: Int, method: String) {
    left = retries
    self.method = method
  }

  /// Takes one of the retries for an answer.
  ///
  /// 429 means that nothing was done (RFC 6585, section 4). After a 5xx nobody knows, so that only
  /// a request is repeated that may as well be done twice.
  ///
  /// - Parameters:
  ///   - head: The answer.
  ///   - now: By the server's clock.
  /// - Returns: Seconds to wait; `nil` if the answer is to be taken as it is.
  mutating func wait(after head: ResponseHead, now: Timestamp) -> Int64? {
    guard head.status == 429 || head.status >= 500 && isIdempotent else { return nil }
    return take(head.retryAfter?.seconds(from: now))
  }

  /// Takes one of the retries for a request without an answer.
  mutating func wait(after failure: HTTPFailure) -> Int64? {
    switch failure {
    case .unresolved, .unreachable, .proxy: take(nil)
    // What was sent may have had its effect.
    case .timedOut, .closed: isIdempotent ? take(nil) : nil
    default: nil
    }
  }

  /// Whether a retry would wait for as long as an answer asks.
  static func waits(for head: ResponseHead, now: Timestamp) -> Bool {
    head.retryAfter?.seconds(from: now) ?? 0 <= longestWait
  }

  private mutating func take(_ seconds: Int64?) -> Int64? {
    guard left > 0, seconds ?? 0 <= Self.longestWait else { return nil }
    left -= 1
    defer { pause = min(pause * 2, Self.longestPause) }
    return seconds ?? pause
  }

  /// RFC 9110, section 9.2.2.
  private var isIdempotent: Bool {
    ["GET", "HEAD", "OPTIONS", "TRACE", "PUT", "DELETE"].contains(method)
  }
}

extension ResponseHead {
  /// When the server takes another request, if it says so in words that can be read.
  var retryAfter: RetryAfter? { RetryAfter(field("Retry-After")) }
}
