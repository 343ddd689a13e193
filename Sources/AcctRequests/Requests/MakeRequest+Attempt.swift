import AcctModel
import AcctPorts
import AcctProtocol
import AcctEngine

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
