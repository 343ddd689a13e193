import AcctModel

/// A position in the structures of a TPM (TPM 2.0 Library, Part 1 §18; big-endian, no padding).
///
/// A length is compared with the rest before it is used. A step that finds less throws
/// ``HardwareKeyFailure/malformedReply(reason:)``.
struct Cursor {
  private(set) var rest: ArraySlice<UInt8>

  init(_ bytes: ArraySlice<UInt8>) { rest = bytes }

  mutating func byte() throws(HardwareKeyFailure) -> UInt8 {
    guard let first = rest.popFirst() else { throw .cut }
    return first
  }

  mutating func uint16() throws(HardwareKeyFailure) -> UInt16 { UInt16(truncatingIfNeeded: try number(of: 2)) }

  mutating func uint32() throws(HardwareKeyFailure) -> UInt32 { try number(of: 4) }

  /// So many bytes.
  mutating func take(_ count: Int) throws(HardwareKeyFailure) -> ArraySlice<UInt8> {
    guard count <= rest.count else { throw .cut }
    defer { rest = rest.dropFirst(count) }
    return rest.prefix(count)
  }

  /// The bytes of a TPM2B, without its count.
  mutating func sized(upTo limit: Int = 1024) throws(HardwareKeyFailure) -> ArraySlice<UInt8> {
    let count = Int(try uint16())
    guard count <= limit else { throw .malformedReply(reason: "a part of it is too long") }
    return try take(count)
  }

  /// A number of up to 32 bytes as a TPM2B, with the zeros at its front that a TPM may leave out.
  mutating func coordinate() throws(HardwareKeyFailure) -> [UInt8] {
    let number = try sized(upTo: 32)
    return Array(repeating: 0, count: 32 - number.count) + number
  }

  /// Throws if a number is not the one that must be here.
  mutating func expect(_ value: UInt16) throws(HardwareKeyFailure) {
    guard try uint16() == value else { throw .malformedReply(reason: "a part of it is of another kind") }
  }

  /// Throws unless everything was read.
  func finish() throws(HardwareKeyFailure) {
    guard rest.isEmpty else { throw .malformedReply(reason: "it is longer than its parts") }
  }

  private mutating func number(of size: Int) throws(HardwareKeyFailure) -> UInt32 {
    guard size <= rest.count else { throw .cut }
    var value: UInt32 = 0
    for byte in rest.prefix(size) { value = value << 8 | UInt32(byte) }
    rest = rest.dropFirst(size)
    return value
  }
}

extension HardwareKeyFailure {
  /// The reply ends too early.
  static let cut = malformedReply(reason: "it is cut short")
}
