import AcctModel
import AcctPorts

/// The rules for repeating a request, and for the wait before that.
struct RetryPolicy: Sendable {
  private let method: String
  private var left: Int
  /// Seconds to wait if the server names none; doubled each time.
  private var pause: Int64 = 1

  /// No wait is longer than this, in seconds.
  private static let longestWait: Int64 = 3600
  private static let longestPause: Int64 = 60

  /// - Parameters:
  ///   - retries: The most repetitions.
  ///   - method: The method of the request.
  init(_ retries: Int, method: String) {
    left = retries
    self.method = method
  }

  /// Uses one of the retries for a response.
  ///
  /// 429 means that nothing was done (RFC 6585, section 4). After a 5xx the request may have had its effect, so that
  /// only an idempotent request is repeated.
  ///
  /// - Parameters:
  ///   - status: The status of the response; 429 for each that a limit refused.
  ///   - retryAfter: The seconds that the server asks for.
  /// - Returns: Seconds to wait; `nil` if the response is final.
  mutating func wait(after status: Int, _ retryAfter: Int64?) -> Int64? {
    guard status == 429 || status >= 500 && isIdempotent else { return nil }
    return take(retryAfter)
  }

  /// Uses one of the retries for a request without a response.
  mutating func wait(after failure: HTTPFailure) -> Int64? {
    // A request that was sent may have had its effect.
    guard failure.mayPass || failure.isOfProxy, !failure.wasSent || isIdempotent else { return nil }
    return take(nil)
  }

  /// Returns `true` if a retry would wait for so many seconds.
  static func waits(_ retryAfter: Int64?) -> Bool { retryAfter ?? 0 <= longestWait }

  private mutating func take(_ seconds: Int64?) -> Int64? {
    guard left > 0, Self.waits(seconds) else { return nil }
    left -= 1
    defer { pause = min(pause * 2, Self.longestPause) }
    return seconds ?? pause
  }

  /// `true` for an idempotent method (RFC 9110, section 9.2.2).
  private var isIdempotent: Bool { ["GET", "HEAD", "OPTIONS", "TRACE", "PUT", "DELETE"].contains(method) }
}

extension HTTPFailure {
  /// `true` if the proxy failed, and not the server: it may forward the next request.
  fileprivate var isOfProxy: Bool { if case .proxy = self { true } else { false } }
}
