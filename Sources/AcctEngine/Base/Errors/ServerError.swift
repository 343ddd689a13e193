package import AcctModel
package import AcctPorts
package import AcctProtocol

/// A server gave no answer; the credentials are as they were.
package enum NetworkError: Error, Equatable, Sendable {
  case http(HTTPFailure, Origin)
  /// There was no answer to a renewal, which the server may have made all the same.
  case renewalUnanswered(HTTPFailure, Origin)
  case dns(DNSFailure, name: String)
  /// A renewal is needed, and `--offline` does not allow it.
  case offline
}

/// A server answered, and not with what was asked for; the credentials are as they were.
package enum ServerError: Error, Equatable, Sendable {
  case oauth(OAuthError, Origin)
  /// What a resource server says of itself does not lead to an authorization server.
  case resource(ResourceFlaw, Origin)
  /// 429; `Retry-After` if it can be read.
  case rateLimited(retryAfter: RetryAfter?, Origin)
  /// It named another user than the one who signed in.
  case otherUser(OtherUser, Origin)
  /// 5xx; `Retry-After` if it can be read.
  case failed(status: Int, retryAfter: RetryAfter?, Origin)
  /// The same at a renewal, which the server may have made before it failed.
  case renewalFailed(status: Int, retryAfter: RetryAfter?, Origin)
}
