import AcctModel
import AcctPorts
import SessionBus

extension Conversation {
  /// Deletes items wherever they are found; what is not there is no error.
  ///
  /// - Throws: `KeyringFailure`, and `locked` before anything is deleted if one of them is locked.
  func remove(_ account: AccountID, _ kinds: [ItemKind]) throws(KeyringFailure) {
    guard !kinds.isEmpty else { return }
    let paths = try locate(account, kinds).items.flatMap(\.paths)
    do {
      for path in paths { _ = try settle(try connection.ask(ServiceCalls.delete(path))) }
    } catch .failed(let reason) {
      // Another process may have been faster.
      guard try isGone(account, kinds) else { throw .failed(reason: reason) }
    }
    // A prompt can be dismissed without an error.
    if isAsking, !paths.isEmpty, try !isGone(account, kinds) { throw .dismissed }
  }

  private func isGone(
    _ account: AccountID,
    _ kinds: [ItemKind]
  ) throws(KeyringFailure) -> Bool {
    let searches = kinds.map { kind in ServiceCalls.search(Schema.identity(account, kind)) }
    return try connection.ask(searches).allSatisfy(\.isEmpty)
  }
}
