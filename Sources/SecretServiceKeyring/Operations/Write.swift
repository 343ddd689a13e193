import AcctModel
import Secrets
import AcctPorts
import SessionBus

extension ServiceOperation {
  /// Stores items in the default collection, one after the other.
  ///
  /// An existing item gets another secret, and only a missing one is created: KeePassXC asks its user about an item
  /// that is to be replaced, even where it was told not to.
  ///
  /// - Throws: `KeyringFailure`; the items before the one that failed are stored.
  func write(_ account: AccountID, _ items: [Keyring.Item]) throws(KeyringFailure) {
    guard !items.isEmpty else { return }
    let collection = try openDefaultCollection()
    var (session, paths) = try locate(account, items.map(\.kind), in: collection)
    for item in items {
      if let path = paths[item.kind], try replace(path, session, item.secret) { continue }
      let creation = ServiceCalls.createItem(
        in: collection,
        label: Schema.label(account, item.kind),
        attributes: Schema.attributes(account, item.kind),
        session: session,
        secret: item.secret
      )
      guard let path = try settle(try connection.ask(creation)) else { throw .dismissed }
      paths[item.kind] = path
    }
  }

  /// Opens a session and finds where acct's items are in a collection that is unlocked.
  ///
  /// - Throws: `KeyringFailure.locked` if one of them is locked by itself.
  private func locate(
    _ account: AccountID,
    _ kinds: [ItemKind],
    in collection: String
  ) throws(KeyringFailure) -> (session: String, paths: [ItemKind: String]) {
    var (session, found) = try search(account, kinds, in: collection)
    let locked = found.flatMap(\.locked)
    if !locked.isEmpty {
      try unlock(locked)
      (session, found) = try search(account, kinds, in: collection)
      guard found.allSatisfy(\.locked.isEmpty) else { throw .dismissed }
    }
    let items = zip(kinds, found).flatMap { kind, found in found.unlocked.map { FoundItem(path: $0, kind: kind) } }
    let own = try verify(items, of: account).own
    return (session, Dictionary(own.map { ($0.kind, $0.path) }) { first, _ in first })
  }

  /// The items that a search finds in one collection: those of a former default are no longer written to.
  private func search(
    _ account: AccountID,
    _ kinds: [ItemKind],
    in collection: String
  ) throws(KeyringFailure) -> (session: String, found: [Found]) {
    let (session, found) = try search(account, kinds)
    func isInside(_ path: String) -> Bool { path.hasPrefix(collection + "/") }
    return (
      session,
      found.map { found in Found(unlocked: found.unlocked.filter(isInside), locked: found.locked.filter(isInside)) }
    )
  }

  /// Gives an item another secret, and returns whether it was still there to be given one.
  private func replace(_ path: String, _ session: String, _ secret: Secret) throws(KeyringFailure) -> Bool {
    do {
      try connection.ask(ServiceCalls.setSecret(of: path, session: session, secret: secret))
      return true
    } catch .failed {
      return false
    }
  }

  /// The default collection, created or unlocked if need be.
  ///
  /// - Throws: `KeyringFailure.locked` if that needs a prompt that is forbidden or was refused.
  func openDefaultCollection() throws(KeyringFailure) -> String {
    if let collection = try defaultCollection() {
      guard try isLocked(collection) else { return collection }
      try unlock([collection])
    } else {
      try createDefaultCollection()
    }
    guard let collection = try defaultCollection(), try !isLocked(collection) else { throw .dismissed }
    return collection
  }
}
