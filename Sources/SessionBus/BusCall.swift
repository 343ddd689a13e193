package import Secrets

/// A method call, and how to read the answer that it must have.
package struct BusCall<Answer> {
  package let path: String
  package let interface: String
  package let method: String
  /// The D-Bus signature of the arguments, and the arguments themselves.
  package let signature: String
  package let arguments: WireWriter
  /// The D-Bus signature that an answer must have before it is read.
  package let answerSignature: String
  package let read: (inout WireReader, Span<UInt8>) throws(BusError) -> Answer

  package init(
    path: String,
    interface: String,
    method: String,
    signature: String = "",
    arguments: WireWriter = WireWriter(),
    answerSignature: String,
    read: @escaping (inout WireReader, Span<UInt8>) throws(BusError) -> Answer
  ) {
    self.path = path
    self.interface = interface
    self.method = method
    self.signature = signature
    self.arguments = arguments
    self.answerSignature = answerSignature
    self.read = read
  }

  /// The whole message (D-Bus Specification, "Message Format").
  ///
  /// - Parameters:
  ///   - serial: The number that the reply will name.
  ///   - destination: A name on the bus.
  /// - Returns: Its bytes; wiping them, where the arguments hold a secret, is the caller's business.
  package func message(serial: UInt32, to destination: String) -> [UInt8] {
    var message = WireWriter(secretCount: arguments.count)
    message.byte(UInt8(ascii: isLittleEndianMachine ? "l" : "B"))
    message.byte(MessageType.methodCall.rawValue)
    // NO_AUTO_START: a service is started by a call of its own, so that its process is known.
    message.byte(2)
    message.byte(BusMessage.protocolVersion)
    message.uint32(UInt32(arguments.count))
    message.uint32(serial)
    message.array(alignedTo: 8) { fields in
      for (field, type, value) in [
        (HeaderField.path, "o", path), (.destination, "s", destination),
        (.interface, "s", interface), (.member, "s", method),
      ] {
        fields.align(8)
        fields.byte(field.rawValue)
        fields.variant(type) { $0.string(value) }
      }
      guard !signature.isEmpty else { return }
      fields.align(8)
      fields.byte(HeaderField.signature.rawValue)
      fields.variant("g") { $0.signature(signature) }
    }
    message.align(8)
    message.append(arguments)
    return message.bytes
  }
}

enum MessageType: UInt8 { case methodCall = 1, methodReturn, error, signal }

enum HeaderField: UInt8 {
  case path = 1, interface, member, errorName, replySerial, destination, sender, signature
  case descriptorCount
}

/// Why the bus, or a message from it, could not be used.
package enum BusError: Error, Equatable, Sendable {
  /// It is not there, rejects us, or hung up; the reason of the system or the bus.
  case unreachable(reason: String)
  /// The deadline passed.
  case timedOut
  /// The received bytes are not D-Bus, or not of the types that were asked for.
  case malformed
  /// A message is longer than any that acct can use.
  case tooLarge
  /// The process that a signal was expected from left the bus.
  case peerLeft
}

extension BusCall {
  /// A call to the bus itself (D-Bus Specification, "Message Bus Messages").
  static func toBus(
    _ method: String,
    _ signature: String = "",
    _ arguments: WireWriter = WireWriter(),
    answer: String,
    read: @escaping (inout WireReader, Span<UInt8>) throws(BusError) -> Answer
  ) -> BusCall {
    BusCall(
      path: "/org/freedesktop/DBus",
      interface: BusConnection.bus,
      method: method,
      signature: signature,
      arguments: arguments,
      answerSignature: answer,
      read: read
    )
  }
}

extension BusCall<String> {
  /// Introduces this connection to the bus, which answers with its unique name.
  static var hello: BusCall {
    toBus("Hello", answer: "s") { reader, bytes throws(BusError) in try reader.string(in: bytes) }
  }

  /// Asks for the unique name of the process that owns a name.
  package static func owner(of name: String) -> BusCall {
    var arguments = WireWriter()
    arguments.string(name)
    return toBus("GetNameOwner", "s", arguments, answer: "s") { reader, bytes throws(BusError) in
      try reader.string(in: bytes)
    }
  }
}

