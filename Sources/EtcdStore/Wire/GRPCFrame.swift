/// The frame of a message in gRPC over HTTP/2 ("Length-Prefixed-Message"): a flag, its length, and it.
package enum GRPCFrame {
  /// How many bytes come before a message.
  package static let prefixCount = 5

  /// The bytes that come before a message.
  package static func prefix(of count: Int) -> [UInt8] {
    // Not compressed, and a length of four bytes, the highest first.
    [0] + (0..<4).reversed().map { UInt8(truncatingIfNeeded: count >> ($0 * 8)) }
  }

  /// The only message of a body.
  package static func message(in body: [UInt8]) throws(WireFlaw) -> ArraySlice<UInt8> {
    guard body.count >= prefixCount else { throw .truncated }
    guard body[0] == 0 else { throw .compressed }
    let count = body[1..<prefixCount].reduce(0) { $0 << 8 | Int($1) }
    let message = body[prefixCount...]
    guard message.count >= count else { throw .truncated }
    guard message.count == count else { throw .trailingBytes }
    return message
  }
}
