import AcctModel
import AcctPorts
import AcctProtocol

/// What is left to be tried with a request.
struct Attempt {
  private(set) var wish: MakeRequest.Wish
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

  init(_ wish: MakeRequest.Wish, _ body: RequestBody?, _ account: Account) {
    self.wish = wish
    self.body = body
    self.account = account
    policy = RetryPolicy(wish.retries, method: wish.method)
    mayChallenge = account.tokenType == .dpop
    mayRenew = account.lease.canRenew
  }

  /// Whether the whole of the body is still there.
  var canRepeat: Bool {
    get async { await body?.canRepeat() ?? true }
  }

  /// Whether a redirect is followed: only GET and HEAD mean the same wherever they go.
  var mayFollow: Bool { wish.follows && body == nil && ["GET", "HEAD"].contains(wish.method) }

  /// Goes on at the URL that a redirect leads to.
  mutating func follow(to url: HTTPURL) {
    if url.origin != wish.url.origin { wish.fields = wish.fields.elsewhere }
    wish.url = url
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
  mutating func request(
    _ authorization: [HeaderField],
    _ timeout: Int
  ) async throws(EngineError) -> StreamedRequest {
    isFirst = false
    var source: ByteSource?
    if let body {
      do { source = try await body.attempt() } catch { throw .input(error) }
      guard source != nil else { throw .request(.bodyGone(status: nil, wish.url.origin)) }
    }
    return StreamedRequest(
      method: wish.method,
      url: wish.url,
      fields: authorization.map { ($0.name, $0.value) } + wish.fields.fields,
      body: source,
      asksFirst: asksFirst && source != nil && body?.comesOnce == true,
      timeout: timeout
    )
  }
}
