import AcctEngine
import AcctModel
import AcctPorts
import AcctProtocol
import Release
import Secrets

/// Stores the session by which a backend replaces the one that a user's request carried.
///
/// A backend may accept only the newest; a session that it issues in any response would otherwise be lost.
struct RotatedSession: Sendable {
  private let context: EngineContext

  init(_ context: EngineContext) { self.context = context }

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
  ///   - url: The URL of the request, at the backend.
  ///   - sent: The session that the request carried.
  ///   - account: The account that made the request.
  /// - Throws: ``EngineError``: the response is about another user's session, or the keyring can't store it, with time
  ///   to unlock it.
  func keep(
    from response: inout StreamedResponse,
    to method: String,
    _ url: HTTPURL,
    insteadOf sent: Token,
    for account: Account
  ) async throws(EngineError) {
    guard let successor = try await successor(in: &response, to: method, url) else { return }
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

extension StreamedResponse {
  /// The answer to the user's own call of an endpoint that acct uses, too.
  ///
  /// The part that is read is returned again. A body beyond the limit is no such answer.
  fileprivate mutating func answer(redacting redactor: Redactor) async -> ServerAnswer {
    let body = await peek()
    return ServerAnswer(
      status: head.status,
      contentType: head.field("Content-Type"),
      body: Secret(body.count > Self.refusalLimit ? [] : body),
      redacting: redactor
    )
  }
}

/// Stores the session that a backend issued in a response to another program.
///
/// A backend that accepts only the newest session would otherwise lose the account's with `acct header URL | curl`.
/// But the headers prove nothing: they may be old, or those of a redirect's target, and another user's session would
/// make the user act as that one. So the backend is asked, and the session is stored only if the backend states that
/// it is valid, and is this account's.
struct ObservedSession: Sendable {
  private let context: EngineContext

  init(_ context: EngineContext) { self.context = context }

  /// Stores the session in a response head, if there is one that is not stored yet.
  ///
  /// - Parameters:
  ///   - head: The head as another program printed it.
  ///   - origin: The origin of the response; another origin's cookies are not sessions of the backend.
  ///   - account: The account whose session the request carried.
  /// - Returns: A notice if the backend rejected the session.
  /// - Throws: ``EngineError``: the backend gave no answer or names another user, or the keyring can't store it. The
  ///   earlier session is then still stored.
  func keep(
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
    guard let backend = SessionBackend(of: account, context), backend.origin == origin else { return nil }
    let mayBeSent = try await credentialStore.claim(account)
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
