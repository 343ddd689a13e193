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