extension BusCall<Void> {
  /// Has the bus start the service that provides a name, unless it runs.
  package static func start(_ name: String) -> BusCall {
    var arguments = WireWriter()
    arguments.string(name)
    arguments.uint32(0)
    return toBus("StartServiceByName", "su", arguments, answer: "u") {
      reader,
      bytes throws(BusError) in _ = try reader.uint32(in: bytes)
    }
  }

  /// Has the bus pass on signals that match a rule.
  static func addMatch(_ rule: String) -> BusCall {
    var arguments = WireWriter()
    arguments.string(rule)
    return toBus("AddMatch", "s", arguments, answer: "") { _, _ throws(BusError) in }
  }
}

/// D-Bus values in the wire format, in the machine's byte order (D-Bus Specification,
/// "Marshaling (Wire Format)").
///
/// The first byte is at a multiple of 8, as that of a message's body is.
package struct WireWriter {
  private(set) var bytes: [UInt8] = []

  /// Creates an empty writer.
  ///
  /// - Parameter secretCount: The bytes of the secrets that will be written: with room for them from
  ///   the start, no half-grown copy of a secret is left behind unwiped.
  package init(secretCount: Int = 0) { bytes.reserveCapacity(secretCount + 1024) }

  /// The number of bytes.
  package var count: Int { bytes.count }

  /// Pads with zeros to a multiple of `boundary`; 8 begins a structure or a dictionary entry.
  package mutating func align(_ boundary: Int) {
    while bytes.count % boundary != 0 { bytes.append(0) }
  }

  /// Writes a `y`.
  package mutating func byte(_ value: UInt8) { bytes.append(value) }

  /// Writes a `u`.
  package mutating func uint32(_ value: UInt32) {
    align(4)
    for shift in UInt32.shiftsInMemoryOrder { bytes.append(UInt8(truncatingIfNeeded: value >> shift)) }
  }

  /// Writes a `b`.
  package mutating func boolean(_ value: Bool) { uint32(value ? 1 : 0) }

  /// Writes an `s` or an `o`.
  package mutating func string(_ text: String) {
    uint32(UInt32(text.utf8.count))
    bytes.append(contentsOf: text.utf8)
    bytes.append(0)
  }

  /// Writes a `g`.
  package mutating func signature(_ text: String) {
    bytes.append(UInt8(text.utf8.count))
    bytes.append(contentsOf: text.utf8)
    bytes.append(0)
  }

  /// Writes an `ay`.
  package mutating func bytes(_ secret: Secret) {
    uint32(UInt32(secret.count))
    secret.withBytes { span in
      for index in span.indices { bytes.append(span[index]) }
    }
  }

  /// Writes a `v`: the signature, and then the value, which `body` writes.
  package mutating func variant(_ type: String, _ body: (inout WireWriter) -> Void) {
    signature(type)
    body(&self)
  }

  /// Writes an array of elements, which `body` writes, each aligned to `boundary`.
  package mutating func array(alignedTo boundary: Int, _ body: (inout WireWriter) -> Void) {
    uint32(0)
    let lengthEnd = bytes.count
    align(boundary)
    let start = bytes.count
    body(&self)
    let length = UInt32(bytes.count - start)
    for (index, shift) in UInt32.shiftsInMemoryOrder.enumerated() {
      bytes[lengthEnd - 4 + index] = UInt8(truncatingIfNeeded: length >> shift)
    }
  }

  mutating func append(_ other: WireWriter) { bytes.append(contentsOf: other.bytes) }
}

extension UInt32 {
  /// The shift for each byte of a number, from the lowest address up.
  static var shiftsInMemoryOrder: [UInt32] { isLittleEndianMachine ? [0, 8, 16, 24] : [24, 16, 8, 0] }
}

/// The byte order of this machine, which messages are written in.
let isLittleEndianMachine = UInt16(1).littleEndian == 1
