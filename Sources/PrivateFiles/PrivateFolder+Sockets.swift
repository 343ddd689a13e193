import CLinux
import Glibc

extension PrivateFolder {
  /// Makes sure that the folder is there, and its owner's alone.
  package func prepare() throws(PrivateFilesError) { _ = try created() }
}

extension PrivateFolder {
  /// Listens on a unix socket of that name (0600), creating the folder if it is missing.
  ///
  /// An existing file of that name is replaced, also a socket without a listener: a lock has to
  /// exclude other listeners.
  ///
  /// - Parameter name: The socket's name in the folder.
  /// - Returns: The listening socket.
  /// - Throws: ``PrivateFilesError``.
  package func listen(_ name: String) throws(PrivateFilesError) -> Descriptor {
    try check(name)
    let folder = try created()
    return try at(path(of: name)) { () throws(FileError) in
      guard unsafe unlinkat(folder.number, name, 0) == 0 || errno == ENOENT else { throw .last }
      let socket = try Descriptor.unixSocket()
      try unsafe socket.call(folder, path(of: name), name) { unsafe bind($0, $1, $2) }
      // No other user gets into the folder; the mode is for tools that check it.
      guard unsafe fchmodat(folder.number, name, 0o600, 0) == 0, Glibc.listen(socket.number, 16) == 0
      else { throw .last }
      return socket
    }
  }

  /// Connects to a unix socket of that name, if this user's own process listens on it.
  ///
  /// - Parameter name: The socket's name in the folder.
  /// - Returns: The connection, or `nil` if no process listens.
  /// - Throws: ``PrivateFilesError``; also where another user listens.
  package func connect(_ name: String) throws(PrivateFilesError) -> Descriptor? {
    try check(name)
    guard let folder = try opened() else { return nil }
    return try at(path(of: name)) { () throws(FileError) in
      let socket = try Descriptor.unixSocket()
      do throws(FileError) {
        try unsafe socket.call(folder, path(of: name), name) { unsafe Glibc.connect($0, $1, $2) }
      } catch {
        guard error == .notThere || error == .system(ECONNREFUSED) else { throw error }
        return nil
      }
      guard socket.isFromOwnUser else { throw .distrusted(reason: "another user listens there") }
      return socket
    }
  }
}

extension Descriptor {
  /// Takes the next connection that waits; never waits itself for longer than that takes.
  ///
  /// - Returns: The connection.
  /// - Throws: The error of accept(2).
  package func accept() throws(FileError) -> Descriptor { try Self.retrying { acct_accept(number) } }

  /// `true` if the process at the other end of a unix socket is the same user's (`SO_PEERCRED`).
  package var isFromOwnUser: Bool { acct_peer_is_own(number) != 0 }

  fileprivate static func unixSocket() throws(FileError) -> Descriptor {
    let type = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
    return try retrying { socket(AF_UNIX, type, 0) }
  }

  /// Makes a call with the address of a name in an open folder, whose path is of use only where there is no /proc.
  fileprivate func call(
    _ folder: borrowing Descriptor,
    _ place: String,
    _ name: String,
    _ body: (Int32, UnsafePointer<sockaddr>, socklen_t) -> Int32
  ) throws(FileError) {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    // By way of the descriptor: a path may be longer than the 107 bytes that fit here.
    let hasProc = unsafe access("/proc/self/fd", F_OK) == 0
    let path = Array((hasProc ? "/proc/self/fd/\(folder.number)/\(name)" : place).utf8)
    guard path.count < MemoryLayout.size(ofValue: address.sun_path) else { throw .system(ENAMETOOLONG) }
    unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: path) }
    let result = unsafe withUnsafePointer(to: &address) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
        unsafe body(number, pointer, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    guard result == 0 else { throw .last }
  }
}
