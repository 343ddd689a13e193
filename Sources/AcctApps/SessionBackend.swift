package import AcctModel
package import AcctPorts
package import AcctProtocol
package import Release

/// A client of a backend-for-frontend; the sealed session is sent only to its origin.
struct SessionBackend: Sendable {
  let origin: Origin
  private let context: EngineContext

  private static let sessionPath = "/api/auth/session"
  private static let refreshPath = "/mobile/refresh-token"
  /// The paths of the calls whose answers name the session's owner.
  static let paths = [sessionPath, refreshPath]

  /// Returns `true` if a request asks for a new session in place of the one that it carries.
  static func extends(_ method: String, _ url: HTTPURL) -> Bool { method == "GET" && url.path == refreshPath }

  init(_ origin: Origin, _ context: EngineContext) {
    self.origin = origin
    self.context = context
  }

  /// A backend's answer about a session, and the new session in it, if there is one.
  typealias Reply<Answer> = (answer: Answer, rotated: RotatedCookie?)

  /// Asks whether a session is still valid.
  ///
  /// - Parameters:
  ///   - session: The session.
  ///   - mayBeSent: See ``HTTPRequest/mayBeSent``.
  /// - Returns: The backend's answer.
  /// - Throws: ``NetworkError/http(_:_:)`` if there is no answer.
  func validate(
    _ session: Token,
    mayBeSent: (@Sendable () -> Bool)? = nil
  ) async throws(EngineError) -> Reply<SessionAnswer> {
    let (answer, rotated) = try await ask(Self.sessionPath, session, mayBeSent)
    return (SessionAnswer(answer), rotated)
  }

  /// Requests a new session in place of this one.
  ///
  /// - Parameters:
  ///   - session: The session.
  ///   - mayBeSent: See ``HTTPRequest/mayBeSent``.
  /// - Returns: The backend's answer.
  /// - Throws: ``NetworkError/http(_:_:)`` if there is no answer.
  func refresh(
    _ session: Token,
    mayBeSent: (@Sendable () -> Bool)? = nil
  ) async throws(EngineError) -> Reply<SessionRefreshAnswer> {
    let (answer, rotated) = try await ask(Self.refreshPath, session, mayBeSent)
    return (SessionRefreshAnswer(answer), rotated)
  }

  private func ask(
    _ path: String,
    _ session: Token,
    _ mayBeSent: (@Sendable () -> Bool)?
  ) async throws(EngineError) -> Reply<ServerAnswer> {
    let response = try await send("GET", path, session, mayBeSent: mayBeSent)
    let answer = ServerAnswer(response, redacting: context.world.held.redactor)
    let rotated: RotatedCookie?
    do {
      rotated = try RotatedCookie(
        in: response.fields,
        status: response.status,
        naming: answer,
        at: context.world.clock.now()
      )
    } catch {
      // Its owner can't be known; the answer itself is malformed, too, and reported as such.
      rotated = nil
    }
    return (answer, rotated)
  }

  /// Ends a session; returns the status of the answer.
  ///
  /// - Throws: ``NetworkError/http(_:_:)`` if there is no answer.
  func logOut(_ session: Token) async throws(EngineError) -> Int {
    try await send("POST", "/api/auth/logout", session).status
  }

  /// Starts a sign-in.
  ///
  /// - Returns: The address for the browser.
  /// - Throws: ``EngineError``: no answer, or not the expected one.
  func start(_ handle: Handle, challenge: String) async throws(EngineError) -> HTTPURL {
    let body = MobileStart.body(handle: handle, challenge: challenge)
    let response = try await send("POST", "/api/auth/mobile-start", nil, body)
    switch MobileStart(ServerAnswer(response, redacting: context.world.held.redactor)) {
    case .started(let address):
      try Naming.user.document(at: origin).checkedReach(to: address.origin)
      return address
    case .refused(let reason): throw .signIn(.refused(code: reason, description: nil))
    case .unanswered(let noAnswer): throw EngineError(noAnswer, origin)
    }
  }

  /// The page that asks for the handle and starts the sign-in itself.
  func page() throws(EngineError) -> HTTPURL { try origin.url("/mobile-auth") }

