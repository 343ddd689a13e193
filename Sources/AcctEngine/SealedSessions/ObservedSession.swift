import AcctModel
import AcctPorts
import AcctProtocol

/// Takes over the session that a backend rolled by an answer to another program.
///
/// Where a backend takes none but the newest session, `acct header URL | curl` would else lose it.
/// But what stands in the headers proves nothing: they may be old, or those of a redirect's end, and
/// another user's session would have the user act as that one. So the backend is asked, and it is
/// kept only if the backend says that it goes on, and is this account's.
struct ObservedSession: Sendable {
  private let context: EngineContext

  init(_ context: EngineContext) { self.context = context }

  /// Keeps the session that a head brought, if there is one that is not kept yet.
  ///
  /// - Parameters:
  ///   - head: As another program printed it.
  ///   - origin: Whose answer; another origin's cookies are no sessions of the backend's.
  ///   - account: Whose session the request carried.
  /// - Returns: What the user should know where it was not kept.
  /// - Throws: ``EngineError``: the backend gave no answer or names another user, or the keyring
  ///   can't take it. What was kept before is then still kept.
  func keep(from head: PrintedHead, of origin: Origin, for account: Account) async throws(EngineError) -> Notice? {
    guard account.kind == .session, origin == account.service, head.status != 401,
      let observed = RotatedCookie.session(in: head.fields, at: context.world.clock.now())?.token
    else { return nil }
    let held = context.world.signals.holdBack()
    defer { held.release() }
    do {
      return try await Renewal(context).renewing(account) {
        (current, credentialStore) throws(EngineError) -> Notice? in
        guard try await credentialStore.read().token != observed else { return nil }
        // Being asked, the backend may roll it once more: see that the keyring can take that.
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
    let word: SessionBackend.Word<SessionAnswer>
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
      try await KeyringRetry(context).store([.init(.session, session.secret)], with: kept, in: credentialStore)
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
  /// Refuses a session that its backend does not call this account's: that it names no other user is
  /// enough for one that came in answer to the account's own, but not for any other.
  fileprivate func requireNamed(_ owner: SessionOwner, _ origin: Origin, _ held: HeldSecrets) throws(EngineError) {
    try require(owner, origin, held)
    guard owner.did != nil || owner.handle != nil && owner.handle == handle else {
      throw .session(.unnamed(account: name, origin))
    }
  }
}
