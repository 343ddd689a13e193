import CLibSecret

/// A D-Bus message: an owned reference to a `GDBusMessage`.
@safe final class Message {
  let pointer: OpaquePointer

  /// Takes over a message.
  init(_ pointer: OpaquePointer) { unsafe self.pointer = pointer }

  /// Makes a method call to a name on the bus.
  init(_ call: Call, to name: String) {
    unsafe pointer = g_dbus_message_new_method_call(name, call.path, call.interface, call.method)
    if let arguments = call.arguments { unsafe g_dbus_message_set_body(pointer, arguments.pointer) }
  }

  deinit { unsafe g_object_unref(UnsafeMutableRawPointer(pointer)) }

  /// The name of the error, if it is one.
  var errorName: String? {
    guard unsafe g_dbus_message_get_message_type(pointer) == G_DBUS_MESSAGE_TYPE_ERROR else {
      return nil
    }
    return unsafe g_dbus_message_get_error_name(pointer).map { unsafe String(cString: $0) } ?? ""
  }

  /// The unique name of who sent it.
  var sender: String? {
    unsafe g_dbus_message_get_sender(pointer).map { unsafe String(cString: $0) }
  }

  /// The arguments as one structure.
  var body: Variant? {
    guard let body = unsafe g_dbus_message_get_body(pointer) else { return nil }
    // Lent, not given.
    return unsafe Variant(g_variant_ref(body))
  }
}
