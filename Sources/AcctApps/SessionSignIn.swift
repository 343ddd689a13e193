import AcctConsole
import AcctEngine
package import AcctModel
import AcctPorts
package import AcctProtocol
import Release
import Secrets
import StrictJSON

/// Signs in at a backend-for-frontend, which keeps the tokens and issues a sealed session.
struct SessionSignIn: Sendable {
  private let context: EngineContext

  init(_ context: EngineContext) { self.context = context }

  /// The user's request.
  struct Request: Sendable {
    let backend: Origin
    /// The identity to sign in; `nil` leaves that to the backend's own page.
    let handle: Handle?
    let route: CallbackRoute

    /// Parses a request as it was typed, or kept.
    init(_ backend: String, for handle: String?, _ route: CallbackRoute) throws(ParseError) {
      self.backend = try Origin(backend)
      self.handle = try handle.map { text throws(ParseError) in try Handle(text) }
      self.route = route
    }

    /// The sign-in that it asks for; see ``AppSignIn/init(_:namesPerson:to:signIn:)``.
    func signIn(to account: Account? = nil) -> AppSignIn {
      let settings = route.settings(at: backend.description, for: handle?.description)
      return AppSignIn(settings, namesPerson: handle != nil, to: account) {
        (context, report) async throws(EngineError) in
        try await SessionSignIn(context).signIn(self, report: report)
      }
    }
  }

  /// Signs in.
  ///
  /// The callback proves nothing by itself; its contents count once the backend confirms them. Only if the backend
  /// can't be reached for that are they trusted, with a warning.
  ///
  /// - Parameters:
  ///   - request: The user's request.
  ///   - report: Takes the prompts to show while it waits.
  /// - Returns: Credentials that are not stored yet, of the requested identity.
  /// - Throws: ``EngineError``; nothing is left behind.
  func signIn(
    _ request: Request,
    report: @escaping @Sendable (SignInPrompt) -> Void
  ) async throws(EngineError) -> NewCredentials {
    let backend = SessionBackend(request.backend, context)
    // The verifier stays here: the backend's callback brings no code that it could be sent with.
    let pkce = PKCE(random: context.world.entropy.bytes(32))
    context.world.held.hold(pkce.verifier)
    let callback = try await BackendCallback(context).receive(
      request.route,
      requiring: ["session_token", "did", "handle"],
      report: report,
      start: { () async throws(EngineError) -> HTTPURL in
        guard let handle = request.handle else { return try backend.page() }
        return try await backend.start(handle, challenge: pkce.challenge)
      },
      accept: { parameters throws(CallbackFlaw) in try SessionCallback(parameters, expecting: request.handle) }
    )
    var credentials = NewCredentials(callback, request.backend)
    do throws(EngineError) {
      try await confirm(&credentials, at: backend)
    } catch {
      if case .otherIdentity(let asked, let found, let origin)? = error.session, asked == request.handle?.description {
        await UnwantedSession(context).revoke(credentials, of: found, report: report)
        throw .backend(.otherPerson(asked: asked, found: found, origin))
      }
      guard error.leavesOpen else { throw error }
      report(.told("the session could not be checked yet: \(ErrorMessage(error).text)"))
    }
    return credentials
  }

  /// Asks the backend to confirm the callback's contents; one exception of its own is allowed.
  private func confirm(_ credentials: inout NewCredentials, at backend: SessionBackend) async throws(EngineError) {
    var word = try await backend.validate(credentials.token)
    if case .exceptionThrown(let reason) = word.answer, let pause = firstPause() {
      let cause = EngineError.signIn(.refused(code: reason, description: nil))
      try await context.world.clock.pause(pause, because: cause, context.report)
      word = try await backend.validate(credentials.token)
    }
    if let rotated = word.rotated {
      // Even if the answer decides nothing else, or names another user: a backend may accept no other from now on.
      credentials.token = rotated.session.token
      try requireSame(rotated.owner, credentials, backend.origin)
    }
    switch word.answer {
    case .valid(let details):
      try requireSame(details.owner, credentials, backend.origin)
      credentials.displayName = details.displayName
      credentials.tokenLifetime.expiresAt = details.expiresAt
      credentials.validatedAt = context.world.clock.now()
    case .ended(let reason), .exceptionThrown(let reason), .refused(let reason):
      throw .signIn(.refused(code: reason, description: nil))
    case .unanswered(let noAnswer): throw EngineError(noAnswer, backend.origin)
    }
  }

  private func firstPause() -> Int64? {
    var backOff = BackOff()
    return backOff.next(context.world.entropy)
  }

