import AcctModel
import AcctPorts
import SessionBus

/// An item that a search found, and its presumed kind until its attributes have been seen.
struct FoundItem {
  let path: String
  let kind: ItemKind
  /// Its place among copies, once its attributes have been seen.
  var precedence = Precedence()
}

/// The result of a search is compared with the searched attributes, before it is used.
extension ServiceOperation {
  /// Asks for the attributes of items, in the round trip of the next answer that is waited for.
  func beginVerifying(_ items: [FoundItem]) throws(KeyringFailure) -> [Connection.Pending<Attributes>] {
    var pending: [Connection.Pending<Attributes>] = []
    for item in items { pending.append(try connection.begin(ServiceCalls.attributes(item.path))) }
    return pending
  }

  /// Separates acct's own items, which have the attributes that were searched for, from others.
  ///
  /// Another program's item that has the same attributes and another schema is left out, and so is an
  /// item that has been removed since the search.
  ///
  /// - Returns: The items, and those whose attributes could not be read: they have been removed, or the
  ///   provider failed.
  /// - Throws: `KeyringFailure.failed` where the provider found an item that was not searched for: then its other
  ///   answers can't be relied on either, and nothing may be read, overwritten or deleted.
  func finishVerifying(
    _ items: [FoundItem],
    of account: AccountID,
    _ pending: [Connection.Pending<Attributes>]
  ) throws(KeyringFailure) -> (own: [FoundItem], unseen: [FoundItem]) {
    var answers: [Attributes?] = []
    for call in pending {
      do { answers.append(try connection.finish(call)) } catch .failed { answers.append(nil) }
    }
    var own: [FoundItem] = []
    for (item, attributes) in zip(items, answers) {
      guard let attributes else { continue }
      guard Schema.names(attributes, account, item.kind) else { throw .malformedAnswer(to: "SearchItems") }
      guard Schema.isOwn(attributes) else { continue }
      own.append(FoundItem(path: item.path, kind: item.kind, precedence: Precedence(of: attributes)))
    }
    return (own, zip(items, answers).filter { $0.1 == nil }.map(\.0))
  }

  /// Verifies items that nothing else is asked about, in a round trip of its own.
  func verify(
    _ items: [FoundItem],
    of account: AccountID
  ) throws(KeyringFailure) -> (own: [FoundItem], unseen: [FoundItem]) {
    guard !items.isEmpty else { return ([], []) }
    return try finishVerifying(items, of: account, try beginVerifying(items))
  }
}