  private func send(
    _ method: String,
    _ path: String,
    _ session: Token?,
    _ body: [UInt8]? = nil,
    mayBeSent: (@Sendable () -> Bool)? = nil
  ) async throws(EngineError) -> HTTPResponse {
    var released: Released?
    if let session {
      do { released = try Permit(sessionBackTo: origin).release(session) } catch { throw .authorization(error) }
    }
    let type = body.map { _ in [("Content-Type", "application/json")] } ?? []
    let request = HTTPRequest(
      method: method,
      url: try origin.url(path),
      fields: [("Accept", "application/json")] + type,
      body: body,
      releasing: released,
      timeout: context.timeout,
      mayBeSent: mayBeSent
    )
    do { return try await context.world.transport.send(request) } catch { throw .network(.http(error, origin)) }
  }
}

/// Stores the session that a backend issued in a response to another program.
///
/// A backend that accepts only the newest session would otherwise lose the account's with `acct header URL | curl`.
/// But the headers prove nothing: they may be old, or those of a redirect's target, and another user's session would
/// make the user act as that one. So the backend is asked, and the session is stored only if the backend states that
/// it is valid, and is this account's.
package struct ObservedSession: Sendable {
  private let context: EngineContext

  package init(_ context: EngineContext) { self.context = context }

  /// Stores the session in a response head, if there is one that is not stored yet.
  ///
  /// - Parameters:
  ///   - head: The head as another program printed it.
  ///   - origin: The origin of the response; another origin's cookies are not sessions of the backend.
  ///   - account: The account whose session the request carried.
  /// - Returns: A notice if the backend rejected the session.
  /// - Throws: ``EngineError``: the backend gave no answer or names another user, or the keyring can't store it. The
  ///   earlier session is then still stored.
  package func keep(
    from head: PrintedHead,
    of origin: Origin,
    for account: Account
  ) async throws(EngineError) -> Notice? {
    guard account.kind == .session, origin == account.service, head.status != 401,
      let observed = RotatedCookie.session(in: head.fields, at: context.world.clock.now())?.token
    else { return nil }
    let held = context.world.signals.holdBack()
    defer { held.release() }
    do {
      return try await Renewal(context).renewing(account) {
        (current, credentialStore) throws(EngineError) -> Notice? in
        guard try await credentialStore.read().token != observed else { return nil }
        // The backend may replace it again in its answer, so the keyring must be ready to store that.
        try await credentialStore.prepare()
        return try await uncancelled { () throws(EngineError) in
          try await keep(observed, from: origin, for: current, in: credentialStore)
        }
      }
    } catch .selection(.unknown) {
      return nil
    }
  }

  private func keep(
    _ observed: Token,
    from origin: Origin,
    for account: Account,
    in credentialStore: CredentialStore
  ) async throws(EngineError) -> Notice? {
    let mayBeSent = try await credentialStore.claim(account)
    let backend = SessionBackend(origin, context)
    let word: SessionBackend.Reply<SessionAnswer>
    do { word = try await backend.validate(observed, mayBeSent: mayBeSent) } catch {
      try credentialStore.letGo(account)
      throw error
    }
    switch word.answer {
    case .valid(let details):
      var kept = account
      do throws(EngineError) {
        try kept.requireNamed(details.owner, origin, context.world.held)
      } catch {
        try credentialStore.letGo(account)
        throw error
      }
      let session = word.rotated?.session.token ?? observed
      kept.take(.replaced, at: context.world.clock.now())
      kept.keep(details, at: context.world.clock.now())
      try await KeyringRetry(context).store([.init(.session, session)], with: kept, in: credentialStore)
      return nil
    case .ended(let reason), .exceptionThrown(let reason), .refused(let reason):
      try credentialStore.letGo(account)
      return .observedSessionRefused(account: account.name, reason: reason)
    case .unanswered(let noAnswer):
      try credentialStore.letGo(account)
      throw EngineError(noAnswer, origin)
    }
  }
}

extension Account {
  /// Rejects a session that its backend does not state to be this account's: naming no other user suffices for a
  /// session in a response to the account's own, but not for any other.
  fileprivate func requireNamed(_ owner: SessionOwner, _ origin: Origin, _ held: HeldSecrets) throws(EngineError) {
    try require(owner, origin, held)
    guard owner.did != nil || owner.handle != nil && owner.handle == handle else {
      throw .session(.unnamed(account: name, origin))
    }
  }
}

