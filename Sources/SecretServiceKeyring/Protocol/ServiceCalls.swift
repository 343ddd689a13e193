import Secrets
import SessionBus

/// The methods of the freedesktop Secret Service API, draft 0.2, that acct calls.
enum ServiceCalls {
  static let path = "/org/freedesktop/secrets"
  static let service = "org.freedesktop.Secret.Service"
  static let collection = "org.freedesktop.Secret.Collection"
  static let item = "org.freedesktop.Secret.Item"

  /// Asks for the collections: a question that a provider answers without knowing its caller.
  static var collections: BusCall<[String]> {
    property("Collections", of: path, service, "ao") { reader, bytes throws(BusError) in try reader.paths(in: bytes) }
  }

  /// The collection for items that last no longer than the session, if the provider has one.
  static let sessionCollection = "\(path)/collection/session"

  /// Opens a session that carries secrets as they are; it ends with the connection.
  static var openSession: BusCall<String?> {
    var arguments = WireWriter()
    arguments.string("plain")
    arguments.variant("s") { $0.string("") }
    return onService("OpenSession", "sv", arguments, answer: "vo") {
      reader,
      bytes throws(BusError) in
      // The plain algorithm has nothing to tell: an empty string by the specification, and an empty
      // array of bytes by KWallet.
      switch try reader.signature(in: bytes) {
      case "s": _ = try reader.string(in: bytes)
      case "ay": _ = try reader.secret(in: bytes)
      default: throw .malformed
      }
      return try reader.object(in: bytes)
    }
  }

  /// Finds items by attributes.
  static func search(_ attributes: Attributes) -> BusCall<Found> {
    var arguments = WireWriter()
    arguments.strings(attributes)
    return onService("SearchItems", "a{ss}", arguments, answer: "aoao") {
      reader,
      bytes throws(BusError) in
      Found(unlocked: try reader.paths(in: bytes), locked: try reader.paths(in: bytes))
    }
  }

  /// Asks which collection is the default one.
  static var defaultCollection: BusCall<String?> {
    var arguments = WireWriter()
    arguments.string("default")
    return onService("ReadAlias", "s", arguments, answer: "o") { reader, bytes throws(BusError) in
      try reader.object(in: bytes)
    }
  }

  /// Gets the secrets of unlocked items; leaves out items that are locked or gone.
  static func secrets(of items: [String], session: String) -> BusCall<[(path: String, secret: Secret)]> {
    var arguments = WireWriter()
    arguments.paths(items)
    arguments.string(session)
    return onService("GetSecrets", "aoo", arguments, answer: "a{o(oayays)}") {
      reader,
      bytes throws(BusError) in
      try reader.array(alignedTo: 8, in: bytes) { reader, bytes throws(BusError) in
        let path = try reader.string(in: bytes)
        try reader.align(8, in: bytes)
        _ = try reader.string(in: bytes)
        // A plain session needs no parameters.
        _ = try reader.secret(in: bytes)
        let secret = try reader.secret(in: bytes)
        _ = try reader.string(in: bytes)
        return (path, secret)
      }
    }
  }

  /// Asks if a collection is locked.
  static func isLocked(_ path: String) -> BusCall<Bool> {
    property("Locked", of: path, collection, "b") { reader, bytes throws(BusError) in try reader.boolean(in: bytes) }
  }

  /// Asks if the default collection is locked, without asking first which one it is.
  static var isDefaultLocked: BusCall<Bool> { isLocked("\(path)/aliases/default") }

  /// Asks for the items of a collection, as far as its lock shows them.
  static func items(_ path: String) -> BusCall<[String]> {
    property("Items", of: path, collection, "ao") { reader, bytes throws(BusError) in try reader.paths(in: bytes) }
  }

  /// The name of a collection, as its user gave it.
  static func label(_ path: String) -> BusCall<String> {
    property("Label", of: path, collection, "s") { reader, bytes throws(BusError) in try reader.string(in: bytes) }
  }

  /// An item's attributes.
  static func attributes(_ path: String) -> BusCall<Attributes> {
    property("Attributes", of: path, item, "a{ss}") { reader, bytes throws(BusError) in
      try reader.array(alignedTo: 8, in: bytes) { reader, bytes throws(BusError) in
        (try reader.string(in: bytes), try reader.string(in: bytes))
      }
    }
  }

  /// When an item was last changed, in seconds since 1970.
  static func modified(_ path: String) -> BusCall<UInt64> {
    property("Modified", of: path, item, "t") { reader, bytes throws(BusError) in try reader.uint64(in: bytes) }
  }

