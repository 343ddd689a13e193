import AcctModel
import SessionBus

/// The methods of the freedesktop Secret Service API, draft 0.2, that acct calls.
enum ServiceCalls {
  private static let path = "/org/freedesktop/secrets"
  private static let service = "org.freedesktop.Secret.Service"
  private static let collection = "org.freedesktop.Secret.Collection"
  private static let item = "org.freedesktop.Secret.Item"

  /// Which collections there are: a question that a provider answers without knowing its caller.
  static var collections: BusCall<[String]> {
    property("Collections", of: path, service, "ao") { reader, bytes throws(BusError) in
      try reader.paths(in: bytes)
    }
  }

  /// Where a provider keeps what lasts no longer than the session, if it has such a place.
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

  /// Gets the secrets of unlocked items; leaves out what is locked or gone.
  static func secrets(
    of items: [String],
    session: String
  ) -> BusCall<[(path: String, secret: Secret)]> {
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

  /// Unlocks items or collections, at once or by a prompt.
  static func unlock(_ objects: [String]) -> BusCall<Outcome> {
    var arguments = WireWriter()
    arguments.paths(objects)
    return onService("Unlock", "ao", arguments, answer: "aoo") { reader, bytes throws(BusError) in
      _ = try reader.paths(in: bytes)
      return Outcome(object: nil, prompt: try reader.object(in: bytes))
    }
  }

  /// Creates the default collection, at once or by a prompt.
  static func createDefaultCollection(label: String) -> BusCall<Outcome> {
    var arguments = WireWriter()
    arguments.array(alignedTo: 8) { properties in
      properties.property("\(collection).Label", "s") { $0.string(label) }
    }
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

  /// Whether a collection is locked.
  static func isLocked(_ path: String) -> BusCall<Bool> {
    property("Locked", of: path, collection, "b") { reader, bytes throws(BusError) in
      try reader.boolean(in: bytes)
    }
  }

  /// Whether the default collection is locked, without asking first which one it is.
  static var isDefaultLocked: BusCall<Bool> { isLocked("\(path)/aliases/default") }

  /// Which items a collection has, as far as its lock shows them.
  static func items(_ path: String) -> BusCall<[String]> {
    property("Items", of: path, collection, "ao") { reader, bytes throws(BusError) in
      try reader.paths(in: bytes)
    }
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
    property("Modified", of: path, item, "t") { reader, bytes throws(BusError) in
      try reader.uint64(in: bytes)
    }
  }

  private static func onService<Answer>(
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

  private static func property<Value>(
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

/// What an item is marked with: names and values, in the order in which they are sent.
typealias Attributes = [(name: String, value: String)]

/// What became of a call that may have to ask first.
struct Outcome {
  /// What was made, if anything was.
  let object: String?
  /// The prompt that has to be answered before anything happens.
  let prompt: String?

  init(object: String?, prompt: String?) {
    self.object = object
    self.prompt = prompt
  }

  static func read(
    _ reader: inout WireReader,
    _ bytes: Span<UInt8>
  ) throws(BusError) -> Outcome {
    Outcome(object: try reader.object(in: bytes), prompt: try reader.object(in: bytes))
  }
}

extension WireReader {
  /// An object path, or `nil` for `/`, which stands for no object.
  fileprivate mutating func object(in bytes: Span<UInt8>) throws(BusError) -> String? {
    let path = try string(in: bytes)
    return path == "/" ? nil : path
  }

  fileprivate mutating func paths(in bytes: Span<UInt8>) throws(BusError) -> [String] {
    try array(alignedTo: 4, in: bytes) { reader, bytes throws(BusError) in
      try reader.string(in: bytes)
    }
  }
}

extension WireWriter {
  fileprivate mutating func paths(_ paths: [String]) {
    array(alignedTo: 4) { array in
      for path in paths { array.string(path) }
    }
  }

  fileprivate mutating func strings(_ members: Attributes) {
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
  /// Its content is no text to the provider: KeePassXC and KWallet keep what calls itself text as
  /// Unicode, and KeePassXC fills in what looks like one of its placeholders.
  fileprivate mutating func secret(_ secret: Secret, session: String) {
    align(8)
    string(session)
    bytes(Secret(""))
    bytes(secret)
    string("application/octet-stream")
  }

  /// An entry of a dictionary of values, `a{sv}`.
  fileprivate mutating func property(
    _ name: String,
    _ type: String,
    _ value: (inout WireWriter) -> Void
  ) {
    align(8)
    string(name)
    variant(type, value)
  }
}
