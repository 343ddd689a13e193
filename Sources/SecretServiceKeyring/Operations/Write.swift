import AcctModel
import Secrets
import AcctPorts
import SessionBus

extension ServiceOperation {
  /// Stores items in the default collection, one after the other.
  ///
  /// An existing item gets another secret, and only a missing one is created: KeePassXC asks its user about an item
  /// that is to be replaced, even where it was told not to. An item that would not take precedence over its copies
  /// elsewhere is created anew, so that secret and sequence are stored in one step, and copies that are open are deleted.
  ///
  /// - Throws: `KeyringFailure`; the items before the one that failed are stored.
  func write(_ account: AccountID, _ items: [Keyring.Item]) throws(KeyringFailure) {
    guard !items.isEmpty else { return }
    let collection = try openDefaultCollection()
    var (session, copies) = try locate(account, items.map(\.kind), in: collection)
    for item in items {
      let known = copies[item.kind] ?? Copies()
      if let newest = known.newest, try replace(newest.path, session, item.secret) { continue }
      let precedence = Precedence(after: (known.own + known.elsewhere).map(\.precedence) + known.locked)
      let path = try create(account, item, precedence, in: collection, session)
      // KeePassXC asks its user about each.
      for older in known.own + (connection.mayAskToSearch ? [] : known.elsewhere) {
        // One that stays does not count.
        do { _ = try settle(try connection.ask(ServiceCalls.delete(older.path))) } catch {}
      }
      copies[item.kind] = Copies(
        own: [FoundItem(path: path, kind: item.kind, precedence: precedence)],
        locked: known.locked
      )
    }
  }

  /// Creates an item in a collection, and returns its path.
  func create(
    _ account: AccountID,
    _ item: Keyring.Item,
    _ precedence: Precedence,
    in collection: String,
    _ session: String
  ) throws(KeyringFailure) -> String {
    let creation = ServiceCalls.createItem(
      in: collection,
      label: Schema.label(account, item.kind),
      attributes: Schema.attributes(account, item.kind, precedence),
      session: session,
      secret: StoredForm.stored(item.secret)
    )
    guard let path = try settle(try connection.ask(creation)) else { throw .dismissed }
    return path
  }

  /// The items of one kind that an account has.
  private struct Copies {
    /// Those in the collection that is written to.
    var own: [FoundItem] = []
    /// Those in other collections.
    var elsewhere: [FoundItem] = []
    /// The places of locked ones in other collections.
    var locked: [Precedence] = []

    /// The one of the collection that takes precedence over all others; `nil` if none does.
    var newest: FoundItem? {
      guard let newest = own.max(by: { $0.precedence < $1.precedence }), !newest.precedence.isRemoval
      else { return nil }
      let others = (own.filter { $0.path != newest.path } + elsewhere).map(\.precedence) + locked
      return others.allSatisfy { $0 < newest.precedence } ? newest : nil
    }
  }

  /// Opens a session and finds acct's items in a collection that is unlocked, and their copies in others.
  ///
  /// - Throws: `KeyringFailure.locked` if one of the collection's is locked by itself.
  private func locate(
    _ account: AccountID,
    _ kinds: [ItemKind],
    in collection: String
  ) throws(KeyringFailure) -> (session: String, copies: [ItemKind: Copies]) {
    var (session, found) = try search(account, kinds)
    let locked = found.flatMap(\.locked).filter { isInside($0, collection) }
    if !locked.isEmpty {
      try unlock(locked)
      (session, found) = try search(account, kinds)
      guard !found.contains(where: { $0.locked.contains { isInside($0, collection) } }) else { throw .dismissed }
    }
    let unlocked = zip(kinds, found).flatMap { kind, found in found.unlocked.map { FoundItem(path: $0, kind: kind) } }
    var copies: [ItemKind: Copies] = [:]
    for item in try verify(unlocked, of: account).own {
      if isInside(item.path, collection) {
        copies[item.kind, default: Copies()].own.append(item)
      } else {
        copies[item.kind, default: Copies()].elsewhere.append(item)
      }
    }
    for (kind, found) in zip(kinds, found) where !found.locked.isEmpty {
      copies[kind, default: Copies()].locked.append(try precedence(ofLocked: found.locked))
    }
    return (session, copies)
  }

  /// Gives an item another secret, and returns whether it was still there to be given one.
  private func replace(_ path: String, _ session: String, _ secret: Secret) throws(KeyringFailure) -> Bool {
    do {
      try connection.ask(ServiceCalls.setSecret(of: path, session: session, secret: StoredForm.stored(secret)))
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
    guard let collection = try defaultCollection() else { throw .noDefaultCollection.withoutDesktop }
    guard try !isLocked(collection) else { throw .dismissed }
    return collection
  }
}
