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
