import AcctModel
import AcctPorts
import AcctProtocol

/// What an attempt writes down: the new session first, since with it the rest can be asked for again.
extension SessionRenewalAttempt {
  /// Keeps the session that an answer put in place of the one that was sent, whatever else the
  /// answer says: a backend may take no other from then on.
  mutating func keep(_ rotated: RotatedCookie?) async throws(EngineError) {
    guard let rotated else { return }
    try requireOwn(rotated.owner)
    try await store(rotated.session)
  }

  /// Keeps what the backend confirmed.
  mutating func keep(_ details: SessionDetails) throws(EngineError) {
    try requireOwn(details.owner)
    account.keep(details, at: context.world.clock.now())
  }

  /// Keeps a new session whose end is not known yet.
  mutating func replace(_ sealed: SealedSession) async throws(EngineError) {
    account.tokenLifetime.expiresAt = nil
    account.take(.confirmed, at: context.world.clock.now())
    try await store(sealed)
  }

  private mutating func store(_ sealed: SealedSession) async throws(EngineError) {
    guard sealed.token != session else { return }
    try await KeyringRetry(context).write([.init(.session, sealed.token.secret)], with: account, to: credentialStore)
    session = sealed.token
    needsClaim = mayBeSent != nil
  }

  mutating func requireOwn(_ owner: SessionOwner) throws(EngineError) {
    do throws(EngineError) { try account.require(owner, backend.origin, context.world.held) } catch {
      throw try settled(error)
    }
  }
}

extension Account {
  /// Takes over what a backend confirmed of its session.
  mutating func keep(_ details: SessionDetails, at now: Timestamp) {
    handle = details.owner.handle ?? handle
    displayName = details.displayName ?? displayName
    tokenLifetime.expiresAt = details.expiresAt
    take(.confirmed, at: now)
  }

  /// Rejects what a backend says of another user's session.
  ///
  /// - Throws: ``SessionError/otherIdentity(expected:found:_:)``.
  func require(_ owner: SessionOwner, _ origin: Origin, _ held: HeldSecrets) throws(EngineError) {
    guard let stranger = owner.stranger(to: did, handle) else { return }
    throw .session(.otherIdentity(expected: stranger.expected, found: held.redactor.redact(stranger.found), origin))
  }
}
