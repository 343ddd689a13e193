package import AcctModel
package import AcctPorts
import AcctProtocol

/// Makes a request as an account, and does what the server asks for before it answers.
///
/// A request that is refused for want of a nonce is made once more, and one that is refused for
/// its token once after a renewal. With retries, so is one that came too often, or that failed for
/// no fault of its own. Bodies flow through; nothing of them is kept but the beginning of one that
/// can't be read twice.
package struct MakeRequest: Sendable {
  private let world: World
  private let interaction: Interaction
  private let timeout: Int
  private let waiting: Waiting.Teller
  private let authorize: Authorize
  private let limits: LatestLimits

  package init(
    _ world: World,
    _ interaction: Interaction,
    timeout: Int,
    waiting: @escaping Waiting.Teller = { _ in }
  ) {
    self.world = world
    self.interaction = interaction
    self.timeout = timeout
    self.waiting = waiting
    authorize = Authorize(world, interaction, .allowed(timeout: timeout), tell: waiting)
    limits = LatestLimits(world)
  }

  /// Refuses an origin that is not the account's; neither keyring nor body are touched for that.
  ///
  /// - Throws: ``EngineError/refusedOrigin(_:account:allowed:)``.
  package func check(_ url: HTTPURL, for account: Account) throws(EngineError) {
    try authorize.check(url, for: account)
  }

  /// Makes the request.
  ///
  /// - Parameters:
  ///   - wish: What the user wants.
  ///   - account: Who makes it.
  ///   - body: What to send.
  ///   - tell: Is told what goes on.
  /// - Returns: The answer; any status is one.
  /// - Throws: ``EngineError``, where there is no answer.
  package func callAsFunction(
    _ wish: Wish,
    as account: Account,
    sending body: RequestBody? = nil,
    tell: @Sendable (Event) -> Void
  ) async throws(EngineError) -> Answer {
    var attempt = Attempt(wish, body, account)
    while true {
      if !attempt.isFirst {
        // A wait may be long: what the user has changed meanwhile counts.
        attempt.account = try AccountBook(world.files).account(account.id) ?? attempt.account
      }
      let authorization = try await authorize(wish.target, as: attempt.account)
      if attempt.isFirst { authorization.notices.forEach { tell(.notice($0)) } }
      let outcome = await send(try await attempt.request(authorization.fields, timeout))
      var response: StreamedResponse
      switch outcome {
      case .success(let answered): response = answered
      case .failure(let failure):
        guard await attempt.canRepeat, let seconds = attempt.policy.wait(after: failure) else {
          throw .http(failure, wish.url.origin)
        }
        try await wait(seconds, for: wish.url.origin, tell)
        continue
      }
      await learn(from: response.head, of: wish.url.origin, for: account)
      switch await next(after: &response, &attempt, authorization) {
      case .take(let obstacle):
        let now = ServerHints(world).now(at: wish.url.origin)
        return Answer(
          origin: wish.url.origin,
          response: response,
          isWorthRetrying: RetryPolicy.waits(for: response.head, now: now),
          obstacle: obstacle
        )
      case .again(let seconds):
        await response.dismiss()
        try await wait(seconds, for: wish.url.origin, tell)
      }
    }
  }

  private enum Step {
    case take(EngineError?)
    /// Once more, after so many seconds.
    case again(Int64)
  }

  /// Decides what an answer means.
  private func next(
    after response: inout StreamedResponse,
    _ attempt: inout Attempt,
    _ authorization: Authorize.Authorization
  ) async -> Step {
    do throws(EngineError) {
      try await RolledSession(world, interaction, tell: waiting)
        .keep(
          from: response.head,
          of: attempt.wish.url.origin,
          insteadOf: authorization.token,
          for: attempt.account
        )
      guard let seconds = try await repetition(after: &response, &attempt, authorization) else {
        return .take(nil)
      }
      guard await attempt.canRepeat else {
        throw .request(.bodyGone(status: response.head.status, attempt.wish.url.origin))
      }
      return .again(seconds)
    } catch {
      return .take(error)
    }
  }

  /// Seconds after which the request is to be made once more; `nil` if the answer is the last word.
  private func repetition(
    after response: inout StreamedResponse,
    _ attempt: inout Attempt,
    _ authorization: Authorize.Authorization
  ) async throws(EngineError) -> Int64? {
    let origin = attempt.wish.url.origin
    let hints = ServerHints(world)
    let status = response.head.status
    if attempt.mayChallenge {
      let codes = await response.refusalCodes()
      if codes.contains("use_dpop_nonce")
        || codes.contains("invalid_dpop_proof") && hints.isClockOff(at: origin)
      {
        attempt.mayChallenge = false
        return 0
      }
    }
    if status == 417, attempt.asksFirst {
      attempt.asksFirst = false
      return 0
    }
    if status == 401, attempt.mayRenew {
      attempt.mayRenew = false
      // Even where the body is gone: the next run then has what was missing.
      try await renew(&attempt.account, insteadOf: authorization.expiresAt)
      return 0
    }
    if attempt.account.kind == .guest, origin == attempt.account.service {
      try await meet(&response, asGuest: attempt.account)
    }
    return attempt.policy.wait(after: response.head, now: hints.now(at: origin))
  }

  /// Does what a guest's backend asks for by refusing, and says what only a guest must know.
  private func meet(
    _ response: inout StreamedResponse,
    asGuest account: Account
  ) async throws(EngineError) {
    switch response.head.status {
    case 401:
      if let end = try await GuestEnd(world, interaction).refused(account) { throw end }
    case 400:
      guard let origin = account.service, await response.fault().namesDeviceID else { return }
      throw .request(.deviceIDMissing(origin))
    default: return
    }
  }

  private func renew(
    _ account: inout Account,
    insteadOf refused: Timestamp?
  ) async throws(EngineError) {
    switch account.kind {
    case .oauth:
      try await Renewal(world, interaction, timeout: timeout, tell: waiting)(account) { current in
        // Another process may have renewed it since; then that token has not been refused.
        current.lease.expiresAt == refused
      }
    case .session:
      // The backend's word is asked for: no clock has told that this session would be refused.
      try await SessionKeeping(world, interaction, timeout: timeout, tell: waiting).check(account)
    case .guest: break
    }
    account = try AccountBook(world.files).account(account.id) ?? account
  }

  private func send(
    _ request: StreamedRequest
  ) async -> Result<StreamedResponse, HTTPFailure> {
    do throws(HTTPFailure) { return .success(try await world.transport.stream(request)) } catch {
      return .failure(error)
    }
  }

  /// Keeps what any answer teaches.
  private func learn(from head: ResponseHead, of origin: Origin, for account: Account) async {
    ServerHints(world).learn(from: head.fields, of: origin)
    await limits.learn(from: head.fields, of: origin, for: account.id)
  }

  private func wait(
    _ seconds: Int64,
    for origin: Origin,
    _ tell: (Event) -> Void
  ) async throws(EngineError) {
    for left in stride(from: seconds, to: 0, by: -1) {
      tell(.waiting(left, of: seconds, origin))
      guard await world.clock.sleep(1) else { throw .cancelled }
    }
    if seconds > 0 { tell(.waiting(0, of: seconds, origin)) }
  }
}
