import AcctModel
import AcctPorts

/// What one operation says to the provider: here, what several operations have in common.
struct Conversation {
  let connection: Connection
  /// Whether a person may be asked, and there is a way to.
  let mayAsk: Bool

  /// The default collection, if there is one.
  func defaultCollection() throws(KeyringFailure) -> String? {
    try connection.ask(.defaultCollection).first?.objectPath
  }

  /// Whether a collection is locked.
  func isLocked(_ collection: String) throws(KeyringFailure) -> Bool {
    try connection.ask(.isLocked(collection)).property(of: "b", named: "Locked").isTrue
  }

  /// Has items or collections unlocked, asking if need be; whether they were, a further look tells.
  ///
  /// - Throws: `KeyringFailure.locked` if nobody may be asked.
  func unlock(_ objects: [String]) throws(KeyringFailure) {
    guard mayAsk else { throw .locked() }
    _ = try settle(try connection.ask(.unlock(objects)))
  }

  /// Sees the prompt through that an answer may end with, and returns what came of it.
  ///
  /// - Throws: `KeyringFailure.locked` if nobody may be asked; the prompt is taken back.
  func settle(_ answer: [Variant]) throws(KeyringFailure) -> Variant? {
    guard let prompt = answer.last?.objectPath else { return nil }
    guard mayAsk else {
      _ = try connection.ask(.dismiss(prompt))
      throw .locked(reason: "the keyring wants to ask its user first")
    }
    return try connection.perform(prompt: prompt)
  }
}

extension KeyringFailure {
  /// The person who was asked did not unlock it.
  static let dismissed = KeyringFailure.locked(reason: "the request to unlock it was dismissed")

  /// Nothing was ever stored on this desktop, or its keyring is not open.
  static let noDefaultCollection = KeyringFailure.locked(
    reason: "it has no default collection; to make one, it asks its user for a password"
  )
}

extension Variant {
  /// An object path, or `nil` for `/`, which stands for no object.
  var objectPath: String? {
    guard type == "o" else { return nil }
    return text == "/" ? nil : text
  }
}

extension [Variant] {
  /// The value in an answer to `org.freedesktop.DBus.Properties.Get`.
  ///
  /// - Throws: `KeyringFailure.failed` if it is not of the type that the property has.
  func property(of type: String, named name: String) throws(KeyringFailure) -> Variant {
    guard let value = first?.children.first, value.type == type else {
      throw .malformedAnswer(to: name)
    }
    return value
  }
}
