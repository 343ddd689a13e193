import AcctPorts
import Glibc
import NIOCore
import NIOHTTP1

/// Carries every byte of a message's head through NIO, whose parts hold fields as UTF-8 text.
///
/// Between ``WireSide`` and ``MessageSide`` each byte beyond ASCII is the character of its number (ISO 8859-1); NIO
/// would put U+FFFD in place of bytes that are no UTF-8. NIO alone decides where messages begin and end: an error
/// here can change characters, never the framing.
final class FieldBytes {
  /// `true` while incoming bytes belong to a body.
  private var isInBody = false
  /// The rest of the body, in bytes, if its client has announced its length.
  private var left: Int64?
  private var isWritingHead = false

  /// The text of a field that NIO carried.
  static func text(_ carried: String) -> String {
    carried.isASCII ? carried : FieldText.text(contracted(Array(carried.utf8)))
  }

  /// The text for NIO to carry.
  static func carried(_ text: String) -> String {
    text.isASCII ? text : String(decoding: expanded(FieldText.bytes(text)), as: UTF8.self)
  }

  /// The side of the connection.
  final class WireSide: ChannelDuplexHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer
    typealias OutboundIn = IOData
    typealias OutboundOut = IOData
    private let place: FieldBytes
    private var search = EmptyLine()

    init(_ place: FieldBytes) { self.place = place }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
      var bytes = unwrapInboundIn(data)
      // In pieces that end where a message may end: the next piece may be of another kind.
      while bytes.readableBytes > 0 {
        var count = bytes.readableBytes
        if place.isInBody, let left = place.left {
          count = Int(min(Int64(count), left))
          place.left = left - Int64(count)
        } else {
          count = search.end(in: bytes) ?? count
        }
        guard let piece = bytes.readSlice(length: max(count, 1)) else { return }
        context.fireChannelRead(wrapInboundOut(place.isInBody ? piece : expanded(piece)))
      }
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
      guard place.isWritingHead, case .byteBuffer(let head) = unwrapOutboundIn(data),
        !head.readableBytesView.allSatisfy({ $0 < 0x80 })
      else { return context.write(data, promise: promise) }
      let bytes = ByteBuffer(bytes: contracted(Array(head.readableBytesView)))
      context.write(wrapOutboundOut(.byteBuffer(bytes)), promise: promise)
    }
  }

  /// The side of NIO's parts.
  final class MessageSide: ChannelDuplexHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundIn = HTTPServerResponsePart
    private let place: FieldBytes

    init(_ place: FieldBytes) { self.place = place }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
      switch unwrapInboundIn(data) {
      case .head(let head):
        place.isInBody = true
        place.left = head.headers.contains(name: "Transfer-Encoding") ? nil : head.length ?? 0
      case .body: break
      case .end: place.isInBody = false
      }
      context.fireChannelRead(data)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
      if case .head = unwrapOutboundIn(data) { place.isWritingHead = true }
      context.write(data, promise: promise)
      place.isWritingHead = false
    }
  }
}

/// Finds the ends of heads and of chunked bodies: an empty line, wherever reads cut it.
private struct EmptyLine {
  /// The last two bytes that were searched before.
  private var tail: (UInt8, UInt8) = (0, 0)

  /// The number of bytes up to the next end, and with it.
  mutating func end(in buffer: ByteBuffer) -> Int? {
    let found = unsafe buffer.withUnsafeReadableBytes { bytes in unsafe Self.end(in: bytes, after: tail) }
    let searched = buffer.readableBytesView.prefix(found ?? buffer.readableBytes)
    for byte in searched.suffix(2) { tail = (tail.1, byte) }
    return found
  }

  private static func end(in bytes: UnsafeRawBufferPointer, after tail: (UInt8, UInt8)) -> Int? {
    if tail == (0x0A, 0x0D), unsafe bytes.first == 0x0A { return 1 }
    if tail.1 == 0x0A, unsafe isLineEnd(in: bytes, at: 0) { return 2 }
    var start = 0
    while start < bytes.count, let base = bytes.baseAddress,
      let found = unsafe memchr(base + start, 0x0A, bytes.count - start)
    {
      let place = unsafe UnsafeRawPointer(found) - base
      if unsafe isLineEnd(in: bytes, at: place + 1) { return place + 3 }
      start = place + 1
    }
    return nil
  }

  private static func isLineEnd(in bytes: UnsafeRawBufferPointer, at place: Int) -> Bool {
    unsafe place + 1 < bytes.count && bytes[place] == 0x0D && bytes[place + 1] == 0x0A
  }
}

private func expanded(_ piece: ByteBuffer) -> ByteBuffer {
  guard !piece.readableBytesView.allSatisfy({ $0 < 0x80 }) else { return piece }
  return ByteBuffer(bytes: expanded(Array(piece.readableBytesView)))
}

/// Each byte as the UTF-8 of the character of its number.
private func expanded(_ bytes: [UInt8]) -> [UInt8] {
  bytes.flatMap { $0 < 0x80 ? [$0] : [0xC0 | $0 >> 6, 0x80 | $0 & 0x3F] }
}

/// The reverse of ``expanded(_:)``; text that it can't have made stays as it is.
private func contracted(_ bytes: [UInt8]) -> [UInt8] {
  var contracted: [UInt8] = []
  var index = 0
  while index < bytes.count {
    if [0xC2, 0xC3].contains(bytes[index]), index + 1 < bytes.count {
      contracted.append(bytes[index] << 6 | bytes[index + 1] & 0x3F)
      index += 2
    } else {
      contracted.append(bytes[index])
      index += 1
    }
  }
  return contracted
}

extension String {
  fileprivate var isASCII: Bool { utf8.allSatisfy { $0 < 0x80 } }
}
