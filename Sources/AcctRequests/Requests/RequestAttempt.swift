import AcctEngine
import AcctModel
import AcctPorts
import AcctProtocol
import Release

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

/// One attempt at a request: authorized anew, sent, and learned from.
extension MakeRequest {
  /// The result of an attempt.
  struct Sent {
    let origin: Origin
    let event: RetryStateMachine.Event
    /// The response, or the reason why there is none.
    @Boxed var answer: Result<Answer, EngineError>
    /// The authorization that the request carried, with its token and expiry.
    @Boxed var authorization: Authorize.Authorization
    /// The current hint about the server.
    @Boxed var hint: ServerHint?

    /// The response that ends the request; `nil` if an action may lead to another attempt.
    func end(_ action: RetryStateMachine.Action) throws(EngineError) -> Answer? {
      switch action {
      case .deliver(let cause):
        var answer = try answer.get()
        answer.cause = cause
        return answer
      case .fail(let error): throw error
      case .renew, .challenge, .wait, .follow: return nil
      }
    }

    /// The answer's status; `nil` if there is none.
    var status: Int? { if case .success(let answer) = answer { answer.response.head.status } else { nil } }

    /// Does without the answer's body.
    func dismiss() async {
      if case .success(let answer) = answer { await answer.response.dismiss() }
    }
  }

  /// Makes the request once.
  ///
  /// - Parameters:
  ///   - attempt: The request to send.
  ///   - report: Takes the events.
  /// - Returns: The result.
  /// - Throws: ``EngineError`` if nothing could be sent.
  func send(_ attempt: inout RequestAttempt, _ report: (Event) -> Void) async throws(EngineError) -> Sent {
    let origin = attempt.request.url.origin
    if !attempt.isFirst {
      // A wait may be long: changes that the user has made meanwhile count.
      attempt.account = try context.accountStore.account(attempt.account.id) ?? attempt.account
    }
    var identity = attempt.grant?.identity
    let authorization = try await authorizer.authorize(
      attempt.request.target,
      as: attempt.account.tried,
      for: attempt.request.purpose,
      holding: attempt.grant.take(),
      knowing: attempt.hint.take()
    )
    if identity == nil { identity = try await self.identity(of: attempt.account) }
    if attempt.isFirst { authorization.notices.forEach { report(.notice($0)) } }
    let request = try await attempt.nextRequest(authorization.released, context.timeout, presenting: identity)
    do throws(HTTPFailure) {
      let response = try await context.world.transport.stream(request)
      return await answered(response, attempt, authorization)
    } catch {
      return Sent(
        origin: origin,
        event: .unanswered(error, origin, canRepeat: await attempt.canRepeat),
        answer: .failure(.network(.http(error, origin))),
        authorization: authorization
      )
    }
  }

  /// The certificate of an account's client, with its key: for its own origins, which alone get a request.
  private func identity(of account: Account) async throws(EngineError) -> TLSIdentity? {
    guard account.client.certificate != nil else { return nil }
    return try await CredentialStore.readingWhole(account, in: context) { credentialStore throws(EngineError) in
      try await credentialStore.readCertificate()
    }.map(TLSIdentity.init)
  }

  /// Learns from a response, and collects the facts that the decision needs.
  private func answered(
    _ response: StreamedResponse,
    _ attempt: RequestAttempt,
    _ authorization: Authorize.Authorization
  ) async -> Sent {
    let (head, origin) = (response.head, attempt.request.url.origin)
    await limits.learn(from: head.fields, of: origin, for: attempt.account.id)

    var response = response
    var facts = RetryStateMachine.Response(status: head.status, origin: origin)
    facts.cause = await react(to: &response, attempt, authorization)
    if facts.cause == nil { facts.cause = await stepUp(for: head, attempt) ?? bearerDemand(by: head, attempt) }
    if facts.cause == nil, attempt.retry.wantsRefusalCodes { facts.refusalCodes = await response.refusalCodes() }
    let (hint, isNews) = nonceCache.lesson(
      of: head.fields,
      of: origin,
      knowing: authorization.hint ?? nonceCache.hint(for: origin),
      refusesProof: DPoPRefusal.refusesProof(facts.refusalCodes)
    )
    if isNews { await aside { nonceCache.write(hint, of: origin) } }
    facts.isProofCorrected = authorization.hint.map(hint.corrects) ?? false
    let serverTime = hint.time(at: context.world.clock.now())
    let verdict = LimitVerdict(status: head.status, head.fields, of: origin, at: serverTime)
    facts.isLimited = verdict.isLimited
    facts.retryAfter = verdict.retryAfter?.seconds(from: serverTime)
    facts.redirect = redirect(head, attempt)
    facts.canRepeat = await attempt.canRepeat
    let answer = Answer(
      origin: origin,
      response: response,
      isLimited: facts.isLimited,
      retryAfter: verdict.retryAfter?.counted(from: serverTime),
      isWorthRetrying: RetryPolicy.waits(facts.retryAfter)
    )
    return Sent(
      origin: origin,
      event: .answered(facts),
      answer: .success(answer),
      authorization: authorization,
      hint: hint
    )
  }
}
