import AcctPorts
import CLibSecret

/// Where the session bus listens, as a D-Bus server address.
struct BusAddress {
  let text: String

  /// Finds the bus as the environment names it, unless an address is given.
  ///
  /// `DBUS_SESSION_BUS_ADDRESS` comes first, then the socket `bus` in `XDG_RUNTIME_DIR`. A bus is
  /// never launched: one of our own would have an empty keyring, and outlive the command.
  ///
  /// - Throws: `KeyringFailure.unavailable`, without a delay, where there is no bus.
  init(given: String?) throws(KeyringFailure) {
    let named = Self.launchingNothing(given ?? Self.variable("DBUS_SESSION_BUS_ADDRESS") ?? "")
    if !named.isEmpty {
      text = named
    } else if given == nil, let socket = Self.runtimeSocket() {
      text = socket
    } else {
      throw .unavailable(reason: "there is no session bus")
    }
  }

  /// The entries of a list of addresses that connect, and do not start a bus.
  private static func launchingNothing(_ addresses: String) -> String {
    addresses.split(separator: ";").filter { !$0.hasPrefix("autolaunch:") }.joined(separator: ";")
  }

  private static func runtimeSocket() -> String? {
    guard let folder = variable("XDG_RUNTIME_DIR"), folder.hasPrefix("/") else { return nil }
    let path = folder + "/bus"
    guard unsafe g_file_test(path, G_FILE_TEST_EXISTS) != 0,
      let escaped = unsafe g_dbus_address_escape_value(path)
    else { return nil }
    defer { unsafe g_free(escaped) }
    return unsafe "unix:path=" + String(cString: escaped)
  }

  private static func variable(_ name: String) -> String? {
    guard let value = unsafe g_getenv(name) else { return nil }
    return unsafe String(cString: value)
  }
}
