import AcctModel
import AcctPorts
import SessionBus

extension ServiceOperation {
  /// Deletes acct's items in every collection; a missing one is no error.
  ///
  /// - Throws: `KeyringFailure`, and `locked` before anything is deleted if one of them is locked.
  func remove(_ account: AccountID, _ kinds: [ItemKind]) throws(KeyringFailure) {
    guard !kinds.isEmpty else { return }
    let found = try locate(account, kinds).items.flatMap { kind, paths in
      paths.map { FoundItem(path: $0, kind: kind) }
    }
    let (own, unseen) = try verify(found, of: account)
    let paths = own.map(\.path)
    do {
      for path in paths { _ = try settle(try connection.ask(ServiceCalls.delete(path))) }
    } catch .failed(let reason) {
      // Another process may have been faster.
      guard try areGone(paths, account, kinds) else { throw .failed(reason: reason) }
    }
    // A prompt can be dismissed without an error.
    if isAsking, !paths.isEmpty, try !areGone(paths, account, kinds) { throw .dismissed }
    // An item that did not show its attributes has been removed meanwhile, or is still there.
    if !unseen.isEmpty, try !areGone(unseen.map(\.path), account, kinds) { throw .malformedAnswer(to: "Attributes") }
  }

  private func areGone(_ paths: [String], _ account: AccountID, _ kinds: [ItemKind]) throws(KeyringFailure) -> Bool {
    let searches = kinds.map { kind in ServiceCalls.search(Schema.identity(account, kind)) }
    return try connection.ask(searches).allSatisfy { found in
      !(found.unlocked + found.locked).contains(where: paths.contains)
    }
  }
}
