package import Secrets

/// A position in D-Bus values of the wire format, and the reading from there on.
///
/// The bytes are an argument of each step, since a span cannot be stored. Nothing is read that was not asked for by
/// type, and a length is used only after it was compared with the number of bytes.
package struct WireReader {
  /// The number of bytes before the next one to read.
  private(set) var position: Int

  private let isLittleEndian: Bool

  init(at position: Int, isLittleEndian: Bool) {
    self.position = position
    self.isLittleEndian = isLittleEndian
  }

  /// Steps over padding; 8 begins a structure or a dictionary entry.
  ///
  /// - Throws: ``BusError/malformed``.
  package mutating func align(_ boundary: Int, in bytes: Span<UInt8>) throws(BusError) {
    let aligned = (position + boundary - 1) / boundary * boundary
    guard aligned <= bytes.count else { throw .malformed }
    position = aligned
  }

  /// Reads a `y`.
  ///
  /// - Throws: ``BusError/malformed``.
  package mutating func byte(in bytes: Span<UInt8>) throws(BusError) -> UInt8 {
    guard position < bytes.count else { throw .malformed }
    defer { position += 1 }
    return bytes[position]
  }

  /// Reads a `u`.
  ///
  /// - Throws: ``BusError/malformed``.
  package mutating func uint32(in bytes: Span<UInt8>) throws(BusError) -> UInt32 {
    UInt32(truncatingIfNeeded: try number(of: 4, in: bytes))
  }

  /// Reads a `t`.
  ///
  /// - Throws: ``BusError/malformed``.
  package mutating func uint64(in bytes: Span<UInt8>) throws(BusError) -> UInt64 { try number(of: 8, in: bytes) }

  /// Reads a `b`.
  ///
  /// - Throws: ``BusError/malformed``.
  package mutating func boolean(in bytes: Span<UInt8>) throws(BusError) -> Bool {
    switch try uint32(in: bytes) {
    case 0: false
    case 1: true
    default: throw .malformed
    }
  }

  /// Reads an `s` or an `o`.
  ///
  /// - Throws: ``BusError/malformed``.
  package mutating func string(in bytes: Span<UInt8>) throws(BusError) -> String {
    let length = Int(try uint32(in: bytes))
    return try text(length, in: bytes)
  }

  /// Reads a `g`.
  ///
  /// - Throws: ``BusError/malformed``.
  package mutating func signature(in bytes: Span<UInt8>) throws(BusError) -> String {
    let length = Int(try byte(in: bytes))
    return try text(length, in: bytes)
  }

  /// Reads an `ay` that holds a secret.
  ///
  /// - Throws: ``BusError/malformed``.
  package mutating func secret(in bytes: Span<UInt8>) throws(BusError) -> Secret {
    let length = Int(try uint32(in: bytes))
    guard length <= bytes.count - position else { throw .malformed }
    defer { position += length }
    return Secret(bytes.extracting(position..<(position + length)))
  }

  /// Reads a `v` that holds a value of this type, which `body` reads.
  ///
  /// - Throws: ``BusError/malformed``, also where it holds another type.
  package mutating func variant<Value>(
    _ type: String,
    in bytes: Span<UInt8>,
    _ body: (inout WireReader, Span<UInt8>) throws(BusError) -> Value
  ) throws(BusError) -> Value {
    guard try signature(in: bytes) == type else { throw .malformed }
    return try body(&self, bytes)
  }

  /// Reads an array of elements, which `element` reads, each aligned to `boundary`.
  ///
  /// - Throws: ``BusError/malformed``, also where the elements don't end with the array.
  package mutating func array<Element>(
    alignedTo boundary: Int,
    in bytes: Span<UInt8>,
    _ element: (inout WireReader, Span<UInt8>) throws(BusError) -> Element
  ) throws(BusError) -> [Element] {
    let length = Int(try uint32(in: bytes))
    try align(boundary, in: bytes)
    guard length <= bytes.count - position else { throw .malformed }
    let end = position + length
    let array = bytes.extracting(..<end)
    var elements: [Element] = []
    while position < end {
      try align(boundary, in: array)
      elements.append(try element(&self, array))
    }
    return elements
  }

  mutating func number(of size: Int, in bytes: Span<UInt8>) throws(BusError) -> UInt64 {
    try align(size, in: bytes)
    guard size <= bytes.count - position else { throw .malformed }
    var value: UInt64 = 0
    for index in 0..<size {
      let place = isLittleEndian ? index : size - 1 - index
      value |= UInt64(bytes[position + index]) << UInt64(8 * place)
    }
    position += size
    return value
  }

  private mutating func text(_ length: Int, in bytes: Span<UInt8>) throws(BusError) -> String {
    guard length < bytes.count - position, bytes[position + length] == 0 else { throw .malformed }
    let piece = bytes.extracting(position..<(position + length))
    position += length + 1
    do { return String(copying: try UTF8Span(validating: piece)) } catch { throw .malformed }
  }

  /// The depth to which values may lie in each other: 32 arrays and 32 structures, by the specification.
  private static let depthLimit = 64

  /// Steps over one value of any type.
  ///
  /// - Parameters:
  ///   - signature: Its type, which must be one complete type.
  ///   - bytes: The message.
  /// - Throws: ``BusError/malformed``.
  mutating func skip(_ signature: String, in bytes: Span<UInt8>) throws(BusError) {
    try skip(signature, depth: 0, in: bytes)
  }

  private mutating func skip(_ signature: String, depth: Int, in bytes: Span<UInt8>) throws(BusError) {
    var types = Array(signature.utf8)[...]
    try skip(&types, depth, in: bytes)
    guard types.isEmpty else { throw .malformed }
  }

  private mutating func skip(_ types: inout ArraySlice<UInt8>, _ depth: Int, in bytes: Span<UInt8>) throws(BusError) {
    guard depth <= Self.depthLimit, let type = types.popFirst() else { throw .malformed }
    switch type {
    case UInt8(ascii: "s"), UInt8(ascii: "o"): _ = try string(in: bytes)
    case UInt8(ascii: "g"): _ = try signature(in: bytes)
    case UInt8(ascii: "v"): try skip(try signature(in: bytes), depth: depth + 1, in: bytes)
    case UInt8(ascii: "a"): try skipArray(&types, depth, in: bytes)
    case UInt8(ascii: "("):
      try align(8, in: bytes)
      repeat { try skip(&types, depth + 1, in: bytes) } while types.first != UInt8(ascii: ")")
      types.removeFirst()
    default:
      guard let size = Self.size(of: type) else { throw .malformed }
      _ = try number(of: size, in: bytes)
    }
  }

  /// Steps over an array by its length; its elements are not looked at.
  private mutating func skipArray(
    _ types: inout ArraySlice<UInt8>,
    _ depth: Int,
    in bytes: Span<UInt8>
  ) throws(BusError) {
    let length = Int(try uint32(in: bytes))
    guard let element = types.first else { throw .malformed }
    try align(Self.alignment(of: element), in: bytes)
    guard length <= bytes.count - position else { throw .malformed }
    position += length
    try Self.removeType(from: &types, depth + 1)
  }

  /// Removes one complete type from the front of a signature.
  private static func removeType(from types: inout ArraySlice<UInt8>, _ depth: Int) throws(BusError) {
    guard depth <= depthLimit, let type = types.popFirst() else { throw .malformed }
    let end: UInt8
    switch type {
    case UInt8(ascii: "a"): return try removeType(from: &types, depth + 1)
    case UInt8(ascii: "("): end = UInt8(ascii: ")")
    case UInt8(ascii: "{"): end = UInt8(ascii: "}")
    case UInt8(ascii: "s"), UInt8(ascii: "o"), UInt8(ascii: "g"), UInt8(ascii: "v"): return
    default:
      guard size(of: type) != nil else { throw .malformed }
      return
    }
    repeat { try removeType(from: &types, depth + 1) } while types.first != end
    types.removeFirst()
  }

  private static func alignment(of type: UInt8) -> Int {
    switch type {
    case UInt8(ascii: "("), UInt8(ascii: "{"): 8
    case UInt8(ascii: "g"), UInt8(ascii: "v"): 1
    default: size(of: type) ?? 4
    }
  }

  /// The size of a type of fixed size, in bytes, which is its alignment as well.
  private static func size(of type: UInt8) -> Int? {
    switch type {
    case UInt8(ascii: "y"): 1
    case UInt8(ascii: "n"), UInt8(ascii: "q"): 2
    case UInt8(ascii: "b"), UInt8(ascii: "i"), UInt8(ascii: "u"), UInt8(ascii: "h"): 4
    case UInt8(ascii: "x"), UInt8(ascii: "t"), UInt8(ascii: "d"): 8
    default: nil
    }
  }
}
