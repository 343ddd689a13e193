package import AcctModel
import AcctPorts
import AcctProtocol

/// Makes a request as an account, and does what the server asks for before it answers.
///
/// A request that is refused for want of a nonce is made once more, and one that is refused for
/// its token once after a renewal. With retries, so is one that came too often, or that failed for
/// no fault of its own. ``RetryStateMachine`` decides; the loop here runs what it decides. Bodies flow
/// through; nothing of them is kept but the beginning of one that can't be read twice.
package struct MakeRequest: Sendable {
  let context: EngineContext
  let authorizer: Authorize
  let limits: LatestLimits
  let nonceCache: NonceCache

  package init(_ context: EngineContext) { self.init(context, LatestLimits(context.world)) }

  init(_ context: EngineContext, _ limits: LatestLimits) {
    self.context = context
    authorizer = Authorize(context, .allowed)
    self.limits = limits
    nonceCache = NonceCache(context.world, context.hints)
  }

  /// Makes the request.
  ///
  /// - Parameters:
  ///   - request: What the user wants.
  ///   - account: Who makes it.
  ///   - body: What to send.
  ///   - report: Is told what goes on.
  /// - Returns: The answer; any status is one.
  /// - Throws: ``EngineError``, where there is no answer.
  package func perform(
    _ request: Request,
    as account: Account,
    sending body: RequestBody? = nil,
    report: @Sendable (Event) -> Void
  ) async throws(EngineError) -> Answer {
    try await perform(request, as: account, sending: body, holding: nil, report: report)
  }

  /// The same with a token that is in hand already, which the first attempt carries.
  func perform(
    _ request: Request,
    as account: Account,
    sending body: RequestBody?,
    holding grant: AccessGrant?,
    report: @Sendable (Event) -> Void = { _ in }
  ) async throws(EngineError) -> Answer {
    var attempt = RequestAttempt(request, body, account)
    attempt.grant = grant
    let first = try await send(&attempt, report)
    let action = attempt.retry.next(after: first.event)
    if let answer = try first.end(action) { return answer }
    // What comes now may read files, ask the keyring and write to it.
    return try await context.aside { () async throws(EngineError) in
      var (sent, action) = (first, action)
      while true {
        if let answer = try await run(action, after: sent, &attempt, report) { return answer }
        sent = try await send(&attempt, report)
        action = attempt.retry.next(after: sent.event)
      }
    }
  }

  /// Does what an attempt calls for.
  ///
  /// - Returns: The answer to deliver; `nil` if the request is to be sent again.
  private func run(
    _ action: RetryStateMachine.Action,
    after sent: Sent,
    _ attempt: inout RequestAttempt,
    _ report: (Event) -> Void
  ) async throws(EngineError) -> Answer? {
    let origin = attempt.request.url.origin
    switch action {
    case .deliver, .fail: return try sent.end(action)
    case .renew:
      let event = await renewal(of: &attempt, after: sent)
      return try await run(attempt.retry.next(after: event), after: sent, &attempt, report)
    case .challenge:
      context.tell(.sendWithNewProof(origin, status: sent.status))
      await sent.dismiss()
      attempt.hint = sent.hint
    case .wait(let seconds):
      context.tell(.retry(origin, inSeconds: seconds))
      await sent.dismiss()
      try await wait(seconds, for: origin, report)
    case .follow(let url):
      context.tell(.follow(origin, to: url.origin))
      await sent.dismiss()
      attempt.follow(to: url)
    }
    return nil
  }

  private func wait(_ seconds: Int64, for origin: Origin, _ report: (Event) -> Void) async throws(EngineError) {
    for left in stride(from: seconds, to: 0, by: -1) {
      report(.waiting(left, of: seconds, origin))
      guard await context.world.clock.sleep(1) else { throw .cancelled }
    }
    if seconds > 0 { report(.waiting(0, of: seconds, origin)) }
  }
}
