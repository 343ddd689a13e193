package import AcctModel
import AcctPorts
package import AcctProtocol
import Release

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
