import AcctPorts
import CLibSecret

/// libsecret's functions and GLib's, loaded on first use and never unloaded.
///
/// - Throws: `KeyringFailure.locked` where there is no libsecret to prompt with.
func loadedLibsecret() throws(KeyringFailure) -> acct_libsecret {
  guard let table = unsafe table else {
    throw .locked(
      reason: "libsecret, by which it would be unlocked, is not installed: install the package libsecret-1-0"
    )
  }
  return table
}

nonisolated(unsafe) private let table: acct_libsecret? = {
  unsafe withUnsafeTemporaryAllocation(of: acct_libsecret.self, capacity: 1) { table in
    guard let place = table.baseAddress, unsafe acct_libsecret_load(place) != 0 else { return nil }
    return unsafe place.pointee
  }
}()

extension KeyringFailure {
  /// Translates and frees an error of GLib's own.
  ///
  /// A bus that cannot be reached is an error of I/O, not of D-Bus.
  init(consuming error: UnsafeMutablePointer<GError>?, of libsecret: acct_libsecret) {
    guard let error = unsafe error else {
      self = .failed(reason: "GLib failed without a reason")
      return
    }
    defer { unsafe libsecret.g_error_free(error) }
    if let name = unsafe libsecret.g_dbus_error_get_remote_error(error) {
      defer { unsafe libsecret.g_free(name) }
      unsafe self.init(errorName: String(cString: name))
      return
    }
    let domain = unsafe error.pointee.domain
    let code = unsafe GIOErrorEnum(rawValue: UInt32(bitPattern: error.pointee.code))
    let reason = unsafe error.pointee.message.map { unsafe String(cString: $0) } ?? "GLib failed"
    let isIO = domain == libsecret.g_io_error_quark()
    if isIO, code == G_IO_ERROR_CANCELLED || code == G_IO_ERROR_TIMED_OUT {
      // Nothing but the deadline cancels.
      self = .timedOut
    } else if isIO || domain == libsecret.g_dbus_error_quark() {
      self = .unavailable(reason: reason)
    } else {
      self = .failed(reason: reason)
    }
  }
}
