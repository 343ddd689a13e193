import AcctProtocol
package import Secrets

/// One setting of another program, as acct changes it.
package struct SettingChange: Equatable, Sendable {
  /// The name that the program's documentation uses, such as `credential.helper`.
  package var name: String
  package var value: String
  /// The value that the change takes the place of; `nil` if there was none.
  package var replaced: String?

  package init(_ name: String, _ value: String, replacing replaced: String? = nil) {
    self.name = name
    self.value = value
    self.replaced = replaced
  }
}

/// A settings file after a change.
package struct EditedSettings: Sendable {
  package var contents: Secret
  package var changes: [SettingChange]
  /// `true` if acct's own setting was there before, and these changes overcome others that decide for some servers.
  package var wasSetUp: Bool

  package init(_ contents: Secret, _ changes: [SettingChange], wasSetUp: Bool = false) {
    self.contents = contents
    self.changes = changes
    self.wasSetUp = wasSetUp
  }
}

/// Why a settings file cannot be changed.
package enum SettingsFlaw: Error, Equatable, Sendable {
  /// It is not what the program reads, at this line.
  case line(Int, LineFlaw)
  /// It is no JSON object.
  case notJSON
  /// A setting has a form that acct does not change.
  case form(String)
  /// The program asks one helper, and this one is set already.
  case otherHelper(String)
  /// The file names no server of this host.
  case unknownHost
}

extension Secret {
  /// The file after each change that a step takes back in it; `nil` if there is none of them.
  package func removing<Flaw>(
    _ changes: [SettingChange],
    _ step: (SettingChange, Secret) throws(Flaw) -> Secret?
  ) throws(Flaw) -> Secret? {
    var changed: Secret?
    for change in changes { changed = try step(change, changed ?? self) ?? changed }
    return changed
  }
}

/// New bytes for a range of a text.
struct Splice {
  var range: Range<Int>
  var bytes: [UInt8]

  init(_ range: Range<Int>, _ text: String) {
    self.range = range
    bytes = Array(text.utf8)
  }

  /// New text between two bytes.
  init(at position: Int, _ text: String) { self.init(position..<position, text) }
}

extension Span<UInt8> {
  /// The text with a change.
  func spliced(_ splice: Splice) -> Secret {
    Secret(joining: [
      Secret(extracting(first: splice.range.lowerBound)), Secret(splice.bytes),
      Secret(extracting(droppingFirst: splice.range.upperBound)),
    ])
  }

  /// The range of each line, without the LF that ends it.
  var lines: [Range<Int>] {
    var lines: [Range<Int>] = []
    var start = 0
    while start < count {
      lines.append(start..<(first("\n", in: start..<count) ?? count))
      start = lines[lines.count - 1].upperBound + 1
    }
    return lines
  }

  /// The text of a range that is no secret, in a file that is UTF-8.
  func string(_ range: Range<Int>) -> String { String(decoding: bytes(range), as: UTF8.self) }
}
