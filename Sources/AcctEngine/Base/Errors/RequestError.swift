package import AcctModel
package import AcctPorts
package import AcctProtocol

/// How a request that the user makes can fail, beside what can happen to any.
package enum RequestError: Error, Equatable, Sendable {
  /// Not a header line; what stands before its colon, since behind it may be a secret.
  case fieldMalformed(String)
  /// The account writes this field.
  case ownField(name: String, account: AccountName)
  /// The transport writes this field.
  case framingField(name: String)
  /// The server wants it once more, by an answer with this status, and some of the body is gone.
  case bodyGone(status: Int?, Origin)
  /// 401 to a static token.
  case tokenRejected(TokenReplacement, Origin)
  /// 400 to a guest, and the backend says that `X-Device-ID` was missing.
  case deviceIDMissing(Origin)
  /// The answer's body broke off after so many bytes.
  case brokenOff(HTTPFailure, received: Int64)
  /// The server's answer, which has been written as it came; when it takes another request, and
  /// whether a retry would wait for that.
  case answered(status: Int, retryAfter: RetryAfter?, isWorthRetrying: Bool, Origin)
  /// An answer that redirects once more than is followed.
  case tooManyRedirects(limit: Int, Origin)
  /// The answer redirects to something that is no URL; the value of `Location`.
  case redirectMalformed(location: String, Origin)
}
