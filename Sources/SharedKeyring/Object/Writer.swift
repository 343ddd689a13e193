import StrictJSON

/// A machine that has written an account's object, and when it did so last.
struct Writer: Equatable, Sendable {
  /// Of its key, if it has one, else random.
  var id: String
  /// Its host's name.
  var name: String
  /// Of acct.
  var version: String
  /// The last write, in seconds since 1970.
  var at: Int64
  /// How it opens the keyring.
  var means: Means
  /// The identifier of its passphrase or key file, if that is known; versions up to 0.2 do not say it.
  var recipient: String?

  /// Those that wrote last stay.
  private static let limit = 16
  static let nameLimit = 64

  /// The writers of an object with one more, in place of its own earlier write.
  static func adding(_ writer: Writer, to bytes: [UInt8]) -> [UInt8] {
    // Those that can't be read are given up: they decide nothing.
    let others = (parse(bytes) ?? []).filter { $0.id != writer.id }
    let json = ([writer] + others).prefix(limit).map { writer in
      JSON.array(
        [writer.id, writer.name, writer.version, writer.means.rawValue].map(JSON.string) + [JSON(writer.at)]
          + (writer.recipient.map { [.string($0)] } ?? [])
      )
    }
    return JSON.array(json).serialized()
  }

  /// Reads the writers of an object; `nil` for anything else.
  static func parse(_ bytes: [UInt8]) -> [Writer]? {
    guard !bytes.isEmpty else { return [] }
    guard let list = (try? JSON(parsing: bytes, maximumBytes: 8192))?.arrayValue, list.count <= limit
    else { return nil }
    let writers = list.compactMap(Writer.init)
    return writers.count == list.count ? writers : nil
  }

  private init?(_ json: JSON) {
    guard let parts = json.arrayValue, (5...6).contains(parts.count), let id = parts[0].stringValue,
      let name = parts[1].stringValue,
      let version = parts[2].stringValue, let means = parts[3].stringValue.flatMap(Means.init),
      let at = parts[4].numberValue?.integer,
      name.utf8.count <= Self.nameLimit, version.utf8.count <= Self.nameLimit
    else { return nil }
    let recipient = parts.count == 6 ? parts[5].stringValue : nil
    self = Writer(id: id, name: name, version: version, at: at, means: means, recipient: recipient)
  }

  init(id: String, name: String, version: String, at: Int64, means: Means, recipient: String? = nil) {
    self.id = id
    self.name = name
    self.version = version
    self.at = at
    self.means = means
    self.recipient = recipient
  }
}
