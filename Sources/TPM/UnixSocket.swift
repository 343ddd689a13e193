import AcctModel
import Glibc

/// The Unix socket of a software TPM.
enum UnixSocket {
  /// Connects, and waits where others do until the deadline.
  ///
  /// - Throws: As ``Link/init(to:until:)``.
  static func connected(to path: String, until end: Deadline) throws(HardwareKeyFailure) -> Int32 {
    var address = sockaddr_un()
    let offset = MemoryLayout<sockaddr_un>.size - MemoryLayout.size(ofValue: address.sun_path)
    let size = socklen_t(offset + path.utf8.count + 1)
    guard size <= MemoryLayout<sockaddr_un>.size else {
      throw .unsuitable(reason: "the path of a socket has at most 107 bytes")
    }
    address.sun_family = sa_family_t(AF_UNIX)
    unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: path.utf8) }
    let type = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
    let number = socket(AF_UNIX, type, 0)
    guard number >= 0 else { throw .opening(path) }
    while true {
      let result = unsafe withUnsafePointer(to: &address) { address in
        unsafe address.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
          unsafe connect(number, address, size)
        }
      }
      if result == 0 { return number }
      // The queue of callers is full: connect(2).
      if errno == EAGAIN, end.left > 0 {
        end.pause(10)
      } else if errno != EINTR {
        let failure: HardwareKeyFailure = errno == EAGAIN ? .busy : .opening(path)
        close(number)
        throw failure
      }
    }
  }
}
