import AcctModel
import AcctPorts
import AcctProtocol

/// A request on its way: what the next attempt sends, and what is left to be tried.
struct RequestAttempt {
  private(set) var request: MakeRequest.Request
  private let body: RequestBody?
  var account: Account
  /// What is left to be tried.
  var retry: RetryStateMachine
  /// What the last answer taught of its server; `nil` where the file may know better.
  var hint: ServerHint?
  /// What is in hand already, such as what a renewal has left there, for the next attempt alone.
  var grant: AccessGrant?
  private(set) var isFirst = true

  init(_ request: MakeRequest.Request, _ body: RequestBody?, _ account: Account) {
    self.request = request
    self.body = body
    self.account = account
    retry = RetryStateMachine(
      method: request.method,
      retries: request.retries,
      follows: request.follows,
      hasBody: body != nil,
      usesProofs: account.tokenType == .dpop,
      canRenew: account.tokenLifetime.canRenew
    )
  }

  /// Whether the whole of the body is still there.
  var canRepeat: Bool { get async { await body?.canRepeat ?? true } }

  /// What its token is for, where that is not what the account's own is for.
  var purpose: TokenPurpose? { get throws(EngineError) { try account.purpose(for: request.url, request.purpose) } }

  /// Goes on at the URL that a redirect leads to.
  mutating func follow(to url: HTTPURL) {
    if url.origin != request.url.origin { request.fields = request.fields.elsewhere }
    request.url = url
  }

  /// The next request.
  ///
  /// - Parameters:
  ///   - authorization: The fields that say who makes it.
  ///   - timeout: Seconds in which something has to move.
  /// - Returns: What to send.
  /// - Throws: ``InputError/stream(_:)``, or that some of the body is gone.
  mutating func nextRequest(
    _ authorization: [HeaderField],
    _ timeout: Int
  ) async throws(EngineError) -> StreamedRequest {
    isFirst = false
    var source: ByteSource?
    if let body {
      do { source = try await body.attempt() } catch { throw .input(.stream(error)) }
      guard source != nil else { throw .request(.bodyGone(status: nil, request.url.origin)) }
    }
    return StreamedRequest(
      method: request.method,
      url: request.url,
      fields: authorization.map { ($0.name, $0.value) } + request.fields.fields,
      body: source,
      asksFirst: retry.announcesBody && source != nil && body?.comesOnce == true,
      timeout: timeout
    )
  }
}
