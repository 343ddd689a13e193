import AcctPorts
import CLibSecret

extension KeyringFailure {
  /// Translates the name of an error that the provider or the bus answered with.
  ///
  /// Only the name is passed on: what else the message says is the provider's, and it has seen
  /// secrets.
  init(errorName name: String) {
    self =
      switch name {
      case "org.freedesktop.Secret.Error.IsLocked": .locked()
      case "org.freedesktop.DBus.Error.ServiceUnknown", "org.freedesktop.DBus.Error.NameHasNoOwner":
        .unavailable(reason: "no Secret Service is running")
      // The bus answers for a provider that went away while it was being asked.
      case "org.freedesktop.DBus.Error.NoReply", "org.freedesktop.DBus.Error.Disconnected":
        .unavailable(reason: "the Secret Service went away")
      case "org.freedesktop.DBus.Error.Timeout", "org.freedesktop.DBus.Error.TimedOut": .timedOut
      case "org.freedesktop.DBus.Error.AccessDenied", "org.freedesktop.DBus.Error.AuthFailed":
        .unavailable(reason: "the session bus refused it")
      case _ where name.hasPrefix("org.freedesktop.DBus.Error.Spawn."):
        .unavailable(reason: "the Secret Service could not be started")
      default: .failed(reason: "the Secret Service answered \(name)")
      }
  }

  /// Translates and frees an error of GLib's own.
  ///
  /// A bus that cannot be reached is an error of I/O, not of D-Bus.
  init(consuming error: UnsafeMutablePointer<GError>?) {
    guard let error = unsafe error else {
      self = .failed(reason: "GLib failed without a reason")
      return
    }
    defer { unsafe g_error_free(error) }
    if let name = unsafe g_dbus_error_get_remote_error(error) {
      defer { unsafe g_free(name) }
      unsafe self.init(errorName: String(cString: name))
      return
    }
    let domain = unsafe error.pointee.domain
    let code = unsafe UInt32(bitPattern: error.pointee.code)
    let isIO = domain == g_io_error_quark()
    if isIO, code == G_IO_ERROR_CANCELLED.rawValue || code == G_IO_ERROR_TIMED_OUT.rawValue {
      // Nothing but the deadline cancels.
      self = .timedOut
    } else if isIO || domain == g_dbus_error_quark() {
      self = unsafe .unavailable(reason: String(cString: error.pointee.message))
    } else {
      self = unsafe .failed(reason: String(cString: error.pointee.message))
    }
  }

  /// An answer of another shape than the specification gives it.
  static func malformedAnswer(to method: String) -> KeyringFailure {
    .failed(reason: "the Secret Service answered \(method) against its specification")
  }
}
