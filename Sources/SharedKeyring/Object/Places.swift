import AcctModel

/// The keys of a keyring's objects on the engine.
struct Places: Sendable {
  /// The keyring's name.
  let name: String

  private var root: String { "/acct/\(name)/" }

  /// The vault's header.
  var header: String { "\(root)header" }
  /// What the keys of all accounts begin with.
  var accounts: String { "\(root)a/" }

  func account(_ id: AccountID) -> String { "\(accounts)\(id)" }

  /// The object that keeps a name unique.
  func name(_ digest: String) -> String { "\(root)n/\(digest)" }

  /// The account of a key, if it is one's.
  func account(at key: String) -> AccountID? {
    guard key.hasPrefix(accounts), let id = try? AccountID(String(key.dropFirst(accounts.count))), account(id) == key
    else { return nil }
    return id
  }
}
