package import AcctModel
package import AcctPorts
import AcctProtocol
package import Release

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
