import AcctModel
import AcctPorts

extension SharedVault {
  /// Reads and checks every object of the keyring.
  func inspect(_ interaction: Interaction) throws(KeyringFailure) -> SharedKeyring.Inspection {
    guard let settings = try settings() else { throw .notJoined }
    let session = try session(settings.kind)
    var seal = try seal(session, interaction)
    // An engine that was restored is looked at as it is, with the keys that it had then.
    do { try seal.keys.confirm() } catch {
      guard error == .rolledBack else { throw error }
      seal.keys.assumeConfirmed()
      seal = seal.local
    }
    let changes = try ask { () throws(SharedStoreFailure) in try session.store.changes(session.places.accounts, 0) }
    var inspection = SharedKeyring.Inspection()
    inspection.strayKeys = changes.keys.filter { session.places.account(at: $0) == nil }
      .map { String($0.prefix(256)) }.sorted()
    var names: [AccountName: [AccountID]] = [:]
    for object in changes.objects {
      guard let id = session.places.account(at: object.key), let object = try settled(object, session, seal)
      else { continue }
      switch try seal.inspected(object.bytes, of: id, at: object.key) {
      case .failure(let damage): inspection.damaged[id] = damage
      case .success(let contents):
        if let name = contents.name { names[name, default: []].append(id) }
        let (copy, seen) = try copies.seen(of: id)
        let found = OpenedObject(id: id, contents: contents, object: object)
        // Another process of this machine may have seen a later one since: it is asked again.
        if seen.isContradicted(by: found, besides: copy), try look(session, seal, id).isRolledBack {
          inspection.rolledBack.append(id)
        }
      }
    }
    for (name, ids) in names where ids.count > 1 {
      let holder = try holder(of: name, session, seal)
      for id in ids where id != holder { inspection.damaged[id] = .nameTaken }
    }
    for id in try copies.accounts() where !changes.keys.contains(session.places.account(id)) {
      if try copies.seen(of: id).1.isContradicted(by: nil, isSame: false), try look(session, seal, id).isRolledBack {
        inspection.rolledBack.append(id)
      }
    }
    inspection.rolledBack.sort { $0.description < $1.description }
    return inspection
  }

  /// The account that has a name, as the name's own object says; `nil` if there is no such object, or it is damaged.
  func holder(of name: AccountName, _ session: Session, _ seal: Seal) throws(KeyringFailure) -> AccountID? {
    let place = session.places.name(try seal.digest(of: name))
    let reading = try ask { () throws(SharedStoreFailure) in try session.store.get(place) }
    guard let object = reading.object, let object = try settled(object, session, seal) else { return nil }
    return try? seal.holder(object.bytes, at: place)
  }
}
