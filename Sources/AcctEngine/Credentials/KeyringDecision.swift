package import AcctPorts

/// The file `keyring`: on the first line the keyring that holds the accounts; on the second, if there is one, an
/// unfinished move; after it the copies that such a move may have written.
package struct KeyringDecision: Equatable {
  package var kind: Keyring.Kind
  package var move: Move?
  /// The copies that a move to another keyring may have written there.
  var written = WrittenCopies()

  /// A move that a later one finishes.
  package enum Move: Equatable {
    /// Some accounts may have been copied to this keyring; they still belong to ``KeyringDecision/kind``.
    case to(Keyring.Kind)
    /// All were moved, and some may still be in this keyring, too.
    case from(Keyring.Kind)
  }

  init(kind: Keyring.Kind, move: Move? = nil, written: WrittenCopies = WrittenCopies()) {
    self.kind = kind
    self.move = move
    self.written = written
  }

  /// Parses the file; `nil` if it names no keyring.
  init?(bytes: [UInt8]) {
    let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n")
    guard let first = lines.first, let kind = Keyring.Kind(rawValue: String(first)) else { return nil }
    self.kind = kind
    let words = lines.dropFirst().first?.split(separator: " ") ?? []
    guard words.count == 2, let other = Keyring.Kind(rawValue: String(words[1])) else { return }
    switch words[0] {
    case "to":
      move = .to(other)
      written = WrittenCopies(lines: lines.dropFirst(2))
    case "from": move = .from(other)
    default: break
    }
  }

  var bytes: [UInt8] {
    let second =
      switch move {
      case .to(let other): "to \(other.rawValue)\n"
      case .from(let other): "from \(other.rawValue)\n"
      case nil: ""
      }
    return Array("\(kind.rawValue)\n\(second)\(written.lines)".utf8)
  }
}
