import Text

/// The fields of a reply in gRPC over HTTP/2, those behind its body among them.
package struct ReplyHead: Equatable, Sendable {
  /// HTTP's.
  package private(set) var status = 0
  /// `true` if the body is gRPC's.
  package private(set) var isGRPC = false
  /// The result of the call; `nil` until that is known.
  package private(set) var call: CallStatus?
  private var code: Int?
  private var message = ""
  private var size = 0

  package init() {}

  /// The most bytes of all lines together.
  package static let limit = 1 << 15

  /// Takes a line with its end, as libcurl hands it over: of the head, or of the trailer.
  package mutating func take(_ line: [UInt8]) throws(WireFlaw) {
    size += line.count
    guard size <= Self.limit else { throw .tooLarge }
    let text = String(decoding: line, as: UTF8.self)
    if text.hasPrefix("HTTP/") {
      let words = text.split(whereSeparator: \.isWhitespace)
      // An older HTTP has no trailer to hold a status.
      guard words.count >= 2, words[0] == "HTTP/2", let status = Int(words[1]) else { throw .malformedHead }
      self.status = status
      return
    }
    guard let colon = text.firstIndex(of: ":") else { return }
    var value = text[text.index(after: colon)...].drop(while: \.isWhitespace)
    while value.last?.isWhitespace == true { value.removeLast() }
    switch text[..<colon].lowercased() {
    case "content-type": isGRPC = value.hasPrefix("application/grpc")
    case "grpc-status":
      guard let code = Int(value), (0...Int(UInt16.max)).contains(code) else { throw .malformedHead }
      self.code = code
    case "grpc-message": message = CallStatus.decoded(value)
    default: return
    }
    call = code.map { CallStatus(code: $0, message: message) }
  }
}

/// The result of a call: a status of gRPC, and the server's message.
package struct CallStatus: Equatable, Sendable {
  package var code: Int
  /// From the server: to be compared, and to be shown only with care.
  package var message: String

  package init(code: Int, message: String) {
    self.code = code
    self.message = message
  }

  /// Takes percent-encoding away; text that has none stays as it is, as gRPC wants it.
  package static func decoded(_ text: some StringProtocol) -> String {
    let encoded = Array(text.utf8)
    return String(decoding: percentDecoded(encoded.span).bytes, as: UTF8.self)
  }
}

/// The frame of a message in gRPC over HTTP/2 ("Length-Prefixed-Message"): a flag, its length, and it.
package enum GRPCFrame {
  /// The number of bytes before a message.
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
