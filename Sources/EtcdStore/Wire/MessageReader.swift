/// Reads the fields of a message in the encoding of Protocol Buffers, one after the other.
///
/// Nothing is read beyond the bytes given. A reader takes the fields that it knows and passes over the others.
package struct MessageReader: Sendable {
  private var rest: ArraySlice<UInt8>

  package init(_ bytes: ArraySlice<UInt8>) { rest = bytes }

  /// A field as it was written.
  package struct Field: Sendable {
    package let number: Int
    fileprivate let value: Value

    fileprivate enum Value {
      case varint(UInt64)
      case bytes(ArraySlice<UInt8>)
      /// Of a width that none of the messages read here has.
      case fixed
    }
  }

  /// Reads the next field; `nil` at the end.
  package mutating func next() throws(WireFlaw) -> Field? {
    guard !rest.isEmpty else { return nil }
    let tag = try varint()
    // A field's number has at most 29 bits.
    guard tag >> 3 > 0, tag >> 3 < 1 << 29, let type = WireType(rawValue: UInt8(tag & 7)) else { throw .malformedTag }
    let number = Int(tag >> 3)
    switch type {
    case .varint: return Field(number: number, value: .varint(try varint()))
    case .bytes:
      let count = try varint()
      guard count <= UInt64(rest.count) else { throw .truncated }
      return Field(number: number, value: .bytes(try take(Int(count))))
    case .eightBytes: _ = try take(8)
    case .fourBytes: _ = try take(4)
    }
    return Field(number: number, value: .fixed)
  }

  private mutating func take(_ count: Int) throws(WireFlaw) -> ArraySlice<UInt8> {
    guard count <= rest.count else { throw .truncated }
    defer { rest = rest.dropFirst(count) }
    return rest.prefix(count)
  }

  private mutating func varint() throws(WireFlaw) -> UInt64 {
    var value: UInt64 = 0
    for shift in stride(from: UInt64(0), to: 64, by: 7) {
      guard let byte = rest.popFirst() else { throw .truncated }
      // The tenth byte has room for one bit.
      guard shift < 63 || byte <= 1 else { throw .oversizedNumber }
      value |= UInt64(byte & 0x7F) << shift
      if byte < 0x80 { return value }
    }
    throw .oversizedNumber
  }
}

extension MessageReader.Field {
  /// The value of an `uint64`.
  package func unsigned() throws(WireFlaw) -> UInt64 {
    guard case .varint(let number) = value else { throw .unexpectedType(field: number) }
    return number
  }

  /// The value of an `int64`.
  package func signed() throws(WireFlaw) -> Int64 { Int64(bitPattern: try unsigned()) }

  /// The value of a `bool`.
  package func flag() throws(WireFlaw) -> Bool { try unsigned() != 0 }

  /// The value of `bytes`, or a message's.
  package func bytes() throws(WireFlaw) -> ArraySlice<UInt8> {
    guard case .bytes(let bytes) = value else { throw .unexpectedType(field: number) }
    return bytes
  }

  /// The value of a `string`.
  package func text() throws(WireFlaw) -> String {
    guard let text = String(validating: try bytes(), as: UTF8.self) else { throw .invalidField(number) }
    return text
  }
}

/// Why a reply can't be read.
package enum WireFlaw: Error, Equatable, Sendable {
  /// It ends in the middle of something.
  case truncated
  /// A number has more than 64 bits.
  case oversizedNumber
  /// A field has a number or a wire type that does not exist.
  case malformedTag
  /// A field has another type than its message declares.
  case unexpectedType(field: Int)
  /// A field is not there, or has a value that it can't have.
  case invalidField(Int)
  /// It has more bytes than are read.
  case tooLarge
  /// It is compressed, which no request permits.
  case compressed
  /// More follows the one message that there is to be.
  case trailingBytes
  /// The head of the response is not that of gRPC.
  case malformedHead
}
