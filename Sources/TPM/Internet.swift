import AcctModel
import Glibc

/// The TCP port of a software TPM.
enum Internet {
  /// The time for one try, in milliseconds: where the queue of callers is full, the kernel would next try after 1, 3
  /// and 7 seconds.
  private static let oneTry: Int32 = 250

  /// Connects, and tries again until the deadline where the TPM has too many callers.
  ///
  /// - Throws: As ``Link/init(to:until:)``.
  static func connected(to host: String, _ port: UInt16, until end: Deadline) throws(HardwareKeyFailure) -> Int32 {
    let name = "\(host):\(port)"
    while true {
      if let number = try attempt(host == "localhost" ? "127.0.0.1" : host, port, name, end) { return number }
      guard end.left > 0 else { throw .busy }
    }
  }

  /// Returns `nil` if there was no answer.
  private static func attempt(
    _ host: String,
    _ port: UInt16,
    _ name: String,
    _ end: Deadline
  ) throws(HardwareKeyFailure) -> Int32? {
    var (four, six) = (sockaddr_in(), sockaddr_in6())
    let isFour = unsafe inet_pton(AF_INET, host, &four.sin_addr) == 1
    let isSix = unsafe inet_pton(AF_INET6, host, &six.sin6_addr) == 1
    guard isFour || isSix else { throw .unsuitable(reason: "\(host) is no IP address") }
    four.sin_family = sa_family_t(AF_INET)
    four.sin_port = port.bigEndian
    six.sin6_family = sa_family_t(AF_INET6)
    six.sin6_port = port.bigEndian
    let type = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
    let number = socket(isFour ? AF_INET : AF_INET6, type, 0)
    guard number >= 0 else { throw .opening(name) }
    let result = isFour ? connect(number, to: &four) : connect(number, to: &six)
    if result == 0 { return number }
    if errno == EINPROGRESS || errno == EINTR {
      var request = pollfd(fd: number, events: Int16(POLLOUT), revents: 0)
      let ready = unsafe poll(&request, 1, min(oneTry, end.left))
      var code: Int32 = 0
      var size = socklen_t(MemoryLayout<Int32>.size)
      let asked = unsafe getsockopt(number, SOL_SOCKET, SO_ERROR, &code, &size)
      if ready > 0, asked == 0, code == 0 { return number }
      if ready <= 0 || code == ETIMEDOUT {
        close(number)
        return nil
      }
      errno = code
    }
    let failure = HardwareKeyFailure.opening(name)
    close(number)
    throw failure
  }

  private static func connect<Address>(_ number: Int32, to address: inout Address) -> Int32 {
    unsafe withUnsafePointer(to: &address) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        unsafe Glibc.connect(number, $0, socklen_t(MemoryLayout<Address>.size))
      }
    }
  }
}
