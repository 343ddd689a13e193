extension JSONNumber {
  /// What is found where a number should begin.
  enum Scan: Equatable {
    /// A number, and the offset behind its last character.
    case number(end: Int)
    /// The beginning of a number, and then the end of the text.
    case truncated
    case unexpected(offset: Int)
  }

  /// Finds how far a number reaches (RFC 8259, section 6): no `+`, no leading zero, digits on
  /// both sides of the point.
  static func length(in bytes: Span<UInt8>, from start: Int) -> Scan {
    var position = start

    func byte() -> UInt8? { position < bytes.count ? bytes[position] : nil }
    func isDigit() -> Bool { byte().map { (0x30...0x39).contains($0) } ?? false }
    func failure() -> Scan { position < bytes.count ? .unexpected(offset: position) : .truncated }
    func skipDigits() -> Bool {
      let first = position
      while isDigit() { position += 1 }
      return position > first
    }

    if byte() == .minus { position += 1 }
    if byte() == UInt8(ascii: "0") {
      // A digit after it is not part of the number, and is an unexpected byte for the caller.
      position += 1
    } else if !skipDigits() {
      return failure()
    }
    if byte() == UInt8(ascii: ".") {
      position += 1
      guard skipDigits() else { return failure() }
    }
    if byte() == UInt8(ascii: "e") || byte() == UInt8(ascii: "E") {
      position += 1
      if byte() == UInt8(ascii: "+") || byte() == .minus { position += 1 }
      guard skipDigits() else { return failure() }
    }
    return .number(end: position)
  }
}
