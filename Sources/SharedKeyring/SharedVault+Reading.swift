import AcctModel
import AcctPorts

/// An account's object as the engine has it, and whether that is to be taken for the latest.
struct Look {
  var object: SharedStore.Object?
  /// Whether the engine is older than, or another than, the one known.
  var isRolledBack: Bool
  /// Of the moment.
  var standing: SharedStore.Standing
}

extension SharedVault {
  /// Reads an account's object from the engine.
  ///
  /// - Throws: ``KeyringFailure/engine(_:)``.
  func look(_ session: Session, _ id: AccountID) throws(KeyringFailure) -> Look {
    // From before the question: a parallel process may learn more from a later answer meanwhile.
    let known = try copies.known()
    let copy = try copies.copy(of: id)
    let key = session.places.account(id)
    let reading = try ask { () throws(SharedStoreFailure) in try session.store.get(key) }
    var isRolledBack = hasGoneBack(reading.standing, known)
    if let copy {
      isRolledBack =
        isRolledBack
        || reading.object.map { StandingCheck.contradicts($0, copy: copy.object(at: key)) }
          ?? (reading.standing.revision < copy.version)
    }
    isConfirmed = !isRolledBack
    return Look(object: reading.object, isRolledBack: isRolledBack, standing: reading.standing)
  }

  /// Whether an answer comes from an older or another engine than the one known.
  func hasGoneBack(_ standing: SharedStore.Standing, _ known: KnownKeyring?) -> Bool {
    StandingCheck(known: known?.standing, now: standing) == .rolledBack
  }

  /// Makes sure that the engine goes on from what is known, before something is changed on it.
  ///
  /// - Throws: ``KeyringFailure/rolledBack``.
  func confirm(_ session: Session) throws(KeyringFailure) {
    guard !isConfirmed else { return }
    let known = try copies.known()
    let reading = try ask { () throws(SharedStoreFailure) in
      try session.store.get(session.places.header)
    }
    guard !hasGoneBack(reading.standing, known) else { throw .rolledBack }
    isConfirmed = true
  }

  /// Brings this machine's copy of an account up to date, after storing what is pending.
  ///
  /// While the engine is older than what is known, the copies stay as they are: they may be all that is left.
  ///
  /// - Returns: The record, or `nil` if there is no such account (any more).
  func fetch(
    _ session: Session,
    _ id: AccountID,
    _ interaction: Interaction
  ) throws(KeyringFailure) -> [UInt8]? {
    // A process that asks anew gives up its claim.
    hold(nil, of: id)
    let seal = try seal(session, interaction)
    do { _ = try storePending(session, seal, id) } catch {
      guard error == .rolledBack else { throw error }
    }
    return try current(session, seal, id)?.record
  }

  /// The account as the engine has it now, which is this machine's copy from then on.
  func current(
    _ session: Session,
    _ seal: Seal,
    _ id: AccountID
  ) throws(KeyringFailure) -> SharedObject? {
    let look = try look(session, id)
    let place = session.places.account(id)
    if look.isRolledBack {
      if let copy = try copies.copy(of: id) { return try seal.object(copy.bytes, at: place) }
      guard let object = look.object else { throw .rolledBack }
      return try seal.object(object.bytes, at: place)
    }
    guard let object = look.object else {
      try copies.remove(id)
      sightings.remove(id)
      return nil
    }
    // Opened first: a good copy is not given up for what does not open.
    let opened = try seal.object(object.bytes, at: place)
    keep(CopyFile(object), of: id)
    note(object.version, of: id)
    return opened
  }

  /// Keeps what the engine has as the copy.
  func keep(_ copy: CopyFile, of id: AccountID) { copies.keep(copy, of: id) }
}
