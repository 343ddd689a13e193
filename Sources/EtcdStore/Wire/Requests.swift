package import Secrets
import Text

/// `RangeRequest` of etcd's `rpc.proto`: reads a key, or all keys under a prefix; linearizable.
package struct RangeRequest: Sendable {
  package var key: [UInt8]
  /// The first key that is not read any more; `nil` for the key alone.
  package var end: [UInt8]?
  package var keysOnly = false
  /// Leaves out keys that were last changed before.
  package var minimumRevision: Int64?

  /// Reads one key.
  package init(key: String) { self.key = Array(key.utf8) }

  /// Reads all keys that begin so.
  package init(prefix: String) {
    let start = Array(prefix.utf8)
    var end = start
    // UTF-8 has no byte 255, so that the last byte can always be one more.
    if let last = end.popLast() { end.append(last &+ 1) }
    // A zero byte stands for the first key, and for no end.
    key = start.isEmpty ? [0] : start
    self.end = end.isEmpty ? [0] : end
  }

  package var message: MessageWriter {
    var writer = MessageWriter()
    writer.bytes(1, key)
    if let end { writer.bytes(2, end) }
    if keysOnly { writer.number(8, 1) }
    if let minimumRevision { writer.number(10, minimumRevision) }
    return writer
  }
}

/// `TxnRequest` of etcd's `rpc.proto`: some of it is done at one moment.
package struct TxnRequest: Sendable {
  /// Decides: whether a key was last changed at a revision, 0 standing for a key that is not there.
  package var comparison: (key: String, revision: Int64)?
  /// The operations if that is so, or if nothing is compared.
  package var success: [Operation]
  /// The operations if it is not.
  package var failure: [Operation]

  package init(comparison: (key: String, revision: Int64)? = nil, success: [Operation], failure: [Operation] = []) {
    self.comparison = comparison
    self.success = success
    self.failure = failure
  }

  /// `RequestOp`.
  package enum Operation: Sendable {
    case range(RangeRequest)
    case put(key: String, value: [UInt8])
    case delete(key: String)
  }

  package var message: MessageWriter {
    var writer = MessageWriter()
    if let comparison {
      var compare = MessageWriter()
      // EQUAL and MOD; a revision of 0 has to be written, too: it is one of several that there may be.
      compare.number(1, 0)
      compare.number(2, 2)
      compare.bytes(3, comparison.key.utf8)
      compare.number(6, comparison.revision)
      writer.message(1, compare)
    }
    for operation in success { writer.message(2, operation.message) }
    for operation in failure { writer.message(3, operation.message) }
    return writer
  }
}

extension TxnRequest.Operation {
  fileprivate var message: MessageWriter {
    var writer = MessageWriter()
    switch self {
    case .range(let range): writer.message(1, range.message)
    case .put(let key, let value):
      var put = MessageWriter()
      put.bytes(1, key.utf8)
      put.bytes(2, value)
      writer.message(2, put)
    case .delete(let key):
      var delete = MessageWriter()
      delete.bytes(1, key.utf8)
      writer.message(3, delete)
    }
    return writer
  }
}

/// `AuthenticateRequest` of etcd's `rpc.proto`.
package struct AuthenticateRequest: Sendable {
  package var user: String
  package var password: Secret

  package init(user: String, password: Secret) {
    self.user = user
    self.password = password
  }

  /// The message, which has the password in it.
  package var message: Secret {
    // Two tags and two lengths have 22 bytes at most.
    var writer = MessageWriter(capacity: user.utf8.count + password.count + 22)
    writer.bytes(1, user.utf8)
    password.withBytes { span in
      var copy: [UInt8] = []
      copy.reserveCapacity(span.count)
      for index in span.indices { copy.append(span[index]) }
      writer.bytes(2, copy)
      wipe(&copy)
    }
    return writer.secret()
  }
}

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
