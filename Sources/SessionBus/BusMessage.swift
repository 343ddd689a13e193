package import Secrets

/// A message that was received; its bytes may hold a secret, and are wiped with it.
package struct BusMessage: Sendable {
  static let protocolVersion: UInt8 = 1
  /// The longest message that is read, in bytes.
  ///
  /// The specification allows 128 MiB, which any client of the bus could make acct hold in memory.
  static let sizeLimit = 1 << 22
  /// So many bytes tell how long a message is.
  static let prologueCount = 16

  private let bytes: Secret
  private let isLittleEndian: Bool
  private let bodyStart: Int
  private let type: MessageType?
  private var signature = ""
  /// The path, the interface and the name of a signal.
  private(set) var subject: [String?] = []
  /// The unique name of its sender.
  package private(set) var sender: String?
  /// The number of the call that it answers; `nil` for a message that answers none, such as a signal.
  package private(set) var replySerial: UInt32?
  /// The name of the error, if it is one.
  package private(set) var errorName: String?

  /// `true` for a signal.
  var isSignal: Bool { type == .signal }

  /// Reads the header of a message.
  ///
  /// - Parameter bytes: The whole message, and nothing else.
  /// - Throws: ``BusError/malformed`` or ``BusError/tooLarge``.
  package init(_ bytes: Secret) throws(BusError) {
    self.bytes = bytes
    let (header, order) = try bytes.withBytes { bytes throws(BusError) in
      guard let order = Self.byteOrder(of: bytes), try Self.length(of: bytes) == bytes.count else { throw .malformed }
      return (try Header(bytes, isLittleEndian: order), order)
    }
    isLittleEndian = order
    bodyStart = header.end
    type = header.type
    signature = header.signature
    sender = header.sender
    switch header.type {
    case .methodReturn: replySerial = header.replySerial
    case .error:
      replySerial = header.replySerial
      errorName = header.errorName ?? ""
    case .signal: subject = [header.path, header.interface, header.member]
    default: break
    }
  }

  /// Reads the body, if it is of the type that the call's answer must have.
  ///
  /// - Throws: ``BusError/malformed``.
  package func answer<Answer>(to call: BusCall<Answer>) throws(BusError) -> Answer {
    guard errorName == nil, signature == call.answerSignature else { throw .malformed }
    return try body(call.read)
  }

  /// Reads the content of a signal, if this is that signal.
  ///
  /// - Throws: ``BusError/malformed``.
  package func content<Content>(of signal: BusSignal<Content>) throws(BusError) -> Content? {
    guard subject == [signal.path, signal.interface, signal.name] else { return nil }
    guard signature == signal.signature else { throw .malformed }
    return try body(signal.read)
  }

  private func body<Content>(
    _ read: (inout WireReader, Span<UInt8>) throws(BusError) -> Content
  ) throws(BusError) -> Content {
    try bytes.withBytes { bytes throws(BusError) in
      // Alignment counts from the message's start, and the body's is a multiple of 8.
      var reader = WireReader(at: bodyStart, isLittleEndian: isLittleEndian)
      return try read(&reader, bytes)
    }
  }

  /// The number of bytes of the message that begins with these.
  ///
  /// - Throws: ``BusError/malformed`` or ``BusError/tooLarge``.
  static func length(of prologue: Span<UInt8>) throws(BusError) -> Int {
    guard prologue.count >= prologueCount, let isLittleEndian = byteOrder(of: prologue), prologue[3] == protocolVersion
    else { throw .malformed }
    var reader = WireReader(at: 4, isLittleEndian: isLittleEndian)
    let body = Int(try reader.uint32(in: prologue))
    _ = try reader.uint32(in: prologue)
    let fields = Int(try reader.uint32(in: prologue))
    let length = (prologueCount + fields + 7) / 8 * 8 + body
    guard length <= sizeLimit else { throw .tooLarge }
    return length
  }

  private static func byteOrder(of bytes: Span<UInt8>) -> Bool? {
    switch bytes.isEmpty ? 0 : bytes[0] {
    case UInt8(ascii: "l"): true
    case UInt8(ascii: "B"): false
    default: nil
    }
  }
}

/// The part of a message that describes it.
private struct Header {
  let type: MessageType?
  var end = 0
  var signature = ""
  var path, interface, member: String?
  var sender: String?
  var replySerial: UInt32?
  var errorName: String?

  init(_ bytes: Span<UInt8>, isLittleEndian: Bool) throws(BusError) {
    // Types of message that are not known yet are to be ignored.
    type = MessageType(rawValue: bytes[1])
    var reader = WireReader(at: 12, isLittleEndian: isLittleEndian)
    _ = try reader.array(alignedTo: 8, in: bytes) { reader, bytes throws(BusError) in
      let field = HeaderField(rawValue: try reader.byte(in: bytes))
      let type = try reader.signature(in: bytes)
      switch (field, type) {
      case (.signature, "g"): signature = try reader.signature(in: bytes)
      case (.path, "o"): path = try reader.string(in: bytes)
      case (.interface, "s"): interface = try reader.string(in: bytes)
      case (.member, "s"): member = try reader.string(in: bytes)
      case (.sender, "s"): sender = try reader.string(in: bytes)
      case (.errorName, "s"): errorName = try reader.string(in: bytes)
      case (.replySerial, "u"): replySerial = try reader.uint32(in: bytes)
      // Fields that are not known are to be ignored, with values of any type ("Header Fields").
      case (nil, _), (.destination, _), (.descriptorCount, _): try reader.skip(type, in: bytes)
      default: throw .malformed
      }
    }
    try reader.align(8, in: bytes)
    end = reader.position
  }
}

/// A signal that is waited for, and the way to read its values.
package struct BusSignal<Content> {
  package let path: String
  package let interface: String
  package let name: String
  /// The D-Bus signature that the content is held to before it is read.
  package let signature: String
  package let read: (inout WireReader, Span<UInt8>) throws(BusError) -> Content

  package init(
    path: String,
    interface: String,
    name: String,
    signature: String,
    read: @escaping (inout WireReader, Span<UInt8>) throws(BusError) -> Content
  ) {
    self.path = path
    self.interface = interface
    self.name = name
    self.signature = signature
    self.read = read
  }

  /// The rule by which the bus passes it on to us (D-Bus Specification, "Match Rules").
  ///
  /// - Parameters:
  ///   - sender: The unique name of the process that emits it, or the bus.
  ///   - argument: The value that its first argument must have, if that matters.
  /// - Returns: The rule.
  func rule(from sender: String, argument: String? = nil) -> String {
    // None of the values can hold an apostrophe: they are names on the bus, and paths.
    "type='signal',sender='\(sender)',path='\(path)',interface='\(interface)',member='\(name)'"
      + (argument.map { ",arg0='\($0)'" } ?? "")
  }
}

extension BusSignal<(name: String, owner: String)> {
  /// Emitted by the bus when a name gets another owner, or none, which is an empty string.
  static var ownerChanged: BusSignal {
    BusSignal(
      path: "/org/freedesktop/DBus",
      interface: BusConnection.bus,
      name: "NameOwnerChanged",
      signature: "sss"
    ) { reader, bytes throws(BusError) in
      let name = try reader.string(in: bytes)
      _ = try reader.string(in: bytes)
      return (name, try reader.string(in: bytes))
    }
  }
}
