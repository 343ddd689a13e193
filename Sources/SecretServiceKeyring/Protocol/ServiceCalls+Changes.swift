import Secrets
import SessionBus

/// The calls that unlock, write and delete.
extension ServiceCalls {
  /// Unlocks items or collections, at once or by a prompt.
  static func unlock(_ objects: [String]) -> BusCall<Outcome> { on(objects, "Unlock") }

  /// Locks items or collections, at once or by a prompt.
  static func lock(_ objects: [String]) -> BusCall<Outcome> { on(objects, "Lock") }

  private static func on(_ objects: [String], _ method: String) -> BusCall<Outcome> {
    var arguments = WireWriter()
    arguments.paths(objects)
    return onService(method, "ao", arguments, answer: "aoo") { reader, bytes throws(BusError) in
      _ = try reader.paths(in: bytes)
      return Outcome(object: nil, prompt: try reader.object(in: bytes))
    }
  }

  /// Creates the default collection, at once or by a prompt.
  static func createDefaultCollection(label: String) -> BusCall<Outcome> {
    var arguments = WireWriter()
    arguments.array(alignedTo: 8) { properties in properties.property("\(collection).Label", "s") { $0.string(label) } }
    arguments.string("default")
    return onService("CreateCollection", "a{sv}s", arguments, answer: "oo", read: Outcome.read)
  }

  /// Stores an item in place of one with the same attributes, at once or by a prompt.
  static func createItem(
    in path: String,
    label: String,
    attributes: Attributes,
    session: String,
    secret: Secret
  ) -> BusCall<Outcome> {
    var arguments = WireWriter(secretCount: secret.count)
    arguments.array(alignedTo: 8) { properties in
      properties.property("\(item).Label", "s") { $0.string(label) }
      properties.property("\(item).Attributes", "a{ss}") { $0.strings(attributes) }
    }
    arguments.secret(secret, session: session)
    arguments.boolean(true)
    return BusCall(
      path: path,
      interface: collection,
      method: "CreateItem",
      signature: "a{sv}(oayays)b",
      arguments: arguments,
      answerSignature: "oo",
      read: Outcome.read
    )
  }

  /// Gives an item another secret, at once: where it is locked, that is an error.
  static func setSecret(of path: String, session: String, secret: Secret) -> BusCall<Void> {
    var arguments = WireWriter(secretCount: secret.count)
    arguments.secret(secret, session: session)
    return BusCall(
      path: path,
      interface: item,
      method: "SetSecret",
      signature: "(oayays)",
      arguments: arguments,
      answerSignature: ""
    ) { _, _ throws(BusError) in }
  }

  /// Deletes an item, at once or by a prompt.
  static func delete(_ path: String) -> BusCall<Outcome> {
    BusCall(path: path, interface: item, method: "Delete", answerSignature: "o") {
      reader,
      bytes throws(BusError) in
      Outcome(object: nil, prompt: try reader.object(in: bytes))
    }
  }
}
