import AcctModel
import AcctPorts
import AcctProtocol
import Release
import AcctEngine

/// The input and the result of a request that the user makes.
extension MakeRequest {
  /// A request as the user specified it.
  struct Request: Sendable {
    var method: String
    var url: HTTPURL
    var fields: RequestFields
    /// The number of retries of a request that was limited or failed.
    var retries: Int
    /// `true` to follow redirects of GET and HEAD within the account's own origins.
    var follows: Bool
    /// The purpose of its token, if it differs from the account's own.
    var purpose: TokenPurpose?

    init(method: String, url: HTTPURL, fields: RequestFields, retries: Int, follows: Bool = false) {
      self.method = method
      self.url = url
      self.fields = fields
      self.retries = retries
      self.follows = follows
    }

    var target: Authorize.Target { Authorize.Target(method: method, url: url) }
  }

  /// An event during a request.
  enum Event: Sendable {
    case notice(Notice)
    /// The request is repeated after so many seconds of so many; reported every second, down to 0.
    case waiting(Int64, of: Int64, Origin)
  }

  /// The server's final response, with its body still to come.
  struct Answer: Sendable {
    var origin: Origin
    var response: StreamedResponse
    /// `true` if a rate limit refused the request.
    var isLimited: Bool
    /// When the server accepts another request; seconds by its own clock, if it named a date.
    var retryAfter: RetryAfter?
    /// `true` if a retry would wait that long.
    var isWorthRetrying: Bool
    /// The failure that prevented a retry or the following of a redirect, if it should have been done.
    var cause: EngineError?
  }
}
