import AcctModel
import AcctPorts
import SessionBus

extension ServiceOperation {
  /// Lists the accounts that have items, while locked too if the provider shows their attributes.
  ///
  /// A locked collection that is not the default one is passed by: ``lockedParts(of:)`` names it.
  ///
  /// - Throws: `KeyringFailure.locked` if the default collection hides them.
  func list() throws(KeyringFailure) -> [AccountID: Set<ItemKind>] {
    try openWhatHides()
    guard let collection = try defaultCollection() else { throw .noDefaultCollection }
    let isLocked = try isLockedByPassword(collection)
    let found = try connection.ask(ServiceCalls.search(Schema.common))
    // Locked, and still it shows none: it hides them, or does not know them by their schema.
    if found.locked.isEmpty, isLocked { throw .locked() }
    var accounts: [AccountID: [ItemKind: Precedence]] = [:]
    func note(_ identity: Identity) {
      let known = accounts[identity.account]?[identity.kind] ?? Precedence()
      accounts[identity.account, default: [:]][identity.kind] = max(known, identity.precedence)
    }
    // Readable and still not one of acct's: another program used the schema's name.
    for identity in try identities(of: found.unlocked).compactMap(\.self) { note(identity) }
    for identity in try identities(of: found.locked.filter { isInside($0, collection) }) {
      guard let identity else { throw .locked() }
      note(identity)
    }
    return accounts.mapValues { kinds in Set(kinds.filter { !$0.value.isRemoval }.keys) }.filter { !$0.value.isEmpty }
  }

  /// The locked collections beside the default one that have the only, or the newest, copy of an item.
  ///
  /// Only a provider that finds locked items without asking its user is searched.
  func lockedParts(of accounts: [AccountID]) throws(KeyringFailure) -> [Keyring.LockedPart] {
    guard !connection.mayAskToSearch else { return [] }
    let collection = try defaultCollection()
    var parts: [(collection: String, part: Keyring.LockedPart)] = []
    // The bus bounds how many calls may be under way at once.
    for start in stride(from: 0, to: accounts.count, by: 100) {
      let some = accounts[start..<min(start + 100, accounts.count)]
      let found = try connection.ask(some.map { ServiceCalls.search(Schema.identity($0)) })
      for (account, found) in zip(some, found) where found.locked.contains(where: { !isInside($0, collection) }) {
        let kinds = ItemKind.allCases
        let obstacles = try obstacles(to: try search(account, kinds).found, account, kinds)
        for path in Set(obstacles.filter { !isInside($0, collection) }.map(Self.collection)).sorted() {
          if let index = parts.firstIndex(where: { $0.collection == path }) {
            parts[index].part.accounts.append(account)
          } else {
            let name = try connection.ask(ServiceCalls.label(path))
            parts.append((path, Keyring.LockedPart(name: name, accounts: [account])))
          }
        }
      }
    }
    return parts.map(\.part)
  }

  /// The state of the keyring for a write, found without a prompt.
  ///
  /// - Throws: `KeyringFailure` if the provider does not say.
  func state() throws(KeyringFailure) -> Keyring.State {
    guard let collection = try defaultCollection() else { return .locked }
    return try isLockedByPassword(collection) ? .locked : .ready
  }

  /// The account and kind of an item, and its place among its copies.
  private typealias Identity = (account: AccountID, kind: ItemKind, precedence: Precedence)

  /// The identity of each item, as far as its attributes can be read.
  private func identities(of paths: [String]) throws(KeyringFailure) -> [Identity?] {
    var identities: [Identity?] = []
    // The bus bounds how many calls may be under way at once.
    for start in stride(from: 0, to: paths.count, by: 100) {
      let some = paths[start..<min(start + 100, paths.count)]
      identities += try connection.ask(some.map(ServiceCalls.attributes)).map { attributes in
        Schema.parse(attributes).map { ($0.account, $0.kind, Precedence(of: attributes)) }
      }
    }
    return identities
  }
}