/// Stores the session by which a backend replaces the one that a user's request carried.
///
/// A backend may accept only the newest; a session that it issues in any response would otherwise be lost.
package struct RotatedSession: Sendable {
  private let context: EngineContext

  package init(_ context: EngineContext) { self.context = context }

  /// A new session in a response.
  private struct Successor {
    var session: SealedSession
    /// The user that the response names.
    var owner: SessionOwner
    /// `true` if the old one was extended: the expiry of the new one is then unknown.
    var isExtension: Bool
  }

  /// Stores the new session, if there is one and the old one is still stored.
  ///
  /// - Parameters:
  ///   - response: The response; the part of its body that is read is returned again.
  ///   - method: The method of the request.
  ///   - url: The URL of the request; another origin's sessions are not the backend's.
  ///   - sent: The session that the request carried.
  ///   - account: The account that made the request.
  /// - Throws: ``EngineError``: the response is about another user's session, or the keyring can't store it, with time
  ///   to unlock it.
  package func keep(
    from response: inout StreamedResponse,
    to method: String,
    _ url: HTTPURL?,
    insteadOf sent: Token,
    for account: Account
  ) async throws(EngineError) {
    guard account.kind == .session, let url, url.origin == account.service,
      let successor = try await successor(in: &response, to: method, url)
    else { return }
    try account.require(successor.owner, url.origin, context.world.held)
    let session = successor.session.token
    guard session != sent else { return }
    let held = context.world.signals.holdBack()
    defer { held.release() }
    let accountStore = context.accountStore
    do {
      try await accountStore.exclusively(account.id) { () throws(EngineError) in
        guard try accountStore.account(account.id) != nil else { return }
        try await keep(session, insteadOf: sent, successor.isExtension, for: account)
      }
    } catch .selection(.unknown) {
      // Another machine has removed the account.
    } catch .keyring(.changedElsewhere) {
      // Another machine has stored a newer one.
    }
  }

  private func keep(
    _ session: Token,
    insteadOf sent: Token,
    _ isExtension: Bool,
    for account: Account
  ) async throws(EngineError) {
    // The lock is held while acct waits for the keyring: no other process sends the old one.
    try await KeyringRetry(context).run(for: account.name.description) {
      (interaction) async throws(EngineError) in
      var context = context
      context.interaction = interaction
      // An engine that can't be asked now gets it as soon as it is available.
      let credentialStore = try await context.settledCredentials(of: account, allowingCopy: true)
      // A renewal, a sign-in or a later response may have stored another one meanwhile.
      guard try await credentialStore.read().token == sent else { return }
      let known = credentialStore.account
      let kept = known.keeping(isExtended: isExtension, at: context.world.clock.now())
      try await credentialStore.write([.init(.session, session)], with: kept)
      // Also if it is unchanged: not every keyring announces the write, and a proxy notices it by the file.
      try credentialStore.saveWritten(kept)
    }
  }

  /// The new session in a response; only a response about the session names its owner.
  private func successor(
    in response: inout StreamedResponse,
    to method: String,
    _ url: HTTPURL
  ) async throws(EngineError) -> Successor? {
    let now = context.world.clock.now()
    let isRolled = RotatedCookie.session(in: response.head.fields, at: now) != nil
    let mayExtend = SessionBackend.extends(method, url)
    guard isRolled || mayExtend else { return nil }
    let answer =
      SessionBackend.paths.contains(url.path)
      ? await response.answer(redacting: context.world.held.redactor) : nil
    do throws(OAuthError) {
      // As in a renewal, the body's session has precedence over the cookie's.
      if mayExtend, let answer, let extended = try extended(by: answer, isRolled) { return extended }
      let cookie = try RotatedCookie(in: response.head.fields, status: response.head.status, naming: answer, at: now)
      return cookie.map { Successor(session: $0.session, owner: $0.owner, isExtension: false) }
    } catch {
      throw .server(.oauth(error, url.origin))
    }
  }

  /// The session in the body of a response that extends the old one.
  ///
  /// - Throws: ``OAuthError/malformedAnswer(member:)`` if the backend states an extension that can't be read; without
  ///   a cookie, the session would be lost silently.
  private func extended(by answer: ServerAnswer, _ isRolled: Bool) throws(OAuthError) -> Successor? {
    switch SessionRefreshAnswer(answer) {
    case .granted(let session, let owner): return Successor(session: session, owner: owner, isExtension: true)
    case .unanswered(.failed(.malformedAnswer(let member))) where !isRolled: throw .malformedAnswer(member: member)
    case .refused, .couldNot, .unanswered: return nil
    }
  }
}

extension Account {
  /// Returns the account with the state for a new session in a response.
  fileprivate func keeping(isExtended: Bool, at now: Timestamp) -> Account {
    var account = self
    // Another process may have sent the old one to the backend since, and recorded its end.
    if recordedState != .signedIn { account.take(.replaced, at: now) }
    if isExtended {
      account.tokenLifetime.expiresAt = nil
      account.take(.confirmed, at: now)
    }
    return account
  }
}
