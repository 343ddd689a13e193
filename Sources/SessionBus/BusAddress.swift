import Glibc

/// Where the session bus listens: a list of D-Bus server addresses, tried in order.
package struct BusAddress: Sendable {
  /// The list as it was found, without entries that would start a bus.
  package let text: String

  /// Finds the bus as the environment names it, unless an address is given.
  ///
  /// `DBUS_SESSION_BUS_ADDRESS` comes first, then the socket `bus` in `XDG_RUNTIME_DIR`. A bus is
  /// never launched: one of our own would have an empty keyring, and outlive the command.
  ///
  /// - Parameter given: An address to use whatever the environment says.
  /// - Throws: ``BusError/unreachable(reason:)``, without a delay, where there is no bus.
  package init(given: String?) throws(BusError) {
    let named = Self.launchingNothing(given ?? variable("DBUS_SESSION_BUS_ADDRESS") ?? "")
    if !named.isEmpty {
      text = named
    } else if given == nil, let socket = Self.runtimeSocket() {
      text = socket
    } else {
      throw .unreachable(reason: "there is no session bus")
    }
  }

  /// The socket names of the list, as the bytes of `sun_path`; an abstract one begins with NUL.
  ///
  /// Only Unix sockets: what else D-Bus has (TCP) cannot tell whose process it talks to.
  package var socketNames: [[UInt8]] { text.split(separator: ";").compactMap(Self.socketName) }

  private static func launchingNothing(_ addresses: String) -> String {
    addresses.split(separator: ";").filter { !$0.hasPrefix("autolaunch:") }.joined(separator: ";")
  }

  private static func socketName(_ entry: Substring) -> [UInt8]? {
    guard entry.hasPrefix("unix:") else { return nil }
    for pair in entry.dropFirst("unix:".utf8.count).split(separator: ",") {
      guard let equals = pair.firstIndex(of: "=") else { return nil }
      let value = pair[pair.index(after: equals)...]
      switch pair[..<equals] {
      case "path": return unescaped(value)
      case "abstract": return unescaped(value).map { [0] + $0 }
      case "runtime": return variable("XDG_RUNTIME_DIR").map { Array("\($0)/bus".utf8) }
      // `guid` names the bus; it identifies nothing that the socket's name does not.
      default: continue
      }
    }
    return nil
  }

  /// Resolves `%` and two hexadecimal digits, which stand for a byte.
  private static func unescaped(_ value: Substring) -> [UInt8]? {
    var bytes: [UInt8] = []
    var rest = value.utf8[...]
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "%") else {
        bytes.append(byte)
        continue
      }
      guard let high = rest.popFirst()?.hexDigit, let low = rest.popFirst()?.hexDigit else {
        return nil
      }
      bytes.append(high << 4 | low)
    }
    return bytes.isEmpty ? nil : bytes
  }

  private static func runtimeSocket() -> String? {
    guard let folder = variable("XDG_RUNTIME_DIR"), folder.hasPrefix("/") else { return nil }
    let path = folder + "/bus"
    guard unsafe access(path, F_OK) == 0 else { return nil }
    return "unix:path=" + escaped(path)
  }

  /// Writes bytes other than letters, digits and `-_/.\*` as `%` and two hexadecimal digits.
  private static func escaped(_ path: String) -> String {
    let digits = Array("0123456789abcdef")
    return path.utf8.reduce(into: "") { text, byte in
      switch byte {
      case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: text.unicodeScalars.append(Unicode.Scalar(byte))
      case _ where #"-_/.\*"#.utf8.contains(byte):
        text.unicodeScalars.append(Unicode.Scalar(byte))
      default: text += "%\(digits[Int(byte >> 4)])\(digits[Int(byte & 15)])"
      }
    }
  }
}

private func variable(_ name: String) -> String? {
  guard let value = unsafe getenv(name), unsafe value.pointee != 0 else { return nil }
  return unsafe String(cString: value)
}

extension UInt8 {
  fileprivate var hexDigit: UInt8? {
    switch self {
    case 0x30...0x39: self - 0x30
    case 0x41...0x46: self - 0x41 + 10
    case 0x61...0x66: self - 0x61 + 10
    default: nil
    }
  }
}
