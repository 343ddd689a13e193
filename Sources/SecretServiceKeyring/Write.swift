import AcctModel
import AcctPorts
import SessionBus

extension Conversation {
  /// Stores items in the default collection, one after the other.
  ///
  /// - Throws: `KeyringFailure`; the items before the one that failed are stored.
  func write(_ account: AccountID, _ items: [Keyring.Item]) throws(KeyringFailure) {
    guard !items.isEmpty else { return }
    let collection = try openDefaultCollection()
    guard let session = try connection.ask(ServiceCalls.openSession) else {
      throw .malformedAnswer(to: "OpenSession")
    }
    for item in items {
      let outcome = try connection.ask(
        ServiceCalls.createItem(
          in: collection,
          label: Schema.label(account, item.kind),
          attributes: Schema.attributes(account, item.kind),
          session: session,
          secret: item.secret
        )
      )
      guard try settle(outcome) != nil else { throw .dismissed }
    }
  }

  /// The default collection, created or unlocked if need be.
  ///
  /// - Throws: `KeyringFailure.locked` if that takes a person, and nobody may be asked or did it.
  func openDefaultCollection() throws(KeyringFailure) -> String {
    if let collection = try defaultCollection() {
      guard try isLocked(collection) else { return collection }
      try unlock([collection])
    } else {
      try createDefaultCollection()
    }
    guard let collection = try defaultCollection(), try !isLocked(collection) else {
      throw .dismissed
    }
    return collection
  }
}
