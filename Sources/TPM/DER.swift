import AcctModel

/// Tags of DER (X.690 §8) that a key's file has.
enum DERTag {
  static let boolean: UInt8 = 0x01
  static let integer: UInt8 = 0x02
  static let octetString: UInt8 = 0x04
  static let objectIdentifier: UInt8 = 0x06
  static let sequence: UInt8 = 0x30

  static func explicit(_ number: UInt8) -> UInt8 { 0xA0 | number }
}

/// A position in DER; bytes that are not DER, such as a length in more bytes than it needs, are refused.
///
/// Every step throws ``HardwareKeyFailure/unsuitable(reason:)``.
struct DERReader {
  private var rest: ArraySlice<UInt8>

  init(_ bytes: ArraySlice<UInt8>) { rest = bytes }

  /// The contents of the next element, which has the tag.
  mutating func contents(of tag: UInt8) throws(HardwareKeyFailure) -> ArraySlice<UInt8> {
    guard let contents = try optional(tag) else { throw .noKeyFile }
    return contents
  }

  /// The contents of the next element, if it has the tag.
  mutating func optional(_ tag: UInt8) throws(HardwareKeyFailure) -> ArraySlice<UInt8>? {
    guard rest.first == tag else { return nil }
    var after = rest.dropFirst()
    guard let first = after.popFirst() else { throw .noKeyFile }
    var count = Int(first)
    if first >= 0x80 {
      // Two bytes of length at most: a file has fewer than 65536.
      let bytes = Int(first & 0x7F)
      guard (1...2).contains(bytes), bytes <= after.count, after.first != 0 else { throw .noKeyFile }
      count = after.prefix(bytes).reduce(0) { $0 << 8 | Int($1) }
      after = after.dropFirst(bytes)
      guard count >= 0x80 else { throw .noKeyFile }
    }
    guard count <= after.count else { throw .noKeyFile }
    rest = after.dropFirst(count)
    return after.prefix(count)
  }

  /// A number that is not negative.
  mutating func uint32() throws(HardwareKeyFailure) -> UInt32 {
    var digits = try contents(of: DERTag.integer)
    guard let first = digits.first, first < 0x80 else { throw .noKeyFile }
    if first == 0, digits.count > 1 {
      digits.removeFirst()
      guard digits.first ?? 0 >= 0x80 else { throw .noKeyFile }
    }
    guard digits.count <= 4 else { throw .noKeyFile }
    return digits.reduce(0) { $0 << 8 | UInt32($1) }
  }

  /// Throws unless everything was read.
  func finish() throws(HardwareKeyFailure) {
    guard rest.isEmpty else { throw .noKeyFile }
  }
}

/// Writes elements of DER.
enum DERWriter {
  static func write(_ tag: UInt8, _ contents: [UInt8], to bytes: inout [UInt8]) {
    bytes.append(tag)
    let count = contents.count
    if count >= 0x100 {
      bytes += [0x82, UInt8(truncatingIfNeeded: count >> 8)]
    } else if count >= 0x80 {
      bytes.append(0x81)
    }
    bytes.append(UInt8(truncatingIfNeeded: count))
    bytes += contents
  }

  /// Writes a number as an INTEGER, whose first bit is its sign.
  static func write(_ number: UInt32, to bytes: inout [UInt8]) {
    var digits = (0..<4).map { UInt8(truncatingIfNeeded: number >> UInt32(24 - 8 * $0)) }
    while digits.count > 1, digits[0] == 0, digits[1] < 0x80 { digits.removeFirst() }
    write(DERTag.integer, digits[0] >= 0x80 ? [0] + digits : digits, to: &bytes)
  }
}
