import AcctModel
import AcctPorts

/// An account's object as the engine has it, and whether that is to be taken for the latest.
struct Look {
  /// The account; `nil` if there is none, or only the trace of its removal.
  var contents: SharedObject?
  /// The object at the account's place, a trace as well; a swap is guarded by its version.
  var object: SharedStore.Object?
  /// Of that object; 0 without one.
  var generation: Int64 = 0
  /// `true` if the engine, or the object, is older than, or another than, the one known.
  var isRolledBack: Bool

  /// The account's copy; `nil` if there is no account.
  var copy: CopyFile? {
    guard contents != nil, let object else { return nil }
    return CopyFile(object, generation: generation)
  }
}

extension SharedVault {
  /// Reads an account's object from the engine.
  ///
  /// - Throws: ``KeyringFailure/engine(_:)``; ``KeyringFailure/damagedAccount(_:_:)``.
  func look(_ session: Session, _ seal: Seal, _ id: AccountID) throws(KeyringFailure) -> Look {
    // From before the question: a parallel process may learn more from a later answer meanwhile.
    let known = try copies.known()
    let (copy, seen) = try copies.seen(of: id)
    let key = session.places.account(id)
    var reading = try ask { () throws(SharedStoreFailure) in try session.store.get(key) }
    let hasGoneBack = hasGoneBack(reading.standing, known)
    if !hasGoneBack, let object = reading.object { reading.object = try settled(object, session, seal) }
    var look = Look(object: reading.object, isRolledBack: hasGoneBack)
    if let copy {
      look.isRolledBack =
        look.isRolledBack
        || reading.object.map { StandingCheck.contradicts($0, copy: copy.object(at: key)) }
          ?? (reading.standing.revision < copy.version)
    }
    if !look.isRolledBack, let object = reading.object {
      let opened = try seal.object(object.bytes, of: id, at: key)
      look.generation = opened.generation
      look.contents = opened.isRemoved ? nil : opened
      let found = OpenedObject(id: id, contents: opened, object: object)
      look.isRolledBack = seen.isContradicted(by: found, besides: copy)
    } else if !look.isRolledBack {
      look.isRolledBack = seen.isContradicted(by: nil, isSame: false)
    }
    isConfirmed = !look.isRolledBack
    note(rolledBack: look.isRolledBack, id)
    return look
  }

  /// `true` if an answer comes from an older or another engine than the one known.
  func hasGoneBack(_ standing: SharedStore.Standing, _ known: KnownKeyring?) -> Bool {
    StandingCheck(known: known?.standing, now: standing) == .rolledBack
  }

  /// Makes sure that the engine goes on from the known standing, before something is changed on it.
  ///
  /// - Throws: ``KeyringFailure/rolledBack``, also where the latest answer about the account was an older object.
  func confirm(_ session: Session, _ id: AccountID? = nil) throws(KeyringFailure) {
    if let id, isRolledBack(id) { throw .rolledBack }
    guard !isConfirmed else { return }
    let known = try copies.known()
    let reading = try ask { () throws(SharedStoreFailure) in try session.store.get(session.places.header) }
    guard !hasGoneBack(reading.standing, known) else { throw .rolledBack }
    isConfirmed = true
  }

  /// Brings this machine's copy of an account up to date, after storing a pending answer.
  ///
  /// While the engine is older than its known standing, the copies stay as they are: no other may be left.
  ///
  /// - Returns: The record, or `nil` if there is no such account (any more).
  func fetch(_ session: Session, _ id: AccountID, _ interaction: Interaction) throws(KeyringFailure) -> [UInt8]? {
    // A process that asks anew gives up its claim.
    hold(nil, of: id)
    let seal = try seal(session, interaction)
    do { _ = try storePending(session, seal, id) } catch { guard error == .rolledBack else { throw error } }
    guard let object = try current(session, seal, id) else { return nil }
    guard object.isAccount else { throw .damagedAccount(id, .notThisAccount) }
    return object.record
  }

  /// The account as the engine has it now, which is this machine's copy from then on.
  ///
  /// - Throws: ``KeyringFailure/rolledBack`` where the engine has gone back, and this machine has no copy.
  func current(_ session: Session, _ seal: Seal, _ id: AccountID) throws(KeyringFailure) -> SharedObject? {
    let look = try look(session, seal, id)
    if look.isRolledBack {
      guard let copy = try copies.copy(of: id) else { throw .rolledBack }
      return try seal.local.object(copy.bytes, of: id, at: session.places.account(id))
    }
    guard let contents = look.contents, let copy = look.copy else {
      try forget(id, look)
      sightings.remove(id)
      return nil
    }
    keep(copy, of: id)
    note(copy.version, of: id)
    return contents
  }

  /// Forgets the copy of an account that is no more, and notes its removal.
  func forget(_ id: AccountID, _ look: Look) throws(KeyringFailure) {
    try copies.alone { () throws(KeyringFailure) in
      try copies.noteRemoval(of: id, look.generation, look.object?.bytes ?? [])
    }
  }

  /// The generation that the next write of an account follows: its object's, else that of its removal.
  func lastGeneration(of id: AccountID, _ object: SharedObject?) throws(KeyringFailure) -> Int64 {
    if let object { return object.generation }
    return try copies.removal(of: id) ?? 0
  }

  /// Keeps the engine's object as the copy.
  func keep(_ copy: CopyFile, of id: AccountID) { copies.keep(copy, of: id) }
}
