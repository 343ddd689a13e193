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
