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
