import AcctModel
import AcctPorts
import AcctProtocol

/// Keeps the session that a backend puts in place of the one that a user's request carried.
///
/// A backend may take none but the newest; what it rolls by any answer would else be lost.
struct RotatedSession: Sendable {
  private let context: EngineContext

  init(_ context: EngineContext) { self.context = context }

  /// What an answer puts in the old one's place.
  private struct Successor {
    var session: SealedSession
    /// Whom the answer names.
    var owner: SessionOwner
    /// Whether the old one was extended: when the new one ends is not known then.
    var isExtension: Bool
  }

  /// Stores the new session, if there is one and the old one is still what is kept.
  ///
  /// - Parameters:
  ///   - response: The answer; what had to be read of it comes again.
  ///   - method: The request's.
  ///   - url: The request's; another origin's sessions are none of the backend's.
  ///   - sent: The session that the request carried.
  ///   - account: Who made the request.
  /// - Throws: ``EngineError``: the answer is about another user's session, or the keyring can't
  ///   take it, with time to unlock it.
  func keep(
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
    // The lock is held while the keyring is waited for: no other process asks with the old one.
    try await KeyringRetry(context).run(for: account.name.description) {
      (interaction) async throws(EngineError) in
      var context = context
      context.interaction = interaction
      // An engine that can't be asked now is told of it as soon as it is there.
      let credentialStore = try await context.settledCredentials(of: account, allowingCopy: true)
      // A renewal, a sign-in or a later answer may have brought another one meanwhile.
      guard try await credentialStore.read().token == sent else { return }
      let known = credentialStore.account
      let kept = known.keeping(isExtended: isExtension, at: context.world.clock.now())
      try await credentialStore.write([.init(.session, session.secret)], with: kept)
      // Also unchanged: a keyring need not announce it, and a proxy hears of it by the file.
      try credentialStore.saveWritten(kept)
    }
  }

  /// What an answer puts in the old one's place; only an answer about the session names its owner.
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
      // As in a renewal, what the body brings comes after the cookie's.
      if mayExtend, let answer, let extended = try extended(by: answer, isRolled) { return extended }
      let cookie = try RotatedCookie(in: response.head.fields, status: response.head.status, naming: answer, at: now)
      return cookie.map { Successor(session: $0.session, owner: $0.owner, isExtension: false) }
    } catch {
      throw .server(.oauth(error, url.origin))
    }
  }

  /// The session in the body of an answer that extends the old one.
  ///
  /// - Throws: ``OAuthError/malformedAnswer(member:)`` where the backend says that it does, and it
  ///   can't be read; but for a cookie, the session would be lost without a word.
  private func extended(by answer: ServerAnswer, _ isRolled: Bool) throws(OAuthError) -> Successor? {
    switch SessionRefreshAnswer(answer) {
    case .granted(let session, let owner): return Successor(session: session, owner: owner, isExtension: true)
    case .unanswered(.failed(.malformedAnswer(let member))) where !isRolled: throw .malformedAnswer(member: member)
    case .refused, .couldNot, .unanswered: return nil
    }
  }
}

extension Account {
  /// The same with the session that an answer put in the old one's place, or that extends the old one.
  fileprivate func keeping(isExtended: Bool, at now: Timestamp) -> Account {
    var account = self
    // Another process may have shown the backend the old one since, and been told that it is over.
    if recordedState != .signedIn { account.take(.replaced, at: now) }
    if isExtended {
      account.tokenLifetime.expiresAt = nil
      account.take(.confirmed, at: now)
    }
    return account
  }
}
