import AcctPorts

/// Makes keystrokes of the bytes that a terminal sends for them (ECMA-48, section 5.4, and UTF-8).
struct KeyReader {
  private var bytes: [UInt8] = []

  /// `true` if a key has begun that is not complete yet.
  var hasBytes: Bool { !bytes.isEmpty }

  /// Takes more bytes, as they were read.
  mutating func add(_ more: some Sequence<UInt8>) { bytes += more }

  /// The next keystroke; `nil` where more bytes are needed to tell.
  ///
  /// - Parameter isComplete: `true` if nothing follows for now: then a lone Esc is the key of that name and not the
  ///   beginning of a sequence.
  /// - Returns: The key, whose bytes are then gone.
  mutating func next(isComplete: Bool) -> Keystroke? {
    guard let first = bytes.first else { return nil }
    guard first != 0x1B else { return sequence(isComplete: isComplete) }
    let length = first.lengthInUTF8
    guard bytes.count >= length || isComplete else { return nil }
    let text = String(validating: bytes.prefix(length), as: UTF8.self)
    bytes.removeFirst(min(length, bytes.count))
    return key(first) ?? text?.first.map(Keystroke.text) ?? .other
  }

  private func key(_ byte: UInt8) -> Keystroke? {
    switch byte {
    case 0x0A, 0x0D: .enter
    case 0x08, 0x7F: .backspace
    case 0x15: .eraseLine
    // Ctrl-C, Ctrl-D, Ctrl-\: the signal keys are off, so that the caller gets them.
    case 0x03, 0x04, 0x1C: .cancel
    // Ctrl-N and Ctrl-P, as in line editors; Tab goes on.
    case 0x09, 0x0E: .down
    case 0x10: .up
    case ..<0x20: .other
    default: nil
    }
  }

  /// A key whose bytes begin with Esc: Esc itself, or `ESC [ … final` and `ESC O final` for a special key.
  private mutating func sequence(isComplete: Bool) -> Keystroke? {
    guard bytes.count > 1 else { return isComplete ? take(1, as: .cancel) : nil }
    guard bytes[1] == UInt8(ascii: "[") || bytes[1] == UInt8(ascii: "O") else { return take(1, as: .cancel) }
    guard let end = bytes.dropFirst(2).firstIndex(where: { (0x40...0x7E).contains($0) }) else {
      return isComplete ? take(bytes.count, as: .other) : nil
    }
    let key: Keystroke =
      switch String(decoding: bytes[2...end], as: UTF8.self) {
      case "A": .up
      case "B": .down
      case "H", "1~", "7~": .home
      case "F", "4~", "8~": .end
      case "5~": .pageUp
      case "6~": .pageDown
      default: .other
      }
    return take(end + 1, as: key)
  }

  private mutating func take(_ count: Int, as key: Keystroke) -> Keystroke {
    bytes.removeFirst(count)
    return key
  }
}

extension UInt8 {
  /// The number of bytes of a character that begins with this one.
  fileprivate var lengthInUTF8: Int {
    switch self {
    case 0xC2...0xDF: 2
    case 0xE0...0xEF: 3
    case 0xF0...0xF4: 4
    default: 1
    }
  }
}
