import Glibc
import Synchronization

/// A TCP port on 127.0.0.1 for a server that must be told its port before it starts.
package struct FreePort: Sendable {
  package let number: UInt16

  /// Finds a port without a listener.
  ///
  /// It lies below the range from which the kernel takes ports for outgoing connections, so that
  /// no client of another test can get it before the server does, and in the range of this
  /// process's lane, so that no other test process can either. Servers of this process that start at the same
  /// time don't get the same one, since it comes again only after all others.
  package init() throws(ProcessFailure) {
    for _ in Self.lane {
      let step = Self.steps.add(1, ordering: .relaxed).oldValue
      let candidate = Self.lane.lowerBound + UInt16(step % UInt64(Self.lane.count))
      if unsafe withSocket({ unsafe bind($0, $1, $2) }, to: candidate) {
        number = candidate
        return
      }
    }
    throw .system(call: "bind", code: EADDRINUSE)
  }

  /// How many were tried, from a different one on in each process: what the process before had may be in use still.
  private static let steps = Atomic<UInt64>(UInt64.random(in: 0..<1_000))

  /// The ports of this process: `Tests/run` numbers the processes that it runs side by side.
  private static let lane: Range<UInt16> = {
    let number = unsafe getenv("ACCT_TEST_LANE").flatMap { unsafe UInt16(String(cString: $0)) }
    let first = 12_000 + (number ?? 0) % 20 * 1_000
    return first..<first + 1_000
  }()

  /// Whether a server accepts connections on the port now.
  package var isServed: Bool { unsafe withSocket({ unsafe connect($0, $1, $2) }, to: number) }
}

/// Whether a socket call with an address succeeds on a new socket, which is closed again.
private func withSocket(_ call: (Int32, UnsafePointer<sockaddr>, socklen_t) -> Int32, to port: UInt16) -> Bool {
  let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
  guard descriptor >= 0 else { return false }
  defer { close(descriptor) }
  var address = sockaddr_in()
  address.sin_family = sa_family_t(AF_INET)
  address.sin_port = port.bigEndian
  address.sin_addr.s_addr = INADDR_LOOPBACK.bigEndian
  return unsafe withUnsafePointer(to: &address) { pointer in
    unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
      unsafe call(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
    }
  }
}
