import AcctModel
import AcctPorts
import SessionBus

extension ServiceOperation {
  /// Lists the accounts that have items, while locked too if the provider shows their attributes.
  ///
  /// - Throws: `KeyringFailure.locked` if it does not.
  func list() throws(KeyringFailure) -> [AccountID: Set<ItemKind>] {
    try openWhatHides()
    let found = try connection.ask(ServiceCalls.search(Schema.common))
    guard let collection = try defaultCollection() else { throw .noDefaultCollection }
    // Locked, and still it shows none: it hides them, or does not know them by their schema.
    if found.locked.isEmpty, try isLocked(collection) { throw .locked() }
    var accounts: [AccountID: Set<ItemKind>] = [:]
    // Readable and still not one of acct's: another program used the schema's name.
    for (account, kind) in try identities(of: found.unlocked).compactMap(\.self) {
      accounts[account, default: []].insert(kind)
    }
    for identity in try identities(of: found.locked) {
      guard let (account, kind) = identity else { throw .locked() }
      accounts[account, default: []].insert(kind)
    }
    return accounts
  }

  /// The state of the keyring for a write, found without changing or asking anything.
  ///
  /// - Throws: `KeyringFailure` if the provider does not say.
  func state() throws(KeyringFailure) -> Keyring.State {
    guard let collection = try defaultCollection() else { return .locked }
    return try isLocked(collection) ? .locked : .ready
  }

  /// The account and kind of each item, as far as its attributes can be read.
  private func identities(of paths: [String]) throws(KeyringFailure) -> [(account: AccountID, kind: ItemKind)?] {
    var identities: [(account: AccountID, kind: ItemKind)?] = []
    // The bus bounds how many calls may be under way at once.
    for start in stride(from: 0, to: paths.count, by: 100) {
      let some = paths[start..<min(start + 100, paths.count)]
      identities += try connection.ask(some.map(ServiceCalls.attributes)).map(Schema.parse)
    }
    return identities
  }
}
