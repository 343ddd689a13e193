import AcctModel
import AcctPorts
import AcctProtocol
import Release
import AcctEngine

/// The state of a request between attempts.
struct RequestAttempt {
  @Boxed private(set) var request: MakeRequest.Request
  private let body: RequestBody?
  var account: Account
  /// The attempts that remain.
  var retry: RetryStateMachine
  /// The hint from the last response; `nil` if the file may have a newer one.
  @Boxed var hint: ServerHint? = nil
  /// The grant from the last renewal, for the next attempt only.
  @Boxed var grant: AccessGrant? = nil
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

  /// `true` if the complete body can still be sent.
  var canRepeat: Bool { get async { await body?.canRepeat ?? true } }

  /// The purpose of its token, if it differs from the account's own.
  var purpose: TokenPurpose? {
    get throws(EngineError) {
      do { return try account.purpose(for: request.url, request.purpose) } catch { throw .authorization(error) }
    }
  }

  /// Continues at the URL of a redirect.
  mutating func follow(to url: HTTPURL) {
    if url.origin != request.url.origin { request.fields = request.fields.elsewhere }
    request.url = url
  }

  /// Builds the next request.
  ///
  /// - Parameters:
  ///   - released: The credential that authorizes it.
  ///   - timeout: The longest time without a byte in either direction, in seconds.
  ///   - identity: Presented to the server if it asks for a certificate.
  /// - Returns: The request to send.
  /// - Throws: ``InputError/stream(_:)``, or ``RequestError/bodyGone(status:_:)`` if a part of the body is gone.
  mutating func nextRequest(
    _ released: Released,
    _ timeout: Int,
    presenting identity: TLSIdentity?
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
      releasing: released.beside(request.fields.fields),
      body: source,
      asksFirst: retry.announcesBody && source != nil && body?.comesOnce == true,
      timeout: timeout,
      identity: identity
    )
  }
}
