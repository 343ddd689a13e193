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

  /// What the user wants.
  package struct Wish: Sendable {
    package var method: String
    package var url: HTTPURL
    package var fields: RequestFields
    /// How often a request may be made again that was limited or failed.
    package var retries: Int

    package init(method: String, url: HTTPURL, fields: RequestFields, retries: Int) {
      self.method = method
      self.url = url
      self.fields = fields
      self.retries = retries
    }

    fileprivate var target: Authorize.Target { Authorize.Target(method: method, url: url) }
  }

  /// What is told meanwhile.
  package enum Event: Sendable {
    case notice(Notice)
    /// The request is made again in so many seconds of so many; told every second, down to 0.
    case waiting(Int64, of: Int64, Origin)
  }

  /// The server's last word, with its body still to come.
  package struct Answer: Sendable {
    package var origin: Origin
    package var response: StreamedResponse
    /// What kept the request from being made once more, where it should have been.
    package var obstacle: EngineError?
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
      let authorization = try await authorize(wish.target, as: attempt.account)
      if attempt.isFirst { authorization.notices.forEach { tell(.notice($0)) } }
      let outcome = await send(try await attempt.request(authorization.fields, timeout))
      let response: StreamedResponse
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
      let (step, seen) = await next(after: response, &attempt, authorization)
      switch step {
      case .take(let obstacle):
        return Answer(origin: wish.url.origin, response: seen, obstacle: obstacle)
      case .again(let seconds):
        await seen.cancel()
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
    after response: StreamedResponse,
    _ attempt: inout Attempt,
    _ authorization: Authorize.Authorization
  ) async -> (Step, StreamedResponse) {
    let origin = attempt.wish.url.origin
    let hints = ServerHints(world)
    var response = response
    var step: Step?
    if attempt.mayChallenge {
      let codes = await response.refusalCodes()
      if codes.contains("use_dpop_nonce")
        || codes.contains("invalid_dpop_proof") && hints.isClockOff(at: origin)
      {
        attempt.mayChallenge = false
        step = .again(0)
      }
    }
    if step == nil, response.head.status == 417, attempt.asksFirst {
      attempt.asksFirst = false
      step = .again(0)
    }
    if step == nil, response.head.status == 401, attempt.mayRenew {
      attempt.mayRenew = false
      guard await attempt.canRepeat else {
        return (.take(.request(.bodyGone(status: response.head.status, origin))), response)
      }
      do throws(EngineError) {
        try await renew(&attempt.account, insteadOf: authorization.expiresAt)
        step = .again(0)
      } catch {
        return (.take(error), response)
      }
    }
    if response.head.status == 401, attempt.account.kind == .guest {
      do throws(EngineError) {
        try await GuestEnd(world, interaction).refused(attempt.account)
      } catch {
        return (.take(error), response)
      }
    }
    if step == nil {
      step = attempt.policy.wait(after: response.head, now: hints.now(at: origin))
        .map { .again($0) }
    }
    guard let step else { return (.take(nil), response) }
    guard await attempt.canRepeat else {
      return (.take(.request(.bodyGone(status: response.head.status, origin))), response)
    }
    return (step, response)
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
