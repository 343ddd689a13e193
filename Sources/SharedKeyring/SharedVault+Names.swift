import AcctModel
import AcctPorts

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
