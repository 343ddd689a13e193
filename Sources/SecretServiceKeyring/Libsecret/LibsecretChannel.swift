import Secrets
import AcctPorts
import CLibSecret
import SessionBus

/// The session bus by way of GIO, for conversations in which libsecret asks a person.
@safe final class LibsecretChannel: Channel {
  let libsecret: acct_libsecret
  let loop: BoundedLoop
  let pointer: OpaquePointer
  var session: Session?
  private var underWay: [UInt32: Completion] = [:]
  private var replies: [UInt32: BusMessage] = [:]
  private var lastSerial: UInt32 = 0
  private let filter: ReplyFilter
  private static let flags = GDBusConnectionFlags(
    rawValue: G_DBUS_CONNECTION_FLAGS_AUTHENTICATION_CLIENT.rawValue
      | G_DBUS_CONNECTION_FLAGS_MESSAGE_BUS_CONNECTION.rawValue
  )

  /// Connects and shakes hands.
  ///
  /// - Throws: `KeyringFailure.unavailable`, or `timedOut` if the bus does not answer; `locked`
  ///   where libsecret is missing.
  init(to address: BusAddress, time: Duration) throws(KeyringFailure) {
    libsecret = try loadedLibsecret()
    loop = BoundedLoop(libsecret, time: time)
    let connecting = Completion(libsecret)
    unsafe libsecret.g_dbus_connection_new_for_address(
      address.text,
      Self.flags,
      nil,
      loop.cancellable,
      connecting.callback,
      connecting.data
    )
    let connected = try loop.result(of: connecting)
    var error: UnsafeMutablePointer<GError>?
    guard
      let pointer = unsafe libsecret.g_dbus_connection_new_for_address_finish(connected.result, &error)
    else { throw unsafe KeyringFailure(consuming: error, of: libsecret) }
    unsafe self.pointer = pointer
    filter = unsafe ReplyFilter(libsecret, on: pointer)
  }

  // With its last reference goes the socket; to close it with a farewell could wait for ever.
  deinit { unsafe libsecret.g_object_unref(UnsafeMutableRawPointer(pointer)) }

  func send<Answer>(_ call: BusCall<Answer>, to name: String) throws(KeyringFailure) -> UInt32 {
    lastSerial += 1
    var bytes = call.message(serial: lastSerial, to: name)
    var error: UnsafeMutablePointer<GError>?
    let made = unsafe libsecret.g_dbus_message_new_from_blob(
      &bytes,
      gsize(bytes.count),
      G_DBUS_CAPABILITY_FLAGS_NONE,
      &error
    )
    // GIO has its own copy, which is out of reach.
    _ = Secret(consuming: &bytes)
    guard let message = unsafe made else { throw unsafe KeyringFailure(consuming: error, of: libsecret) }
    defer { unsafe libsecret.g_object_unref(UnsafeMutableRawPointer(message)) }
    let completion = Completion(libsecret)
    // The loop has the only clock: no time-out of GDBus's own.
    unsafe libsecret.g_dbus_connection_send_message_with_reply(
      pointer,
      message,
      G_DBUS_SEND_MESSAGE_FLAGS_NONE,
      Int32.max,
      nil,
      loop.cancellable,
      completion.callback,
      completion.data
    )
    underWay[lastSerial] = completion
    return lastSerial
  }

  func askOwner(of name: String) throws(KeyringFailure) -> UInt32 {
    let question = BusCall.owner(of: name)
    let serial = try send(question, to: BusConnection.bus)
    // The filter has to know before the owner answers anything. Here a person is asked: the round trip
    // does not matter.
    let reply = try reply(to: serial)
    filter.believe(try? reply.answer(to: question))
    replies[serial] = reply
    return serial
  }

  func forget(_ serial: UInt32) { underWay[serial] = nil }

  func reply(to serial: UInt32) throws(KeyringFailure) -> BusMessage {
    if let reply = replies.removeValue(forKey: serial) { return reply }
    guard let completion = underWay.removeValue(forKey: serial) else {
      throw .failed(reason: "a reply was asked for twice")
    }
    let result = try loop.result(of: completion)
    var error: UnsafeMutablePointer<GError>?
    guard
      let reply = unsafe libsecret.g_dbus_connection_send_message_with_reply_finish(pointer, result.result, &error)
    else { throw unsafe KeyringFailure(consuming: error, of: libsecret) }
    defer { unsafe libsecret.g_object_unref(UnsafeMutableRawPointer(reply)) }
    var count: gsize = 0
    let made = unsafe libsecret.g_dbus_message_to_blob(reply, &count, G_DBUS_CAPABILITY_FLAGS_NONE, &error)
    guard let blob = unsafe made else { throw unsafe KeyringFailure(consuming: error, of: libsecret) }
    defer { unsafe libsecret.g_free(blob) }
    let bytes = unsafe Secret(UnsafeBufferPointer(start: blob, count: Int(count)))
    do { return try BusMessage(bytes) } catch { throw KeyringFailure(error) }
  }
}
