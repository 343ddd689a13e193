import AcctModel
import AcctPorts
import AcctProtocol

/// What is left to be tried with a request.
struct RequestAttempt {
  private(set) var request: MakeRequest.Request
  private let body: RequestBody?
  var account: Account
  var policy: RetryPolicy
  /// A nonce, or the right time, may be asked for once.
  var mayChallenge: Bool
  /// A token that was refused is renewed once.
  var mayRenew: Bool
  /// A body that can't be read twice is announced before it is sent.
  var asksFirst = true
  private(set) var isFirst = true
  /// How many redirects were followed.
  private(set) var redirects = 0

  init(_ request: MakeRequest.Request, _ body: RequestBody?, _ account: Account) {
    self.request = request
    self.body = body
    self.account = account
    policy = RetryPolicy(request.retries, method: request.method)
    mayChallenge = account.tokenType == .dpop
    mayRenew = account.tokenLifetime.canRenew
  }

  /// Whether the whole of the body is still there.
  var canRepeat: Bool {
    get async { await body?.canRepeat() ?? true }
  }

  /// Whether a redirect is followed: only GET and HEAD mean the same wherever they go.
  var mayFollow: Bool {
    request.follows && body == nil && ["GET", "HEAD"].contains(request.method)
  }

  /// Goes on at the URL that a redirect leads to.
  mutating func follow(to url: HTTPURL) {
    if url.origin != request.url.origin { request.fields = request.fields.elsewhere }
    request.url = url
    redirects += 1
    // Each server may want a nonce of its own; the token stays the same.
    mayChallenge = account.tokenType == .dpop
  }

  /// The next request.
  ///
  /// - Parameters:
  ///   - authorization: The fields that say who makes it.
  ///   - timeout: Seconds in which something has to move.
  /// - Returns: What to send.
  /// - Throws: ``EngineError/input(_:)``, or that some of the body is gone.
  mutating func nextRequest(
    _ authorization: [HeaderField],
    _ timeout: Int
  ) async throws(EngineError) -> StreamedRequest {
    isFirst = false
    var source: ByteSource?
    if let body {
      do { source = try await body.attempt() } catch { throw .input(error) }
      guard source != nil else { throw .request(.bodyGone(status: nil, request.url.origin)) }
    }
    return StreamedRequest(
      method: request.method,
      url: request.url,
      fields: authorization.map { ($0.name, $0.value) } + request.fields.fields,
      body: source,
      asksFirst: asksFirst && source != nil && body?.comesOnce == true,
      timeout: timeout
    )
  }
}
