extension WireReader {
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
