import AcctModel
import Secrets
import AcctPorts
import SessionBus

extension ServiceOperation {
  /// Reads items, in two round trips if all are there and unlocked.
  ///
  /// Their attributes come with the secrets, and a secret whose attributes are not those that were
  /// searched for is not used.
  ///
  /// - Throws: `KeyringFailure`, and `locked` rather than an answer that leaves a locked item out.
  func read(_ account: AccountID, _ kinds: [ItemKind]) throws(KeyringFailure) -> [ItemKind: Secret] {
    guard !kinds.isEmpty else { return [:] }
    // An item that is replaced or locked between search and answer is found, or found to be locked,
    // by another search.
    for _ in 0..<Self.attempts {
      if let secrets = try attempt(account, kinds) { return secrets }
    }
    throw .failed(reason: "its items kept changing while they were being read")
  }

  private static var attempts: Int { 5 }

  /// Reads items; `nil` if one of them changed meanwhile.
  private func attempt(_ account: AccountID, _ kinds: [ItemKind]) throws(KeyringFailure) -> [ItemKind: Secret]? {
    let (session, items) = try locate(account, kinds)
    var wanted: [FoundItem] = []
    for (kind, paths) in items {
      var found = paths.map { FoundItem(path: $0, kind: kind) }
      if found.count > 1 {
        let (own, unseen) = try verify(found, of: account)
        guard unseen.isEmpty else { return nil }
        found = own
      }
      if let item = try newest(of: found) { wanted.append(item) }
    }
    guard !wanted.isEmpty else { return [:] }

    let verifying = try beginVerifying(wanted)
    let answer = try connection.ask(ServiceCalls.secrets(of: wanted.map(\.path), session: session))
    let (own, unseen) = try finishVerifying(wanted, of: account, verifying)
    var secrets: [ItemKind: Secret] = [:]
    for item in own where !item.precedence.isRemoval {
      // An item without a secret was locked or removed since the search.
      guard let stored = answer.first(where: { $0.path == item.path })?.secret else { return nil }
      secrets[item.kind] = StoredForm.secret(stored)
    }
    return unseen.isEmpty ? secrets : nil
  }

  /// The item that takes precedence: an older one was left behind in a former default collection.
  ///
  /// Earlier versions wrote no sequence. Of their copies, the one that was changed last counts.
  private func newest(of copies: [FoundItem]) throws(KeyringFailure) -> FoundItem? {
    let highest = copies.map(\.precedence).max()
    let newest = copies.filter { $0.precedence.sequence == highest?.sequence }
    guard newest.count > 1 else { return newest.first }
    let times = try connection.ask(newest.map { ServiceCalls.modified($0.path) })
    return zip(newest, times).max { $0.1 < $1.1 }?.0
  }
}
