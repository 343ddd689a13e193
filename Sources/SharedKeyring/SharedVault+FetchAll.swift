import AcctModel
import AcctPorts
import VaultKey

extension SharedVault {
  /// Brings all copies of this machine up to date, at the cost of what has changed.
  ///
  /// It holds no account's lock, and leaves pending answers to those who do.
  func fetchAll(
    _ session: Session,
    _ interaction: Interaction
  ) throws(KeyringFailure) -> SharedChanges {
    // What opens the keyring is needed only for what has changed.
    let header = try header(session)
    let known = try copies.known()
    let changes = try ask { () throws(SharedStoreFailure) in
      try session.store.changes(session.places.accounts, known?.cursor ?? 0)
    }
    let there = Set(changes.keys.compactMap(session.places.account(at:)))
    let copied = try copies.accounts()
    guard !hasGoneBack(changes.standing, known) else {
      // The copies may be all that is left of accounts that were added since.
      isConfirmed = false
      return SharedChanges(records: [:], accounts: there.union(copied))
    }
    let opened = try opened(changes.objects, header, session, interaction)
    let cursor = changes.objects.map(\.version).max() ?? 0
    let gone = copied.filter { !there.contains($0) }
    var records: [AccountID: [UInt8]] = [:]
    if !opened.isEmpty || !gone.isEmpty {
      try copies.alone { () throws(KeyringFailure) in
        for (id, object) in opened {
          // The copy may have come with another call, and the file not.
          records[id] = object.record
          if let copy = try copies.copy(of: id), copy.version >= object.copy.version { continue }
          try copies.replace(object.copy, of: id)
        }
        for id in gone {
          // One that was added since is not gone.
          guard let copy = try copies.copy(of: id), copy.version <= changes.standing.revision else {
            continue
          }
          try copies.remove(id)
        }
      }
    }
    guard cursor > known?.cursor ?? 0 else {
      return SharedChanges(records: records, accounts: there)
    }
    copies.learn(changes.standing)
    return SharedChanges(records: records, accounts: there) { [copies] in
      copies.learn(changes.standing, cursor: cursor)
    }
  }

  /// Opens what has changed; one object that does not open hides none of the others, and is reported where it is used.
  private func opened(
    _ objects: [SharedStore.Object],
    _ header: AnyVaultHeader,
    _ session: Session,
    _ interaction: Interaction
  ) throws(KeyringFailure) -> [AccountID: (copy: CopyFile, record: [UInt8])] {
    guard !objects.isEmpty else { return [:] }
    let seal = Seal(key: try opener.open(header, interaction), entropy: entropy)
    var opened: [AccountID: (copy: CopyFile, record: [UInt8])] = [:]
    for object in objects {
      guard let id = session.places.account(at: object.key),
        let contents = try? seal.object(object.bytes, at: object.key)
      else { continue }
      opened[id] = (CopyFile(object), contents.record)
    }
    return opened
  }
}
