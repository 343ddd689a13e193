import AcctModel
import Glibc
import NIOCore

/// The user of the socket at the other end of a TCP connection on this machine.
///
/// The kernel lists every socket with its user in `/proc/net/tcp` and `/proc/net/tcp6` (proc(5)). User ids
/// are those of this process's user namespace, as is `geteuid`.
package struct SocketOwner: Sendable {
  /// One end of a connection.
  package enum End: Equatable, Sendable {
    /// The address and the port as the kernel lists them.
    case v4(address: UInt32, port: UInt16)
    case v6(address: [UInt32], port: UInt16)

    /// An address on loopback, for 127.0.0.1.
    package static func loopback(port: UInt16) -> End { .v4(address: UInt32(0x7F00_0001).bigEndian, port: port) }
  }

  /// `true` if the socket of `peer`, connected to `local`, is this process's own user's.
  package var isOwn: @Sendable (_ peer: End, _ local: End) -> Bool

  package init(isOwn: @escaping @Sendable (_ peer: End, _ local: End) -> Bool) { self.isOwn = isOwn }

  /// Asks the kernel.
  package static let kernel = SocketOwner { peer, local in
    let users = ["/proc/net/tcp", "/proc/net/tcp6"].flatMap { path in
      contents(path).map { SocketOwner.users(of: peer, to: local, in: $0) } ?? []
    }
    return !users.isEmpty && users.allSatisfy { $0 == geteuid() }
  }

  /// The users of all sockets in a table that connect `peer` to `local`.
  ///
  /// - Parameters:
  ///   - peer: The end whose socket is searched.
  ///   - local: The end that it is connected to.
  ///   - table: As in `/proc/net/tcp`.
  /// - Returns: Their user ids. A socket that no process has open any more, whose user the kernel may not
  ///   know, is left out.
  package static func users(of peer: End, to local: End, in table: [UInt8]) -> [UInt32] {
    let needles = zip(peer.listed, local.listed).map { " \($0) \($1) " }
    return table.split(separator: 0x0A).compactMap { line in
      let text = String(decoding: line, as: UTF8.self)
      guard needles.contains(where: { text.contains($0) }) else { return nil }
      let columns = text.split(separator: " ")
      guard columns.count > 9, columns[9] != "0" else { return nil }
      return UInt32(columns[7])
    }
  }

  /// The most that is read of a table, in bytes: some 400,000 sockets.
  private static let limit = 1 << 26

  private static func contents(_ path: String) -> [UInt8]? {
    let file = unsafe open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { return nil }
    defer { close(file) }
    var contents: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 1 << 16)
    while contents.count < limit {
      let count = unsafe read(file, &chunk, chunk.count)
      if count < 0 && errno == EINTR { continue }
      guard count > 0 else { break }
      contents += chunk.prefix(count)
    }
    return contents
  }
}

extension SocketOwner.End {
  /// An address of TCP; `nil` for any other.
  init?(_ address: SocketAddress?) {
    guard let text = address?.ipAddress, let number = address?.port.flatMap({ UInt16(exactly: $0) }),
      let bytes = IPAddress(text[...])?.bytes
    else { return nil }
    let words = stride(from: 0, to: bytes.count, by: 4).map { start in
      bytes[start..<start + 4].reduce(0) { $0 << 8 | UInt32($1) }.bigEndian
    }
    self = words.count == 1 ? .v4(address: words[0], port: number) : .v6(address: words, port: number)
  }

  /// The kernel's notation: words in its own byte order; an address of IPv4 also as one of IPv6, for sockets that can
  /// do both.
  fileprivate var listed: [String] {
    switch self {
    case .v4(let address, let port):
      let mapped = [0, 0, UInt32(0xFFFF).bigEndian, address].map { hex($0, 8) }.joined()
      return [hex(address, 8), mapped].map { "\($0):\(hex(UInt32(port), 4))" }
    case .v6(let address, let port): return ["\(address.map { hex($0, 8) }.joined()):\(hex(UInt32(port), 4))"]
    }
  }
}

private func hex(_ number: UInt32, _ width: Int) -> String {
  let digits = String(number, radix: 16, uppercase: true)
  return String(repeating: "0", count: width - digits.count) + digits
}
