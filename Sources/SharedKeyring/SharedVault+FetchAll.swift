import AcctModel
import AcctPorts
import FleetPorts
import Vault

extension SharedVault {
  /// Brings all copies of this machine up to date, at the cost of the changes.
  ///
  /// It holds no account's lock, and leaves pending answers to those who do.
  func fetchAll(_ session: Session, _ interaction: Interaction) throws(KeyringFailure) -> SharedChanges {
    // The key of the keyring is needed only for objects that have changed.
    _ = try header(session)
    let known = try copies.known()
    let changes = try ask { () throws(SharedStoreFailure) in
      try session.store.changes(session.places.accounts, known?.cursor ?? 0)
    }
    let copied = Set(try copies.accounts())
    let removed = Set(try copies.removals()).subtracting(copied)
    var there = Set(changes.keys.compactMap(session.places.account(at:))).subtracting(removed)
    guard !hasGoneBack(changes.standing, known) else {
      // The copies may be all that is left of accounts that were added since.
      isConfirmed = false
      var changes = SharedChanges(records: [:], accounts: there.union(copied))
      changes.isRolledBack = true
      return changes
    }
    var opened: Seal?
    func seal() throws(KeyringFailure) -> Seal {
      if let opened { return opened }
      let seal = try self.seal(session, interaction)
      opened = seal
      return seal
    }
    let found =
      try changes.objects.isEmpty
      ? [] : whole(changes.objects, session, seal())
    let gone = copied.subtracting(there).subtracting(found.map(\.id))
    let doubtful = try self.doubtful(found, gone)
    for object in found where !doubtful.contains(object.id) {
      if object.contents.isRemoved { there.remove(object.id) } else { there.insert(object.id) }
    }
    // Another process of this machine may have seen a later object since the engine answered: it is asked again.
    var isRolledBack = false
    for id in doubtful where try look(session, seal(), id).isRolledBack {
      isRolledBack = true
      if copied.contains(id) { there.insert(id) } else { there.remove(id) }
    }
    let records = try keep(
      found.filter { !doubtful.contains($0.id) },
      without: gone.subtracting(doubtful),
      asOf: changes.standing
    )
    let cursor = changes.objects.map(\.version).max() ?? 0
    // An object that was put back is reported again the next time.
    guard cursor > known?.cursor ?? 0, !isRolledBack else {
      var changes = SharedChanges(records: records, accounts: there)
      changes.isRolledBack = isRolledBack
      return changes
    }
    copies.learn(changes.standing)
    return SharedChanges(records: records, accounts: there) { [copies] in
      copies.learn(changes.standing, cursor: cursor)
    }
  }

  /// Brings the copies up to date.
  ///
  /// - Returns: The records of the accounts that were found.
  private func keep(
    _ found: [OpenedObject],
    without gone: Set<AccountID>,
    asOf standing: SharedStore.Standing
  ) throws(KeyringFailure) -> [AccountID: [UInt8]] {
    guard !found.isEmpty || !gone.isEmpty else { return [:] }
    var records: [AccountID: [UInt8]] = [:]
    try copies.alone { () throws(KeyringFailure) in
      for object in found {
        guard !object.contents.isRemoved else {
          try copies.noteRemoval(of: object.id, object.contents.generation, object.object.bytes)
          continue
        }
        // The copy may have come with another call, and the file not.
        if object.contents.isAccount { records[object.id] = object.contents.record }
        if let copy = try copies.copy(of: object.id), copy.isAsNew(as: object.copy) { continue }
        try copies.replace(object.copy, of: object.id)
      }
      for id in gone {
        // One that was added since is not gone.
        guard let copy = try copies.copy(of: id), copy.version <= standing.revision else { continue }
        try copies.remove(id)
      }
    }
    return records
  }

  /// Opens the changed objects; one that is damaged hides none of the others, and is reported where it is used.
  private func whole(
    _ objects: [SharedStore.Object],
    _ session: Session,
    _ seal: Seal
  ) throws(KeyringFailure) -> [OpenedObject] {
    var opened: [OpenedObject] = []
    for object in objects {
      guard let id = session.places.account(at: object.key), let object = try settled(object, session, seal),
        let contents = try seal.objectIfWhole(object.bytes, of: id, at: object.key)
      else { continue }
      opened.append(OpenedObject(id: id, contents: contents, object: object))
    }
    return opened
  }

  /// The accounts whose objects are older than this machine has seen them, or are gone without the trace of a removal.
  private func doubtful(_ found: [OpenedObject], _ gone: Set<AccountID>) throws(KeyringFailure) -> Set<AccountID> {
    var doubtful: Set<AccountID> = []
    for object in found {
      let (copy, seen) = try copies.seen(of: object.id)
      if seen.isContradicted(by: object, besides: copy) { doubtful.insert(object.id) }
    }
    for id in gone where try copies.seen(of: id).1.isContradicted(by: nil, isSame: false) { doubtful.insert(id) }
    return doubtful
  }
}

/// An object of an account as the engine has it, opened and checked.
struct OpenedObject {
  var id: AccountID
  var contents: SharedObject
  var object: SharedStore.Object

  var copy: CopyFile { CopyFile(object, generation: contents.generation) }
}

extension SeenGeneration {
  /// `true` if an engine that has this object has gone back to an earlier state.
  func isContradicted(by found: OpenedObject, besides copy: CopyFile?) -> Bool {
    isContradicted(
      by: found.contents.generation,
      isSame: isRemoval ? found.contents.isRemoved : copy?.bytes == found.object.bytes
    )
  }
}
