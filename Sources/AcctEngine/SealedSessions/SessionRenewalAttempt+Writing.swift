import AcctModel
import Secrets
import AcctPorts
import AcctProtocol
import Release

/// The writes of an attempt: the new session first, since all else can be requested again with it.
extension SessionRenewalAttempt {
  /// Stores the new session in a response, whatever else the response says: a backend may accept no other from then
  /// on.
  func keep(_ rotated: RotatedCookie?) async throws(EngineError) {
    guard let rotated else { return }
    try requireOwn(rotated.owner)
    try await store(rotated.session)
  }

  /// Applies the details that the backend confirmed.
  func keep(_ details: SessionDetails) throws(EngineError) {
    try requireOwn(details.owner)
    account.keep(details, at: context.world.clock.now())
  }

  /// Stores a new session whose expiry is not known yet.
  func replace(_ sealed: SealedSession) async throws(EngineError) {
    account.tokenLifetime.expiresAt = nil
    account.take(.confirmed, at: context.world.clock.now())
    context.note(.renewed, of: &account)
    try await store(sealed)
  }

  private func store(_ sealed: SealedSession) async throws(EngineError) {
    guard sealed.token != session else { return }
    try await KeyringRetry(context).write([.init(.session, sealed.token)], with: account, to: credentialStore)
    session = sealed.token
    needsClaim = mayBeSent != nil
  }

  func requireOwn(_ owner: SessionOwner) throws(EngineError) {
    do throws(EngineError) { try account.require(owner, backend.origin, context.world.held) } catch {
      throw try settled(error)
    }
  }
}

extension Account {
  /// Applies the details that a backend confirmed for its session.
  mutating func keep(_ details: SessionDetails, at now: Timestamp) {
    handle = details.owner.handle ?? handle
    displayName = details.displayName ?? displayName
    tokenLifetime.expiresAt = details.expiresAt
    take(.confirmed, at: now)
  }

  /// Rejects a backend's statement about another user's session.
  ///
  /// - Throws: ``SessionError/otherIdentity(expected:found:_:)``.
  func require(_ owner: SessionOwner, _ origin: Origin, _ held: HeldSecrets) throws(EngineError) {
    guard let stranger = owner.stranger(to: did, handle) else { return }
    throw .session(.otherIdentity(expected: stranger.expected, found: held.redactor.redact(stranger.found), origin))
  }
}
