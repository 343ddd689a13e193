import AcctModel
import AcctPorts

extension SharedVault {
  /// Removes an account and frees its name; one that is not there is no error.
  ///
  /// An object that does not open is removed as well: that is what was asked for.
  func remove(
    _ session: Session,
    _ id: AccountID,
    _ interaction: Interaction
  ) throws(KeyringFailure) {
    let seal = try seal(session, interaction)
    try confirm(session)
    let place = session.places.account(id)
    var name: AccountName?
    if let copy = try copies.copy(of: id) { name = (try? seal.object(copy.bytes, at: place))?.name }
    var isThere = true
    for _ in 0..<16 where isThere {
      let object = try ask { () throws(SharedStoreFailure) in try session.store.get(place) }.object
      guard let object else {
        isThere = false
        break
      }
      name = (try? seal.object(object.bytes, at: place))?.name ?? name
      let removed = try ask { () throws(SharedStoreFailure) in
        try session.store.swap(place, nil, object.version)
      }
      isThere = removed == nil
    }
    guard !isThere else { throw .engine(.timedOut) }
    if let name { release(name, of: id, session, seal) }
    hold(nil, of: id)
    try copies.remove(id)
    try copies.removePending(id)
    sightings.remove(id)
  }

  /// Removes items of an account, and the account's object with the last of them if it has no record.
  func remove(
    _ session: Session,
    _ id: AccountID,
    _ kinds: [ItemKind],
    _ interaction: Interaction
  ) throws(KeyringFailure) {
    let seal = try seal(session, interaction)
    guard let object = try stored(session, seal, id) else { return }
    var wanted = object
    for kind in kinds { wanted.items[kind.rawValue] = nil }
    guard wanted != object else { return }
    if wanted.isEmpty {
      try remove(session, id, interaction)
    } else {
      try put(wanted, over: object, session, seal, id)
    }
  }

  /// Stores items of an account; its record stays as it is.
  func write(
    _ session: Session,
    _ id: AccountID,
    _ items: [Keyring.Item],
    _ interaction: Interaction
  ) throws(KeyringFailure) {
    let seal = try seal(session, interaction)
    guard !items.isEmpty else { return }
    let object = try stored(session, seal, id)
    var wanted = object ?? SharedObject()
    wanted.items = wanted.changed(by: .merging(items))
    guard wanted != object else { return }
    try put(wanted, over: object, session, seal, id)
  }

  /// An account as this machine's copy has it, else as the engine does.
  func stored(
    _ session: Session,
    _ seal: Seal,
    _ id: AccountID
  ) throws(KeyringFailure) -> SharedObject? {
    if let copy = try copies.copy(of: id) {
      return try seal.object(copy.bytes, at: session.places.account(id))
    }
    return try current(session, seal, id)
  }

  private func put(
    _ wanted: SharedObject,
    over object: SharedObject?,
    _ session: Session,
    _ seal: Seal,
    _ id: AccountID
  ) throws(KeyringFailure) {
    try confirm(session)
    let change = Change(
      account: id,
      base: object,
      version: try copies.copy(of: id)?.version,
      wanted: wanted,
      bytes: try seal.sealed(wanted, at: session.places.account(id)),
      writer: thisProcess,
      isAnswer: false,
      replacing: false
    )
    guard try commit(change, session, seal) == .stored else {
      throw .failed(reason: "another machine has removed the account meanwhile")
    }
  }
}
