import AcctModel
import AcctPorts
import AcctProtocol

/// What a turn writes down: the new session first, since with it the rest can be asked for again.
extension SessionTurn {
  /// Keeps what the backend confirmed, the new session first.
  mutating func keep(
    _ details: SessionDetails,
    _ rolled: SealedSession?
  ) async throws(EngineError) {
    try requireSame(details.did)
    if let handle = details.handle, handle != account.handle {
      // A DID may change its handle; without the DID it may be anybody's.
      guard details.did != nil || account.handle == nil else {
        throw try foreign(account.handle?.description, handle.description)
      }
      account.handle = handle
    }
    if let rolled { try await store(rolled) }
    account.displayName = details.displayName ?? account.displayName
    account.lease.expiresAt = details.expiresAt
    account.take(.confirmed, at: world.clock.now())
  }

  /// Keeps a new session whose end is not known yet.
  mutating func replace(_ sealed: SealedSession) async throws(EngineError) {
    try await store(sealed)
    account.lease.expiresAt = nil
    account.take(.confirmed, at: world.clock.now())
  }

  private mutating func store(_ sealed: SealedSession) async throws(EngineError) {
    guard sealed.token != session else { return }
    try await Patience(world, tell).write([.init(.session, sealed.token.secret)], to: wallet)
    session = sealed.token
  }

  mutating func requireSame(_ did: DID?) throws(EngineError) {
    guard let did, did != account.did else { return }
    throw try foreign(account.did?.description, did.description)
  }

  private mutating func foreign(
    _ expected: String?,
    _ found: String
  ) throws(EngineError) -> EngineError {
    let expected = expected ?? account.name.description
    return try settled(
      .session(.otherIdentity(expected: expected, found: found, backend.origin))
    )
  }

  /// No answer: the note stays where the backend may have given one.
  mutating func unanswered(_ error: EngineError) throws(EngineError) -> End {
    if !error.mayHaveReachedTheServer && !wasInterrupted { account.renewalStartedAt = nil }
    try save()
    guard case .http(let failure, _) = error, failure.mayPass else { throw error }
    return .again(error)
  }

  mutating func again(_ error: EngineError) throws(EngineError) -> End {
    _ = try done()
    return .again(error)
  }

  mutating func settled(_ error: EngineError) throws(EngineError) -> EngineError {
    _ = try done()
    return error
  }

  /// Takes the note away: nothing is in flight any more.
  mutating func done() throws(EngineError) -> End {
    account.renewalStartedAt = nil
    try save()
    return .done
  }

  func save() throws(EngineError) { try AccountBook(world.files).save(account) }
}

extension HTTPFailure {
  /// Whether the same request may be answered a little later.
  var mayPass: Bool {
    switch self {
    case .unresolved, .unreachable, .timedOut, .closed: true
    case .untrusted, .malformed, .tooLarge, .cancelled, .unsendable, .source, .proxy: false
    }
  }
}
