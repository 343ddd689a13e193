import AcctPorts

/// The file `keyring`: the keyring that holds the accounts on the first line, and on the second, if there is one,
/// a move that is not over; behind it what such a move copies.
struct KeyringDecision: Equatable {
  var kind: Keyring.Kind
  var move: Move?
  /// What a move to another keyring may have written there.
  var written = WrittenCopies()

  /// A move that a later one finishes.
  enum Move: Equatable {
    /// Some accounts may have been copied to this keyring; they are still those of ``KeyringDecision/kind``.
    case to(Keyring.Kind)
    /// All were moved, and some may still be in this keyring, too.
    case from(Keyring.Kind)
  }

  init(kind: Keyring.Kind, move: Move? = nil, written: WrittenCopies = WrittenCopies()) {
    self.kind = kind
    self.move = move
    self.written = written
  }

  /// Reads the file; `nil` if it names no keyring.
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
