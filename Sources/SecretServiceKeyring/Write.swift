import AcctModel
import AcctPorts

extension Conversation {
  /// Stores items in the default collection, one after the other.
  ///
  /// - Throws: `KeyringFailure`; the items before the one that failed are stored.
  func write(_ account: AccountID, _ items: [Keyring.Item]) throws(KeyringFailure) {
    guard !items.isEmpty else { return }
    let collection = try openDefaultCollection()
    guard let session = try connection.ask(.openSession).last?.objectPath else {
      throw .malformedAnswer(to: "OpenSession")
    }
    for item in items {
      let bytes = Variant.bytes(item.secret)
      defer { bytes.wipe() }
      let answer = try connection.ask(
        .createItem(
          in: collection,
          label: Schema.label(account, item.kind),
          attributes: Schema.attributes(account, item.kind),
          session: session,
          bytes: bytes
        )
      )
      if answer.first?.objectPath == nil, try settle(answer)?.objectPath == nil { throw .dismissed }
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
      guard mayAsk else { throw .noDefaultCollection }
      _ = try settle(try connection.ask(.createDefaultCollection(label: "Default keyring")))
    }
    guard let collection = try defaultCollection(), try !isLocked(collection) else {
      throw .dismissed
    }
    return collection
  }
}
