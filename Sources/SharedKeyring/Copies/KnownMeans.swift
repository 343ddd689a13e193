import AcctPorts
import StrictJSON

/// The means of opening the keyring that this machine knows by a command that was run on it: a machine that it approved, a
/// passphrase that it set, and each means that a person has named here when the key changed.
///
/// No other member can write the file. It has identifiers and names, which are no secrets.
struct KnownMeans: Equatable, Sendable {
  /// The names that machines had then, by identifier; empty for a passphrase or a key file.
  var names: [String: String] = [:]
  /// The means that a change on this machine has dropped: no former signature brings them back without a question.
  var dropped: Set<String> = []

  static let fileName = "means"
  private static let sizeLimit = 1 << 18

  var ids: Set<String> { Set(names.keys) }

  func serialized() -> [UInt8] {
    let known = names.sorted { $0.key < $1.key }.map { JSON.array([.string($0.key), .string($0.value)]) }
    return JSON.serialized([
      "format": "acct-means",
      "known": .array(known),
      "dropped": .array(dropped.sorted().map(JSON.string)),
    ]) + [UInt8(ascii: "\n")]
  }

  init(names: [String: String] = [:]) { self.names = names }

  /// Reads the file's contents; `nil` for anything else.
  init?(parsing contents: [UInt8]) {
    guard let members = (try? JSON(parsing: contents, maximumBytes: Self.sizeLimit))?.objectValue,
      members["format"]?.stringValue == "acct-means", let known = members["known"]?.arrayValue,
      let dropped = members["dropped"]?.arrayValue
    else { return nil }
    self.dropped = Set(dropped.compactMap(\.stringValue))
    for entry in known {
      guard let parts = entry.arrayValue, parts.count == 2, let id = parts[0].stringValue,
        let name = parts[1].stringValue
      else { return nil }
      names[id] = name
    }
  }
}

extension Copies {
  /// The means that this machine knows; a file that is damaged knows none, so that a person is asked again.
  func knownMeans() throws(KeyringFailure) -> KnownMeans {
    try read(KnownMeans.fileName, in: folder).flatMap(KnownMeans.init(parsing:)) ?? KnownMeans()
  }

  /// Notes that a person has approved or named these means on this machine, or has dropped others.
  func remember(_ means: [String: String], dropping dropped: [String] = []) throws(KeyringFailure) {
    guard !means.isEmpty || !dropped.isEmpty else { return }
    try alone { () throws(KeyringFailure) in
      let before = try knownMeans()
      var known = before
      known.names.merge(means) { $1 }
      for id in dropped { known.names[id] = nil }
      known.dropped = known.dropped.subtracting(means.keys).union(dropped)
      if known != before { try write(KnownMeans.fileName, known.serialized(), in: folder, surviving: true) }
    }
  }
}
