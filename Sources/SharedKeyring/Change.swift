import AcctModel
import AcctPorts

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
