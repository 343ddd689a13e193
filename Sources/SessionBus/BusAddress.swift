import Glibc
import Text

/// The address of the session bus: Unix sockets, tried in order.
///
/// Only Unix sockets: D-Bus's other transports (TCP) cannot tell whose process they lead to.
package struct BusAddress: Sendable {
  /// The socket names, as the bytes of `sun_path`; an abstract one begins with NUL.
  package let socketNames: [[UInt8]]
  /// The variable that names them; `nil` if none does.
  private let variable: String?
  /// The folder with the user's own socket, which is used if none of them can be reached; `nil` if it is one of them.
  private let fallback: String?

  /// The sockets as a list of D-Bus server addresses, with nothing in it that acct would not use itself.
  package var text: String { Self.text(socketNames + [own].compactMap(\.self)) }

  private static func text(_ names: some Sequence<[UInt8]>) -> String {
    names.map { name in
      name.first == 0 ? "unix:abstract=" + escaped(name.dropFirst()) : "unix:path=" + escaped(name[...])
    }.joined(separator: ";")
  }

  /// Finds the bus as the environment names it, unless an address is given.
  ///
  /// `DBUS_SESSION_BUS_ADDRESS` comes first, then the socket `bus` in `XDG_RUNTIME_DIR`, without that in the user's own
  /// folder of `/run/user`: a shell that outlives its session names a bus that is gone. A bus is never launched: one of
  /// our own would have an empty keyring, and outlive the command.
  ///
  /// - Parameters:
  ///   - given: An address to use in place of the environment's.
  ///   - users: The folder of the users' own, in place of `/run/user`.
  ///   - variable: Returns an environment variable, and `nil` for one that is empty.
  /// - Throws: ``BusError/unreachable(reason:)``, without a delay, where there is no bus, or only one
  ///   that cannot be trusted.
  package init(
    given: String?,
    users: String = "/run/user",
    _ variable: (_ name: String) -> String? = environmentVariable
  ) throws(BusError) {
    // By `su` or cron there may be neither variable, and the user's bus all the same.
    let runtime = variable("XDG_RUNTIME_DIR") ?? "\(users)/\(geteuid())"
    let entries = (given ?? variable(Self.variable) ?? "").split(separator: ";")
      .filter { !$0.hasPrefix("autolaunch:") }
    if !entries.isEmpty {
      var names: [[UInt8]] = []
      for entry in entries { if let name = try Self.socketName(entry, runtime) { names.append(name) } }
      if names.isEmpty, given == nil, let own = try Self.runtimeSocket(runtime) { names.append(own) }
      guard !names.isEmpty else {
        throw .unreachable(reason: "\(given == nil ? Self.variable : "the session bus") has no Unix socket")
      }
      socketNames = names
      self.variable = given == nil ? Self.variable : nil
      fallback = given == nil ? runtime : nil
    } else if given == nil, let socket = try Self.runtimeSocket(runtime) {
      socketNames = [socket]
      self.variable = nil
      fallback = nil
    } else {
      throw .unreachable(reason: "there is no session bus")
    }
  }

  private static let variable = "DBUS_SESSION_BUS_ADDRESS"

  /// The user's own socket, if none of those that the environment names can be reached.
  ///
  /// Another user's is none to fall back to.
  package var own: [UInt8]? {
    guard let fallback, let own = try? Self.runtimeSocket(fallback), !socketNames.contains(own) else { return nil }
    return own
  }

  /// The failure to connect to any of them, with the address that was meant.
  func failure(_ reason: String) -> BusError {
    guard let variable else { return .unreachable(reason: "\(reason) at \(text)") }
    return .unreachable(reason: "\(reason) at \(Self.text(socketNames)), which \(variable) names")
  }

  private static func socketName(_ entry: Substring, _ runtime: String) throws(BusError) -> [UInt8]? {
    guard entry.hasPrefix("unix:") else { return nil }
    for pair in entry.dropFirst("unix:".utf8.count).split(separator: ",") {
      guard let equals = pair.firstIndex(of: "=") else { return nil }
      let value = pair[pair.index(after: equals)...]
      switch pair[..<equals] {
      case "path": return unescaped(value)
      case "abstract": return unescaped(value).map { [0] + $0 }
      case "runtime": return try runtimeSocket(runtime)
      // `guid` names the bus; it identifies nothing that the socket's name does not.
      default: continue
      }
    }
    return nil
  }

  /// Resolves `%` and two hexadecimal digits, which stand for a byte.
  private static func unescaped(_ value: Substring) -> [UInt8]? {
    percentDecoded(value.utf8).flatMap { $0.isEmpty ? nil : $0 }
  }

  /// The socket `bus` in `XDG_RUNTIME_DIR`, or in the user's own folder, if there is one.
  ///
  /// - Throws: ``BusError/unreachable(reason:)`` if it is another user's: that user would get the
  ///   secrets.
  private static func runtimeSocket(_ folder: String) throws(BusError) -> [UInt8]? {
    guard folder.hasPrefix("/") else { return nil }
    let path = folder + "/bus"
    var status = stat()
    guard unsafe lstat(path, &status) == 0 else { return nil }
    guard status.st_mode & S_IFMT == S_IFSOCK else {
      throw .unreachable(reason: "\(path) is not a socket")
    }
    guard status.st_uid == geteuid() else {
      throw .unreachable(reason: "the session bus at \(path) belongs to another user")
    }
    return Array(path.utf8)
  }

  /// Writes bytes other than letters, digits and `-_/.\*` as `%` and two hexadecimal digits.
  private static func escaped(_ path: ArraySlice<UInt8>) -> String {
    path.reduce(into: "") { text, byte in
      let isPlain = byte.isASCIIAlphanumeric || #"-_/.\*"#.utf8.contains(byte)
      text += isPlain ? String(Unicode.Scalar(byte)) : "%\(hex([byte]))"
    }
  }
}

package func environmentVariable(_ name: String) -> String? {
  guard let value = unsafe getenv(name), unsafe value.pointee != 0 else { return nil }
  return unsafe String(cString: value)
}
