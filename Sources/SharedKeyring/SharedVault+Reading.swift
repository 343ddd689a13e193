import AcctModel
import AcctPorts
import FleetPorts

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

/// Names are unique among the accounts of a keyring: each has an object of its own, which names its account.
///
/// A name is taken before its account is stored, and freed after. A process that is killed in between leaves an
/// object behind, which the next account that wants the name finds: its holder is not there, or has another name.
extension SharedVault {
  /// Takes a name for an account.
  func reserve(_ name: AccountName, for id: AccountID, _ session: Session, _ seal: Seal) throws(SharedAccountFailure) {
    do throws(KeyringFailure) {
      // What is made under a former key would open nowhere.
      if seal.keys.opened.header != nil { try seal.keys.confirm() }
      let place = session.places.name(try seal.digest(of: name))
      let bytes = try seal.sealed(id, at: place)
      var version: Int64?
      for _ in 0..<8 {
        let taken = try ask { () throws(SharedStoreFailure) in try session.store.swap(place, bytes, version) }
        if taken != nil { return }
        let reading = try ask { () throws(SharedStoreFailure) in try session.store.get(place) }
        version = reading.object?.version
        guard let object = reading.object else { continue }
        // One that a removed machine wrote, or one that was killed while the key changed, says who to look for. What no
        // key opens names no one.
        guard let holder = try seal.local.holderIfWhole(object.bytes, at: place) else { continue }
        if holder == id, try !seal.isOutdated(object.bytes) { return }
        if try has(holder, name, session, seal) { break }
      }
    } catch {
      throw .keyring(error)
    }
    throw .nameTaken
  }

  /// Frees the former name of an account that was stored under another one.
  ///
  /// The new one is looked at again first: another machine may have taken it for left behind, while this account was
  /// not stored yet. Then the change is undone.
  func settleName(
    _ account: SharedAccount,
    former: SharedObject?,
    _ session: Session,
    _ seal: Seal
  ) throws(SharedAccountFailure) {
    do throws(KeyringFailure) {
      let place = session.places.name(try seal.digest(of: account.name))
      let reading = try ask { () throws(SharedStoreFailure) in try session.store.get(place) }
      if let object = reading.object, let object = try settled(object, session, seal),
        try seal.holder(object.bytes, at: place) == account.id
      {
        if let name = former?.name { release(name, of: account.id, session, seal) }
        return
      }
      try undo(account.id, to: former, session, seal)
    } catch {
      // The account is stored; a name that could not be checked is as rare as it is harmless.
      guard case .engine = error else { throw .keyring(error) }
      return
    }
    throw .nameTaken
  }

  /// Frees a name if it is this account's.
  ///
  /// A name that can't be freed is left behind, and found by the next account that wants it.
  func release(_ name: AccountName, of id: AccountID, _ session: Session, _ seal: Seal) {
    guard let place = (try? seal.digest(of: name)).map(session.places.name),
      let object = (try? session.store.get(place))?.object, (try? seal.holder(object.bytes, at: place)) == id
    else { return }
    _ = try? session.store.swap(place, nil, object.version)
  }

  private func has(
    _ id: AccountID,
    _ name: AccountName,
    _ session: Session,
    _ seal: Seal
  ) throws(KeyringFailure) -> Bool {
    let place = session.places.account(id)
    let reading = try ask { () throws(SharedStoreFailure) in try session.store.get(place) }
    guard let object = reading.object, let object = try settled(object, session, seal),
      try !seal.isOutdated(object.bytes)
    else { return false }
    return try seal.object(object.bytes, of: id, at: place).name == name
  }

  private func undo(
    _ id: AccountID,
    to former: SharedObject?,
    _ session: Session,
    _ seal: Seal
  ) throws(KeyringFailure) {
    guard let copy = try copies.copy(of: id) else { return }
    let place = session.places.account(id)
    let undone = former ?? .removed(generation: copy.generation)
    let sealed = try seal.sealed(undone, over: copy.generation, at: place)
    let version = try ask { () throws(SharedStoreFailure) in try session.store.swap(place, sealed.bytes, copy.version) }
    guard let version else { return }
    guard former == nil else { return keep(sealed.copy(version), of: id) }
    try copies.alone { () throws(KeyringFailure) in try copies.noteRemoval(of: id, sealed.generation, sealed.bytes) }
  }
}

