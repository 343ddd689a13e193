package import Secrets

/// Writes a message in the encoding of Protocol Buffers.
///
/// A field is written wherever it is named here: leaving out what has its default value, as the encoding
/// permits, is the caller's choice.
package struct MessageWriter: Sendable {
  package private(set) var bytes: [UInt8] = []

  /// - Parameter capacity: The number of bytes that will be written: an array that grows leaves copies behind.
  package init(capacity: Int = 0) { bytes.reserveCapacity(capacity) }

  /// Writes an `int64`, `bool` or `enum`; a negative number takes ten bytes.
  package mutating func number(_ field: Int, _ value: Int64) {
    tag(field, .varint)
    varint(UInt64(bitPattern: value))
  }

  /// Writes `bytes`, or a `string` that is its UTF-8.
  package mutating func bytes(_ field: Int, _ value: some Collection<UInt8>) {
    tag(field, .bytes)
    varint(UInt64(value.count))
    bytes.append(contentsOf: value)
  }

  /// Writes a message in this one.
  package mutating func message(_ field: Int, _ message: MessageWriter) { bytes(field, message.bytes) }

  /// Gives its bytes up as a secret; none stay here.
  package mutating func secret() -> Secret {
    var taken: [UInt8] = []
    swap(&taken, &bytes)
    return Secret(consuming: &taken)
  }

  private mutating func tag(_ field: Int, _ type: WireType) { varint(UInt64(field) << 3 | UInt64(type.rawValue)) }

  private mutating func varint(_ value: UInt64) {
    var rest = value
    while rest >= 0x80 {
      bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    bytes.append(UInt8(rest))
  }
}

/// The encoding of a field's value; groups, which proto3 does not have, are left out.
enum WireType: UInt8 {
  case varint = 0
  case eightBytes = 1
  case bytes = 2
  case fourBytes = 5
}