  static func onService<Answer>(
    _ method: String,
    _ signature: String,
    _ arguments: WireWriter,
    answer: String,
    read: @escaping (inout WireReader, Span<UInt8>) throws(BusError) -> Answer
  ) -> BusCall<Answer> {
    BusCall(
      path: path,
      interface: service,
      method: method,
      signature: signature,
      arguments: arguments,
      answerSignature: answer,
      read: read
    )
  }

  static func property<Value>(
    _ name: String,
    of path: String,
    _ interface: String,
    _ type: String,
    read: @escaping (inout WireReader, Span<UInt8>) throws(BusError) -> Value
  ) -> BusCall<Value> {
    var arguments = WireWriter()
    arguments.string(interface)
    arguments.string(name)
    return BusCall(
      path: path,
      interface: "org.freedesktop.DBus.Properties",
      method: "Get",
      signature: "ss",
      arguments: arguments,
      answerSignature: "v"
    ) { reader, bytes throws(BusError) in try reader.variant(type, in: bytes, read) }
  }
}

/// The attributes of an item: names and values, in the order in which they are sent.
typealias Attributes = [(name: String, value: String)]

/// The result of a call that may need a prompt first.
struct Outcome {
  /// The path of the object that was made, if one was.
  let object: String?
  /// The prompt that has to be answered before anything happens.
  let prompt: String?

  static func read(_ reader: inout WireReader, _ bytes: Span<UInt8>) throws(BusError) -> Outcome {
    Outcome(object: try reader.object(in: bytes), prompt: try reader.object(in: bytes))
  }
}

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

extension WireReader {
  /// An object path, or `nil` for `/`, which stands for no object.
  mutating func object(in bytes: Span<UInt8>) throws(BusError) -> String? {
    let path = try string(in: bytes)
    return path == "/" ? nil : path
  }

  mutating func paths(in bytes: Span<UInt8>) throws(BusError) -> [String] {
    try array(alignedTo: 4, in: bytes) { reader, bytes throws(BusError) in try reader.string(in: bytes) }
  }
}

extension WireWriter {
  mutating func paths(_ paths: [String]) {
    array(alignedTo: 4) { array in
      for path in paths { array.string(path) }
    }
  }

  mutating func strings(_ members: Attributes) {
    array(alignedTo: 8) { entries in
      for (name, value) in members {
        entries.align(8)
        entries.string(name)
        entries.string(value)
      }
    }
  }

  /// A secret of a plain session, which needs no parameters.
  ///
  /// Its content is no text to the provider: KeePassXC and KWallet keep content that is declared as text as Unicode,
  /// and KeePassXC fills in words that look like one of its placeholders.
  mutating func secret(_ secret: Secret, session: String) {
    align(8)
    string(session)
    bytes(Secret(""))
    bytes(secret)
    string("application/octet-stream")
  }

  /// An entry of a dictionary of values, `a{sv}`.
  mutating func property(_ name: String, _ type: String, _ value: (inout WireWriter) -> Void) {
    align(8)
    string(name)
    variant(type, value)
  }
}

/// The calls and signals of a prompt.
extension ServiceCalls {
  private static let prompt = "org.freedesktop.Secret.Prompt"

  /// Performs a prompt, which asks the person if it must; there is no window to ask over.
  static func perform(_ prompt: String) -> BusCall<Void> {
    var arguments = WireWriter()
    arguments.string("")
    return BusCall(
      path: prompt,
      interface: Self.prompt,
      method: "Prompt",
      signature: "s",
      arguments: arguments,
      answerSignature: ""
    ) { _, _ throws(BusError) in }
  }

  /// Withdraws a prompt.
  static func dismiss(_ prompt: String) -> BusCall<Void> {
    BusCall(path: prompt, interface: Self.prompt, method: "Dismiss", answerSignature: "") {
      _,
      _ throws(BusError) in
    }
  }

  /// Is emitted once, when a prompt has ended.
  static func completed(_ prompt: String) -> BusSignal<(isDismissed: Bool, object: String?)> {
    BusSignal(path: prompt, interface: Self.prompt, name: "Completed", signature: "bv") {
      reader,
      bytes throws(BusError) in
      let isDismissed = try reader.boolean(in: bytes)
      // Only the object that was made is of interest; a prompt that makes none may fill in any value.
      guard try reader.signature(in: bytes) == "o" else { return (isDismissed, nil) }
      return (isDismissed, try reader.object(in: bytes))
    }
  }
}
