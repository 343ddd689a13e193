import AcctPorts
import CLibSecret

/// One operation's own connection to the session bus, and through it to one provider.
///
/// A connection costs about a millisecond, and one that is never kept can never be stale: a
/// provider or a bus that was started anew is simply met by the next operation. The first answer
/// decides which process is talked to; should it go away, the rest of the operation fails rather than
/// ask a successor that may not have loaded its items yet.
@safe final class Connection {
  let loop: BoundedLoop
  let pointer: OpaquePointer
  private(set) var provider = "org.freedesktop.secrets"

  /// Connects and shakes hands.
  ///
  /// - Throws: `KeyringFailure.unavailable`, or `timedOut` if the bus does not answer.
  init(to address: BusAddress, loop: BoundedLoop) throws(KeyringFailure) {
    self.loop = loop
    let flags = GDBusConnectionFlags(
      G_DBUS_CONNECTION_FLAGS_AUTHENTICATION_CLIENT.rawValue
        | G_DBUS_CONNECTION_FLAGS_MESSAGE_BUS_CONNECTION.rawValue
    )
    let connecting = Completion()
    unsafe g_dbus_connection_new_for_address(
      address.text,
      flags,
      nil,
      loop.cancellable,
      connecting.callback,
      connecting.data
    )
    let connected = try loop.result(of: connecting)
    var error: UnsafeMutablePointer<GError>?
    guard
      let pointer = unsafe g_dbus_connection_new_for_address_finish(connected.result, &error)
    else { throw unsafe KeyringFailure(consuming: error) }
    unsafe self.pointer = pointer
  }

  // With its last reference goes the socket; to close it with a farewell could wait for ever.
  deinit { unsafe g_object_unref(UnsafeMutableRawPointer(pointer)) }

  /// Makes one call and returns the parts of its answer.
  ///
  /// - Throws: the call's failure, translated by ``KeyringFailure``'s own initializers.
  func ask(_ call: Call) throws(KeyringFailure) -> [Variant] {
    try ask([call]).first ?? []
  }

  /// Makes calls in one round trip and returns the parts of each answer, in the order of the calls.
  ///
  /// - Throws: the failure of the first that failed.
  func ask(_ calls: [Call]) throws(KeyringFailure) -> [[Variant]] {
    let pending = calls.map { call in
      let message = Message(call, to: provider)
      let completion = Completion()
      // The loop has the only clock: no time-out of GDBus's own.
      unsafe g_dbus_connection_send_message_with_reply(
        pointer,
        message.pointer,
        G_DBUS_SEND_MESSAGE_FLAGS_NONE,
        Int32.max,
        nil,
        loop.cancellable,
        completion.callback,
        completion.data
      )
      return completion
    }
    var answers: [[Variant]] = []
    for (call, result) in zip(calls, try loop.results(of: pending)) {
      var error: UnsafeMutablePointer<GError>?
      guard
        let reply = unsafe g_dbus_connection_send_message_with_reply_finish(
          pointer,
          result.result,
          &error
        )
      else { throw unsafe KeyringFailure(consuming: error) }
      answers.append(try parts(of: unsafe Message(reply), answering: call))
    }
    return answers
  }

  private func parts(of reply: Message, answering call: Call) throws(KeyringFailure) -> [Variant] {
    if let name = reply.errorName { throw KeyringFailure(errorName: name) }
    guard let sender = reply.sender else { throw .malformedAnswer(to: call.method) }
    if !provider.hasPrefix(":") { provider = sender }
    guard sender == provider else {
      throw .unavailable(reason: "the Secret Service was started anew meanwhile")
    }
    guard (reply.body?.type ?? "()") == call.answer else {
      throw .malformedAnswer(to: call.method)
    }
    return reply.body?.children ?? []
  }
}