  private func requireSame(_ owner: SessionOwner, _ credentials: NewCredentials, _ origin: Origin) throws(EngineError) {
    let pairs = [
      (credentials.handle?.description, owner.handle?.description),
      (credentials.did?.description, owner.did?.description),
    ]
    for case (let expected?, let found?) in pairs where expected != found {
      throw .session(.otherIdentity(expected: expected, found: context.world.held.redactor.redact(found), origin))
    }
  }
}

extension NewCredentials {
  /// The contents of a backend's callback, not confirmed yet.
  fileprivate init(_ callback: SessionCallback, _ backend: Origin) {
    self.init(
      .session,
      callback.session.token,
      as: .session,
      of: Identity(subject: callback.did.description, issuer: nil, clientID: nil),
      from: backend,
      until: TokenLifetime(expiresAt: nil, canRenew: true)
    )
    handle = callback.handle
    did = callback.did
  }
}

extension EngineError {
  /// `true` if such a failure of the backend says nothing about the session.
  fileprivate var leavesOpen: Bool {
    switch self {
    case .network(.http(let failure, _)): failure.mayPass
    case .server(.rateLimited), .server(.failed), .server(.renewalFailed), .server(.signInFailed): true
    case .network, .server(.oauth), .server(.renewalUnread), .server(.resource), .server(.otherUser), .selection,
      .authorization, .input, .inputToken, .keyring, .key, .signIn, .provider, .atproto,
      .transfer, .told, .files, .cancelled:
      false
    }
  }
}

/// The start of a sign-in at a backend-for-frontend: `POST /api/auth/mobile-start`.
package enum MobileStart: Sendable {
  /// The address that the browser opens.
  case started(HTTPURL)
  /// The backend refused, in its own words.
  case refused(reason: String)
  /// Any other answer.
  case unanswered(NoAnswer)

  /// The request's body.
  ///
  /// - Parameters:
  ///   - handle: The handle of the user who signs in.
  ///   - challenge: PKCE's, with S256.
  /// - Returns: JSON.
  package static func body(handle: Handle, challenge: String) -> [UInt8] {
    let json: JSON = ["handle": .string(handle.description), "code_challenge": .string(challenge)]
    return json.serialized()
  }

  /// Classifies an answer.
  package init(_ answer: ServerAnswer) {
    switch (answer.status, answer.errorCode) {
    case (200, _) where answer.object != nil:
      do { self = try Self.start(answer) } catch { self = .unanswered(.failed(error)) }
    case (400..<500, let reason?) where answer.status != 429: self = .refused(reason: reason)
    default: self = .unanswered(answer.noAnswer)
    }
  }

  private static func start(_ answer: ServerAnswer) throws(OAuthError) -> MobileStart {
    if answer.object?["success"] == .bool(false) {
      return .refused(reason: answer.errorCode ?? "the backend did not say why")
    }
    guard answer.object?["success"] == .bool(true) else { throw .malformedAnswer(member: "success") }
    guard let address = try answer.object?.parsed("authUrl", HTTPURL.init) else {
      throw .malformedAnswer(member: "authUrl")
    }
    return .started(address)
  }
}

/// The contents of a backend's callback: a sealed session, and its owner.
struct SessionCallback: Equatable, Sendable {
  let session: SealedSession
  let did: DID
  let handle: Handle

  /// Reads the parameters of a callback.
  ///
  /// `access_token` and `refresh_token` may be there as well; they belong to the backend.
  /// Nothing in it proves where it came from: the caller has the backend confirm it.
  ///
  /// - Parameters:
  ///   - parameters: Each once.
  ///   - expected: The requested handle, if there was one.
  /// - Throws: ``CallbackFlaw``, for a parameter that is missing or malformed, or another
  ///   identity's handle.
  init(_ parameters: QueryParameters, expecting expected: Handle?) throws(CallbackFlaw) {
    session = try Self.read("session_token", in: parameters) { text throws(ParseError) in try SealedSession(text) }
    did = try Self.read("did", in: parameters, DID.init)
    handle = try Self.read("handle", in: parameters, Handle.init)
    guard expected == nil || expected == handle else { throw .mismatched(name: "handle") }
  }

  private static func read<Value>(
    _ name: String,
    in parameters: QueryParameters,
    _ parse: (String) throws(ParseError) -> Value
  ) throws(CallbackFlaw) -> Value {
    guard let text = parameters[name] else { throw .incomplete(missing: name) }
    do { return try parse(text) } catch { throw .unfit(name: name) }
  }
}
