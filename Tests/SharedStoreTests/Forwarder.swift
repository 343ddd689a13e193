import AcctTestSupport
import Dispatch
import Glibc
import Synchronization

/// Passes connections on to a server on loopback, and can keep what the server says to itself, or hang up instead.
///
/// It knows nothing of what it passes on; TLS goes through it.
final class Forwarder: Sendable {
  let port: UInt16
  private let listener: Int32
  private let answers = Answers()

  /// What is done with what the server says.
  private final class Answers: Sendable {
    let areKept = Mutex(false)
    /// Whether the next one ends its connection instead.
    let hangUp = Mutex(false)
  }

  init(to server: UInt16) throws {
    let port = try FreePort().number
    let listener = try unsafe loopbackSocket(port) { unsafe bind($0, $1, $2) }
    guard listen(listener, 16) == 0 else { throw HarnessFailure("listen: errno \(errno)") }
    (self.port, self.listener) = (port, listener)
    DispatchQueue(label: "acct.tests.forwarder").async { [answers] in
      while true {
        let client = accept(listener, nil, nil)
        guard client >= 0 else { return }
        guard let server = try? unsafe loopbackSocket(server, { unsafe connect($0, $1, $2) }) else {
          close(client)
          continue
        }
        let line = Line()
        pump(from: client, to: server) { line.isOpen.withLock { $0 } }
        pump(from: server, to: client) {
          if answers.hangUp.withLock({ hangUp in
            defer { hangUp = false }
            return hangUp
          }) {
            line.isOpen.withLock { $0 = false }
            shutdown(client, Int32(SHUT_RDWR))
          }
          return line.isOpen.withLock { $0 } && !answers.areKept.withLock { $0 }
        }
      }
    }
  }

  deinit {
    shutdown(listener, Int32(SHUT_RDWR))
    close(listener)
  }

  /// Has requests go on to the server, and no answer come back.
  func keepSilent() { answers.areKept.withLock { $0 = true } }

  /// Ends a client's connection as soon as the server answers; the server does not notice.
  func hangUp() { answers.hangUp.withLock { $0 = true } }
}

/// A connection that is passed on.
private final class Line: Sendable { let isOpen = Mutex(true) }

/// Copies bytes on a thread of its own, until one of the two ends.
private func pump(from source: Int32, to sink: Int32, _ isOpen: @escaping @Sendable () -> Bool) {
  DispatchQueue(label: "acct.tests.forwarder.\(source)").async {
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = unsafe read(source, &buffer, buffer.count)
      guard count > 0 else { break }
      // The descriptors of a pair stay open until the process ends: neither thread may close the other's.
      if isOpen(), unsafe send(sink, buffer, count, Int32(MSG_NOSIGNAL)) != count { break }
    }
    // Nor does an end get through where nothing does.
    if isOpen() { shutdown(sink, Int32(SHUT_WR)) }
  }
}

/// A socket for an address on loopback, bound or connected.
private func loopbackSocket(
  _ port: UInt16,
  _ call: (Int32, UnsafePointer<sockaddr>, socklen_t) -> Int32
) throws -> Int32 {
  let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
  var address = sockaddr_in()
  address.sin_family = sa_family_t(AF_INET)
  address.sin_port = port.bigEndian
  address.sin_addr.s_addr = INADDR_LOOPBACK.bigEndian
  let result = unsafe withUnsafePointer(to: &address) { pointer in
    unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
      unsafe call(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
    }
  }
  guard result == 0 else {
    close(descriptor)
    throw HarnessFailure("port \(port): errno \(errno)")
  }
  return descriptor
}
