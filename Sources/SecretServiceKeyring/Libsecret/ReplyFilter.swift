import CLibSecret
import SessionBus
import Synchronization

/// Drops replies that come neither from the provider nor from the bus, before GDBus sees them.
///
/// GDBus takes a reply for the right one by its number alone, and a bus with a permissive policy, such as Debian's,
/// delivers the messages of any client. The calls of libsecret's own are covered as well.
@safe final class ReplyFilter: Sendable {
  /// Never changes, and its functions may be called on any thread.
  nonisolated(unsafe) private let libsecret: acct_libsecret
  private let provider = Mutex<String?>(nil)

  /// Installs the filter, for as long as the connection lasts.
  init(_ libsecret: acct_libsecret, on connection: OpaquePointer) {
    unsafe self.libsecret = libsecret
    let retained = unsafe Unmanaged.passRetained(self)
    _ = unsafe libsecret.g_dbus_connection_add_filter(
      connection,
      { _, message, isIncoming, data in
        guard isIncoming != 0, let message = unsafe message, let data = unsafe data else { return unsafe message }
        let filter = unsafe Unmanaged<ReplyFilter>.fromOpaque(data).takeUnretainedValue()
        return unsafe filter.passes(message) ? message : nil
      },
      retained.toOpaque(),
      { data in
        if let data = unsafe data { unsafe Unmanaged<ReplyFilter>.fromOpaque(data).release() }
      }
    )
  }

  /// Accepts a process besides the bus, which is named by its unique name.
  func believe(_ owner: String?) { provider.withLock { $0 = owner } }

  /// `true` if a message is passed on; one that is not is freed.
  ///
  /// GDBus calls this on a thread of its own.
  private func passes(_ message: OpaquePointer) -> Bool {
    let type = unsafe libsecret.g_dbus_message_get_message_type(message)
    guard type == G_DBUS_MESSAGE_TYPE_METHOD_RETURN || type == G_DBUS_MESSAGE_TYPE_ERROR else { return true }
    let sender = unsafe libsecret.g_dbus_message_get_sender(message).map { unsafe String(cString: $0) }
    if let sender, sender == BusConnection.bus || sender == provider.withLock({ $0 }) { return true }
    unsafe libsecret.g_object_unref(UnsafeMutableRawPointer(message))
    return false
  }
}