/// A change to an account's object that is to be stored.
struct Change {
  var account: AccountID
  /// The object that it was made from; `nil` for an account that is to be made.
  @Boxed var base: SharedObject? = nil
  /// The version of ``base``.
  var version: Int64?
  /// The object as the change makes it.
  @Boxed var wanted: SharedObject
  /// ``wanted``, sealed with a generation of its own.
  @Boxed var sealed: SealedObject
  /// The process that makes it, or has made it.
  var writer: LockOwner
  /// `true` if ``base`` has the credential that was, or may have been, spent for it.
  var isAnswer: Bool
  /// `true` if the items of ``wanted`` are all that the account has then.
  var replacing: Bool
  /// Credentials that count as spent besides that of ``base``: earlier answers brought them, and the engine may have
  /// any of them.
  var alsoSpent: [SharedObject.Credential?] = []
  /// `true` if it can be given up where another machine was faster, since its maker makes it anew.
  var isRepeatable = false

  /// The result of a change.
  enum Outcome: Equatable {
    case stored
    /// Another machine's is newer.
    case superseded
    /// Another machine has removed the account.
    case removed
  }

  /// This change, made in the object that another machine has stored in the meantime.
  func merged(into theirs: SharedObject) -> SharedObject {
    let write = write(over: theirs)
    var merged = SharedObject.merged(base: base ?? SharedObject(), mine: wanted, theirs: theirs, replacing: replacing)
    merged.lock = write.lock(afterMerging: theirs.lock)
    return merged
  }

  /// The decision about the object that was found after the write was refused, or not answered.
  func next(after found: SharedObject?) -> NextWrite {
    write(over: found).next(
      found: found.map { found in
        var mine = merged(into: found)
        mine.lock = found.lock
        return UnconfirmedWrite.Found(
          credential: found.credential,
          lockOwner: found.lock?.owner,
          hasAll: mine.holdsSame(as: found)
        )
      }
    )
  }

  private func write(over found: SharedObject?) -> UnconfirmedWrite<SharedObject.Credential> {
    let basis: UnconfirmedWrite<SharedObject.Credential>.Basis =
      if let base { isAnswer ? .spent(spent(base, found)) : .copy } else { .nothing }
    return UnconfirmedWrite(owner: writer, basis: basis, wanted: wanted.credential)
  }

  /// The credential that was spent: an earlier answer's, if the engine has that one after all.
  private func spent(_ base: SharedObject, _ found: SharedObject?) -> SharedObject.Credential? {
    guard let found, alsoSpent.contains(found.credential) else { return base.credential }
    return found.credential
  }
}

extension SharedVault {
  /// Stores a change: another machine sees all of it or nothing.
  ///
  /// - Throws: ``KeyringFailure/engine(_:)`` if it is not known whether it is stored; ``KeyringFailure/rolledBack``.
  func commit(_ change: Change, _ session: Session, _ seal: Seal) throws(KeyringFailure) -> Change.Outcome {
    let place = session.places.account(change.account)
    var (sealed, version) = (change.sealed, change.version)
    // Each refusal is another machine's progress.
    for _ in 0..<16 {
      var failure: SharedStoreFailure?
      do {
        if let stored = try session.store.swap(place, sealed.bytes, version) {
          settle(sealed.copy(stored), of: change.account)
          return .stored
        }
      } catch {
        failure = error
      }
      let look: Look
      do { look = try self.look(session, seal, change.account) } catch {
        throw failure.map(KeyringFailure.engine) ?? error
      }
      guard !look.isRolledBack else { throw .rolledBack }
      if let failure, look.object?.version == version { throw .engine(failure) }
      let theirs = look.contents
      switch change.next(after: theirs) {
      case .done:
        if let copy = look.copy { settle(copy, of: change.account) }
        return .stored
      case .superseded:
        if let copy = look.copy { settle(copy, of: change.account) }
        return .superseded
      case .removed:
        try forget(change.account, look)
        return .removed
      case .again:
        if change.isRepeatable {
          if let copy = look.copy { settle(copy, of: change.account) }
          return .superseded
        }
        let next = theirs.map(change.merged) ?? change.wanted
        let generation = max(look.generation, try copies.removal(of: change.account) ?? 0)
        sealed = try seal.sealed(next, over: generation, at: place)
        version = look.object?.version
      }
    }
    throw .engine(.timedOut)
  }

  /// Keeps the engine's object as the copy, and its version.
  private func settle(_ copy: CopyFile, of id: AccountID) {
    keep(copy, of: id)
    note(copy.version, of: id)
    guard let known = try? copies.known() else { return }
    var standing = known.standing
    standing.revision = max(standing.revision, copy.version)
    copies.learn(standing)
  }
}
