import AcctConsole
import AcctEngine
import AcctModel
import AcctPorts
import AcctProtocol
import Release
import Secrets

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
    // A proxy notes the first use of an hour, aside.
    authorizer = Authorize(context, .allowed, notesUses: sideExecutor == nil)
    self.limits = limits
    nonceCache = NonceCache(context.world, context.hints)
  }

  /// Makes the request.
  ///
  /// - Parameters:
  ///   - request: The request.
  ///   - account: The account that makes it.
  ///   - body: The body to send.
  ///   - grant: A token to use for the first attempt.
  ///   - report: Takes the events.
  /// - Returns: The response, with any status.
  /// - Throws: ``EngineError`` if there is no response.
  func perform(
    _ request: Request,
    as account: Account,
    sending body: RequestBody?,
    holding grant: AccessGrant? = nil,
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

/// The input and the result of a request that the user makes.
extension MakeRequest {
  /// A request as the user specified it.
  struct Request: Sendable {
    var method: String
    var url: HTTPURL
    var fields: RequestFields
    /// The number of retries of a request that was limited or failed.
    var retries: Int
    /// `true` to follow redirects of GET and HEAD within the account's own origins.
    var follows = false
    /// The purpose of its token, if it differs from the account's own.
    var purpose: TokenPurpose?

    var target: Authorize.Target { Authorize.Target(method: method, url: url) }
  }

  /// An event during a request.
  enum Event: Sendable {
    case notice(Notice)
    /// The request is repeated after so many seconds of so many; reported every second, down to 0.
    case waiting(Int64, of: Int64, Origin)
  }

  /// The server's final response, with its body still to come.
  struct Answer: Sendable {
    var origin: Origin
    var response: StreamedResponse
    /// `true` if a rate limit refused the request.
    var isLimited: Bool
    /// When the server accepts another request; seconds by its own clock, if it named a date.
    var retryAfter: RetryAfter?
    /// `true` if a retry would wait that long.
    var isWorthRetrying: Bool
    /// The failure that prevented a retry or the following of a redirect, if it should have been done.
    var cause: EngineError?
  }
}

/// Redirects (RFC 9110, section 15.4).
extension MakeRequest {
  /// The target of a response's redirect, if it is one.
  ///
  /// Each request on the way is authorized for its own URL: no credential goes to a place to which the account would
  /// not send one by itself.
  ///
  /// - Returns: A URL of one of the account's origins, or the reason why that URL is not requested.
  func redirect(_ head: ResponseHead, _ attempt: RequestAttempt) -> Result<HTTPURL, EngineError>? {
    head.redirect.map { location in Result { () throws(EngineError) in try target(of: location, attempt) } }
  }

  private func target(of location: String, _ attempt: RequestAttempt) throws(EngineError) -> HTTPURL {
    let target: HTTPURL
    do { target = try attempt.request.url.resolving(location) } catch .refusedURL(let refusal) {
      throw .input(.malformed(.refusedURL(refusal)))
    } catch {
      let shown = context.world.held.redactor.redact(location)
      throw .request(.redirectMalformed(location: shown, attempt.request.url.origin))
    }
    let (origin, here) = (target.origin, attempt.request.url.origin)
    let own = attempt.account.origins
    // The message names a refused origin, unless it repeats a secret.
    guard own.contains(origin) || !context.world.held.redactor.finds(in: origin.host) else {
      throw .request(.redirectMalformed(location: "<redacted>", here))
    }
    do { try attempt.account.requireOwn(target.origin) } catch { throw .authorization(error) }
    // A server elsewhere leads to this machine only where the user has allowed that origin.
    guard
      origin == here || origin.mayBePublic || !here.mayBePublic || own.reasons(for: origin).contains(.user)
        // The user has named every origin of a static token.
        || attempt.account.kind == .static
    else { throw .network(.http(.inside(host: origin.host), origin)) }
    return target
  }
}

extension ResponseHead {
  /// The one `Location` of a response that requests the same at another URL; 304 is no redirect, and 305 and 306 are
  /// obsolete.
  fileprivate var redirect: String? { [300, 301, 302, 303, 307, 308].contains(status) ? field("Location") : nil }
}

/// The effects of a response on the account's credentials.
extension MakeRequest {
  /// Applies the response's effect on the account, even if the request then fails.
  ///
  /// - Parameters:
  ///   - response: The response; the part of its body that had to be read is returned again.
  ///   - attempt: The request that was sent.
  ///   - authorization: The authorization that it carried.
  /// - Returns: The failure, or the end of a session; the response is delivered with it.
  func react(
    to response: inout StreamedResponse,
    _ attempt: RequestAttempt,
    _ authorization: Authorize.Authorization
  ) async -> EngineError? {
    let account = attempt.account
    do throws(EngineError) {
      // From now on a backend may accept no other session.
      try await context.backends?
        .take(
          &response,
          to: attempt.request.method,
          attempt.request.url,
          carrying: authorization.token,
          of: account,
          context
        )
      // It can't be renewed: the message names the command that stores a new one.
      if response.head.status == 401, let replacement = account.replacement {
        throw .signIn(.tokenRejected(replacement, attempt.request.url.origin))
      }
      return nil
    } catch {
      return error
    }
  }

  /// Renews a rejected token, or has a session's backend confirm it.
  ///
  /// - Parameters:
  ///   - attempt: The request; afterwards with the updated account and its token.
  ///   - sent: The rejected attempt. Another process may have replaced its token since; the new one has not been
  ///     rejected, and is renewed only if it is.
  /// - Returns: The result as an event; the credentials are kept in every case.
  func renewal(of attempt: inout RequestAttempt, after sent: Sent) async -> RetryStateMachine.Event {
    var byAnother = false
    do throws(EngineError) {
      if let purpose = try attempt.purpose {
        attempt.grant = try await Renewal(context)
          .secondToken(for: purpose, of: attempt.account, because: .refused(sent.authorization.token))
      } else if attempt.account.sendsIDToken(to: attempt.request.url) {
        attempt.grant = try await TokenProvider(context, .allowed).idToken(of: attempt.account, leaving: .max)
      } else {
        let outcome = try await Renewal(context).renew(attempt.account, because: .refused(sent.authorization.token))
        attempt.account = outcome.credentials.account
        attempt.grant = try outcome.grant(at: context.world.clock.now())
        byAnother = !outcome.wasDue
      }
    } catch {
      return .notRenewed(error)
    }
    let canRepeat = await attempt.canRepeat
    return .renewed(attempt.request.url.origin, canRepeat: canRepeat, byAnother: byAnother)
  }

  /// The step-up that a response requires from the user, if it does.
  ///
  /// Only an account whose server grants scopes can sign in for more.
  func stepUp(for head: ResponseHead, _ attempt: RequestAttempt) async -> EngineError? {
    guard attempt.account.kind == .oauth,
      let challenge = StepUpChallenge(status: head.status, fields: head.fields, redacting: context.world.held.redactor)
    else { return nil }
    var stepUp = StepUp(
      account: attempt.account,
      origin: attempt.request.url.origin,
      challenge: challenge,
      purpose: attempt.request.purpose,
      granted: attempt.account.scope
    )
    if let purpose = try? attempt.purpose, attempt.account.hasResource(of: purpose) {
      // What each resource's token has is kept apart. An item that can't be read now leaves the scope unknown.
      let tokens = try? await CredentialStore(of: attempt.account, in: context).secondTokens()
      stepUp.isSecondToken = true
      stepUp.granted = tokens?[purpose]?.granted
    }
    return .request(.stepUp(stepUp))
  }

  /// The demand of a resource server for a bearer token where the account's are bound to a key.
  ///
  /// A renewal would bring another bound one. `invalid_token` alone may be about a token that was read, so the renewed
  /// one is tried before that is taken for such a demand; no error at all is the answer to a request in which the server
  /// finds no token (RFC 6750, section 3.1).
  func bearerDemand(by head: ResponseHead, _ attempt: RequestAttempt) -> EngineError? {
    guard attempt.account.tokenType == .dpop, !attempt.account.sendsIDToken(to: attempt.request.url),
      let challenge = DPoPRefusal.bearerChallenge(status: head.status, headers: head.fields),
      challenge.parameters["error"] != "invalid_token" || !attempt.retry.mayRenew
    else { return nil }
    return .request(.bearerOnly(attempt.account, attempt.request.url.origin))
  }
}

/// The meaning of a request's last answer for a token that can't be renewed.
extension MakeRequest {
  /// Stores that the server has rejected the token, or accepts it after all.
  ///
  /// Only the account's own token counts: for a second token, and where the server demands a proof or a sign-in of
  /// another kind, a 401 says nothing about it.
  ///
  /// - Parameters:
  ///   - answer: The answer to deliver.
  ///   - sent: The last attempt.
  ///   - attempt: The request.
  /// - Returns: The answer; if a rejection could not be stored, with the reason.
  /// - Throws: ``EngineError``: the account's tokens do not fit the request.
  func settled(_ answer: Answer, _ sent: Sent, _ attempt: RequestAttempt) async throws(EngineError) -> Answer {
    let (account, status) = (attempt.account, answer.response.head.status)
    let isRejected = status == 401 && account.keepsRejection
    let isAccepted = (200..<300).contains(status) && account.recordedState.rejection != nil
    guard isRejected || isAccepted, try attempt.purpose == nil else { return answer }
    var answer = answer
    if isRejected {
      guard answer.cause?.isAboutKind != true,
        await !answer.response.refusalCodes().contains(where: { $0.isAboutProofs })
      else { return answer }
    }
    let verdict =
      isRejected ? Rejection(by: sent.origin, path: attempt.request.url.path, at: context.world.clock.now()) : nil
    let token = sent.authorization.token
    do throws(EngineError) {
      try await aside { () async throws(EngineError) in
        try await TokenVerdict(context).record(verdict, on: token, of: account)
      }
    } catch {
      // An acceptance that is not stored is stored by the next one.
      if isRejected { answer.cause = answer.cause ?? error }
    }
    return answer
  }
}

extension EngineError {
  /// `true` for a demand for a sign-in, or a token, of another kind.
  fileprivate var isAboutKind: Bool {
    switch request {
    case .stepUp, .bearerOnly: true
    default: false
    }
  }
}

extension String {
  /// `true` for the codes of a proof that was not accepted (RFC 9449, sections 5 and 9).
  fileprivate var isAboutProofs: Bool { self == "use_dpop_nonce" || self == "invalid_dpop_proof" }
}
