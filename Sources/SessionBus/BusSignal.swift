/// A signal that is waited for, and how to read what it says.
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

  /// The call that has the bus pass it on to us (D-Bus Specification, "Match Rules").
  ///
  /// - Parameter sender: The unique name of who emits it.
  /// - Returns: A call to the bus itself.
  func subscription(from sender: String) -> BusCall<Void> {
    var arguments = WireWriter()
    // None of the values can hold an apostrophe: they are names on the bus, and paths.
    arguments.string(
      "type='signal',sender='\(sender)',path='\(path)',interface='\(interface)',member='\(name)'"
    )
    return BusCall(
      path: "/org/freedesktop/DBus",
      interface: BusConnection.bus,
      method: "AddMatch",
      signature: "s",
      arguments: arguments,
      answerSignature: ""
    ) { _, _ throws(BusError) in }
  }
}
