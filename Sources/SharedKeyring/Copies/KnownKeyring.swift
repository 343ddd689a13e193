package import AcctPorts
import PrivateFiles
import StrictJSON

/// This machine's record of the keyring that its copies are of: its name, and the last known standing.
package struct KnownKeyring: Equatable, Sendable {
  package var kind: Keyring.Kind
  /// The keyring's name on the engine.
  package var name: String
  package var standing: SharedStore.Standing
  /// The highest version of which all copies are.
  package var cursor: Int64

  static let fileName = "standing"

  package init(kind: Keyring.Kind, name: String, standing: SharedStore.Standing, cursor: Int64) {
    self.kind = kind
    self.name = name
    self.standing = standing
    self.cursor = cursor
  }

  /// `true` if settings lead to this keyring.
  func isAt(_ settings: SharedKeyringSettings) -> Bool { kind == settings.kind && name == settings.name }
}

extension KnownKeyring {
  /// The file's contents.
  package func serialized() -> [UInt8] {
    JSON.serialized([
      "format": "acct-standing",
      "engine": .string(kind.rawValue),
      "name": .string(name),
      "identifier": .string(standing.identifier),
      "revision": JSON(standing.revision),
      "cursor": JSON(cursor),
    ]) + [UInt8(ascii: "\n")]
  }

  /// Reads the file's contents; `nil` for anything else.
  package init?(parsing contents: [UInt8]) {
    guard let json = try? JSON(parsing: contents, maximumBytes: 65_536), let members = json.objectValue,
      members["format"]?.stringValue == "acct-standing",
      let kind = members["engine"]?.stringValue.flatMap(Keyring.Kind.init(rawValue:)),
      let name = members["name"]?.stringValue, let identifier = members["identifier"]?.stringValue,
      let revision = members["revision"]?.numberValue?.integer, let cursor = members["cursor"]?.numberValue?.integer,
      cursor >= 0
    else { return nil }
    self.init(
      kind: kind,
      name: name,
      standing: SharedStore.Standing(identifier: identifier, revision: revision),
      cursor: cursor
    )
  }
}

extension Copies {
  /// The record of the engine; `nil` before its first answer.
  func known() throws(KeyringFailure) -> KnownKeyring? {
    guard let contents = try read(KnownKeyring.fileName, in: folder) else { return nil }
    guard let known = KnownKeyring(parsing: contents) else {
      throw .failed(reason: "\(folder.path(of: KnownKeyring.fileName)) is damaged")
    }
    return known
  }

  /// Keeps the standing of an answer, if it is later than the known one.
  ///
  /// A failure is not the caller's: an older record protects less well, and no copy is lost by it.
  func learn(_ standing: SharedStore.Standing, cursor: Int64? = nil) {
    try? alone { () throws(KeyringFailure) in
      guard var known = try known(), known.standing.identifier == standing.identifier else { return }
      let before = known
      known.standing.revision = max(known.standing.revision, standing.revision)
      known.cursor = max(known.cursor, cursor ?? 0)
      if known != before { try keep(known) }
    }
  }

  /// Writes the record.
  func keep(_ known: KnownKeyring) throws(KeyringFailure) {
    try write(KnownKeyring.fileName, known.serialized(), in: folder, surviving: true)
  }
}
