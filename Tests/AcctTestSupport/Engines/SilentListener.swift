import Glibc

/// A port on 127.0.0.1 where the kernel accepts connections, and no server answers.
package final class SilentListener: Sendable {
  package let port: UInt16
  private let descriptor: Int32

  package init() throws {
    port = try FreePort().number
    descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    let bound = unsafe withUnsafePointer(to: &address) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        unsafe bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    guard bound == 0, listen(descriptor, 8) == 0 else { throw ProcessFailure.system(call: "listen", code: errno) }
  }

  deinit { close(descriptor) }
}
