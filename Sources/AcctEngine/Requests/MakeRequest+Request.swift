package import AcctModel
package import AcctPorts
package import AcctProtocol

/// What goes into a request that the user makes, and what comes of it.
extension MakeRequest {
  /// What the user wants.
  package struct Request: Sendable {
    package var method: String
    package var url: HTTPURL
    package var fields: RequestFields
    /// How often a request may be made again that was limited or failed.
    package var retries: Int
    /// Whether redirects of GET and HEAD within the account's own origins are followed.
    package var follows: Bool
    /// What its token is for, where that is not what the account's own is for.
    package var purpose: TokenPurpose?

    package init(method: String, url: HTTPURL, fields: RequestFields, retries: Int, follows: Bool = false) {
      self.method = method
      self.url = url
      self.fields = fields
      self.retries = retries
      self.follows = follows
    }

    var target: Authorize.Target { Authorize.Target(method: method, url: url) }
  }

  /// What is told meanwhile.
  package enum Event: Sendable {
    case notice(Notice)
    /// The request is made again in so many seconds of so many; told every second, down to 0.
    case waiting(Int64, of: Int64, Origin)
  }

  /// The server's last word, with its body still to come.
  package struct Answer: Sendable {
    package var origin: Origin
    package var response: StreamedResponse
    /// When the server takes another request; seconds by its own clock, where it named a date.
    package var retryAfter: RetryAfter?
    /// Whether a retry would wait for as long as it asks.
    package var isWorthRetrying: Bool
    /// What kept the request from being made once more, or its redirect from being followed, where
    /// it should have been.
    package var cause: EngineError?
  }
}
