import AcctModel

/// A position in a structured field, and the grammar of RFC 9651, section 4.2, from there on.
struct StructuredFieldReader {
  private let bytes: [UInt8]
  private var position = 0

  /// Several lines of one field are one list (section 4.2).
  init(_ lines: [String]) { bytes = Array(lines.joined(separator: ", ").utf8) }

  private var next: UInt8? { position < bytes.count ? bytes[position] : nil }

  /// Reads members between commas, to the end of the field.
  mutating func members<Member>(
    _ member: (inout StructuredFieldReader) -> Member?
  ) -> [Member]? {
    var members: [Member] = []
    skip(" ")
    while next != nil {
      guard let read = member(&self) else { return nil }
      members.append(read)
      skip(" \t")
      guard next != nil else { return members }
      guard take(",") else { return nil }
      skip(" \t")
      // A comma that ends the field promises a member that isn't there.
      guard next != nil else { return nil }
    }
    return members
  }

  mutating func item() -> StructuredField.Item? {
    guard let bare = bare(), let parameters = parameters() else { return nil }
    return StructuredField.Item(bare: bare, parameters: parameters)
  }

  mutating func parameters() -> [String: StructuredField.Bare]? {
    var parameters: [String: StructuredField.Bare] = [:]
    while take(";") {
      skip(" ")
      guard let name = key() else { return nil }
      guard take("=") else {
        parameters[name] = .boolean(true)
        continue
      }
      guard let value = bare() else { return nil }
      parameters[name] = value
    }
    return parameters
  }

  mutating func key() -> String? {
    guard let first = next, isLower(first) || first == UInt8(ascii: "*") else { return nil }
    return text { isLower($0) || isDigit($0) || "_-.*".utf8.contains($0) }
  }

  mutating func take(_ character: Unicode.Scalar) -> Bool {
    guard let next, UInt32(next) == character.value else { return false }
    position += 1
    return true
  }

  private mutating func bare() -> StructuredField.Bare? {
    guard let first = next else { return nil }
    switch first {
    case UInt8(ascii: "-"), 0x30...0x39: return number()
    case UInt8(ascii: "\""): return string().map { .string($0) }
    case UInt8(ascii: "*"), 0x41...0x5A, 0x61...0x7A:
      return .token(text { $0.isHTTPTokenCharacter || ":/".utf8.contains($0) })
    case UInt8(ascii: ":"): return byteSequence()
    case UInt8(ascii: "?"):
      position += 1
      if take("1") { return .boolean(true) }
      return take("0") ? .boolean(false) : nil
    case UInt8(ascii: "@"):
      position += 1
      return number()?.integer.map { .date($0) }
    default: return nil
    }
  }

  /// An integer of at most 15 digits, or a decimal of at most 12 and 3 (section 4.2.4).
  private mutating func number() -> StructuredField.Bare? {
    let isNegative = take("-")
    let whole = text(where: isDigit)
    guard (1...15).contains(whole.utf8.count) else { return nil }
    guard take(".") else { return Int64(whole).map { .integer(isNegative ? -$0 : $0) } }
    let fraction = text(where: isDigit)
    guard whole.utf8.count <= 12, (1...3).contains(fraction.utf8.count) else { return nil }
    return Double("\(whole).\(fraction)").map { .decimal(isNegative ? -$0 : $0) }
  }

  private mutating func string() -> String? {
    position += 1
    var content: [UInt8] = []
    while let byte = next {
      position += 1
      switch byte {
      case UInt8(ascii: "\""): return String(decoding: content, as: UTF8.self)
      case UInt8(ascii: "\\"):
        guard let escaped = next, "\"\\".utf8.contains(escaped) else { return nil }
        position += 1
        content.append(escaped)
      case 0x20...0x7E: content.append(byte)
      default: return nil
      }
    }
    return nil
  }

  private mutating func byteSequence() -> StructuredField.Bare? {
    position += 1
    let content = text { isLower($0) || isUpper($0) || isDigit($0) || "+/=".utf8.contains($0) }
    return take(":") ? .bytes(content) : nil
  }

  private mutating func skip(_ characters: String) {
    while let next, characters.utf8.contains(next) { position += 1 }
  }

  private mutating func text(where belongs: (UInt8) -> Bool) -> String {
    let start = position
    while let next, belongs(next) { position += 1 }
    return String(decoding: bytes[start..<position], as: UTF8.self)
  }
}

private func isLower(_ byte: UInt8) -> Bool { (0x61...0x7A).contains(byte) }
private func isUpper(_ byte: UInt8) -> Bool { (0x41...0x5A).contains(byte) }
private func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }
