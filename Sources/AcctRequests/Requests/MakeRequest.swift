import AcctConsole
import AcctModel
import AcctPorts
import AcctProtocol
import AcctEngine

/// Makes a request as an account, and meets the server's demands before its final response.
///
/// A request that is rejected for a missing nonce is sent once more, and one that is rejected for its token once after
/// a renewal. With retries, so is one that was rate-limited, or that failed for no fault of its own.
/// ``RetryStateMachine`` decides; the loop here carries out its decisions. Bodies are streamed; only the beginning of
/// one that can't be read twice is kept.
struct MakeRequest: Sendable {
  let context: EngineContext
  let authorizer: Authorize
  let limits: LatestLimits
  let nonceCache: NonceCache
  private let sideExecutor: (any TaskExecutor)?

  init(_ context: EngineContext) { self.init(context, LatestLimits(context.world), aside: nil) }

  /// - Parameters:
  ///   - context: Everything outside.
  ///   - limits: Takes the limits from responses.
  ///   - sideExecutor: Does the work that could block its thread; `nil` to do it on the calling thread.
  init(_ context: EngineContext, _ limits: LatestLimits, aside sideExecutor: (any TaskExecutor)?) {
    self.context = context
    self.sideExecutor = sideExecutor
    authorizer = Authorize(context, .allowed)
    self.limits = limits
    nonceCache = NonceCache(context.world, context.hints)
  }

  /// Makes the request.
  ///
  /// - Parameters:
  ///   - request: The request.
  ///   - account: The account that makes it.
  ///   - body: The body to send.
  ///   - report: Takes the events.
  /// - Returns: The response, with any status.
  /// - Throws: ``EngineError`` if there is no response.
  func perform(
    _ request: Request,
    as account: Account,
    sending body: RequestBody? = nil,
    report: @Sendable (Event) -> Void
  ) async throws(EngineError) -> Answer {
    try await perform(request, as: account, sending: body, holding: nil, report: report)
  }

  /// Makes the request with a token to use for the first attempt.
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
    tell(action, first, attempt.account)
    if let answer = try first.end(action) { return try await settled(answer, first, attempt) }
    // From here on, files and keyring may be read and written.
    return try await aside { () async throws(EngineError) in
      var (sent, action) = (first, action)
      while true {
        if let answer = try await run(action, after: sent, &attempt, report) {
          return try await settled(answer, sent, attempt)
        }
        sent = try await send(&attempt, report)
        action = attempt.retry.next(after: sent.event)
        tell(action, sent, attempt.account)
      }
    }
  }

  /// Carries out the action after an attempt.
  ///
  /// - Returns: The response to deliver; `nil` if the request is to be sent again.
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
      let next = attempt.retry.next(after: event)
      if case .wait = next { context.tell(.told("sending again to \(origin) with the new token")) }
      return try await run(next, after: sent, &attempt, report)
    case .challenge:
      await sent.dismiss()
      attempt.hint = sent.hint
    case .wait(let seconds):
      await sent.dismiss()
      try await wait(seconds, for: origin, report)
    case .follow(let url):
      await sent.dismiss()
      attempt.follow(to: url)
    }
    return nil
  }

  /// Tells what follows an attempt.
  private func tell(_ action: RetryStateMachine.Action, _ sent: Sent, _ account: Account) {
    guard context.voice != nil else { return }
    let origin = sent.origin
    switch action {
    case .challenge:
      context.tell(.sendWithNewProof(origin, status: sent.status))
      context.voice?.tellTime(of: sent.hint, after: sent.authorization.hint, origin)
    case .wait(let seconds):
      let cause = sent.status.map { "the answer was \($0)" } ?? "there was no answer"
      context.tell(.told("sending again to \(origin) in \(duration(seconds)): \(cause)"))
    case .follow(let url): context.tell(.told("following the redirect of \(origin) to \(url.origin)"))
    case .deliver(because: nil) where sent.status == 401:
      let reason =
        account.tokenLifetime.canRenew ? "this request has done it already" : "there is nothing to renew it with"
      context.tell(.told("not renewing \(account.name) after the answer 401: \(reason)"))
    // A failure has words of its own, and a renewal tells its reason.
    case .deliver, .renew, .fail: break
    }
  }

  /// Runs work that could block its thread, such as access to a file or a keyring, where no other request waits for
  /// it.
  func aside<Value, Failure: Error>(_ body: () async throws(Failure) -> Value) async throws(Failure) -> Value {
    try await withTaskExecutorPreference(sideExecutor, operation: body)
  }

  private func wait(_ seconds: Int64, for origin: Origin, _ report: (Event) -> Void) async throws(EngineError) {
    for left in stride(from: seconds, to: 0, by: -1) {
      report(.waiting(left, of: seconds, origin))
      guard await context.world.clock.sleep(1) else { throw .cancelled }
    }
    if seconds > 0 { report(.waiting(0, of: seconds, origin)) }
  }
}
