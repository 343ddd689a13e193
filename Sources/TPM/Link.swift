import AcctModel
import Glibc

/// An open device, or a connection to a TPM's socket, which nothing waits for longer than a deadline.
struct Link: ~Copyable {
  /// The name of the device or socket, in a person's words.
  let name: String
  /// `true` if the kernel keeps each caller's objects apart, and removes them at the end.
  ///
  /// Otherwise there is one caller at a time, and the next one meets the objects that it leaves.
  let hasResourceManager: Bool
  let descriptor: Int32
  let isSocket: Bool

  /// Opens it.
  ///
  /// - Throws: ``HardwareKeyFailure/absent(reason:)``, ``HardwareKeyFailure/forbidden(path:)``,
  ///   ``HardwareKeyFailure/unsuitable(reason:)``, ``HardwareKeyFailure/failed(reason:)``, or
  ///   ``HardwareKeyFailure/busy`` if another process has it until the deadline.
  init(to address: TPMAddress, until end: Deadline) throws(HardwareKeyFailure) {
    // All at once: a value with a deinit is whole or is not there.
    (descriptor, isSocket) = try Self.opened(address, until: end)
    name = address.description
    // The kernel's two devices of a TPM: tpm0 is the bare one.
    hasResourceManager = !isSocket && name.hasPrefix("/dev/tpmrm")
  }

  deinit { close(descriptor) }

  private static func opened(
    _ address: TPMAddress,
    until end: Deadline
  ) throws(HardwareKeyFailure) -> (descriptor: Int32, isSocket: Bool) {
    switch address {
    case .swtpm(let host, let port): return (try Internet.connected(to: host, port, until: end), true)
    case .path(let path):
      var status = stat()
      guard unsafe stat(path, &status) == 0 else { throw .opening(path) }
      switch status.st_mode & S_IFMT {
      case S_IFSOCK: return (try UnixSocket.connected(to: path, until: end), true)
      case S_IFCHR: return (try openedDevice(path, until: end), false)
      default: throw .unsuitable(reason: "\(path) is neither a device nor a socket")
      }
    }
  }

  /// Opens a device, which the kernel gives to one process at a time if it has no resource manager.
  private static func openedDevice(_ path: String, until end: Deadline) throws(HardwareKeyFailure) -> Int32 {
    while true {
      let descriptor = unsafe open(path, O_RDWR | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)
      if descriptor >= 0 { return descriptor }
      switch errno {
      case EINTR: continue
      case EBUSY, EAGAIN:
        guard end.left > 0 else { throw .busy }
        end.pause(10)
      default: throw .opening(path)
      }
    }
  }
}

extension HardwareKeyFailure {
  /// The failure that `errno` tells after a TPM could not be opened.
  static func opening(_ name: String) -> HardwareKeyFailure {
    let code = errno
    switch code {
    case EACCES, EPERM: return .forbidden(path: name)
    case ENOENT, ENOTDIR, ENXIO, ENODEV, ECONNREFUSED, ECONNRESET, EHOSTUNREACH, ENETUNREACH:
      return .absent(reason: "\(name): \(words(for: code))")
    default: return .failed(reason: "\(name): \(words(for: code))")
    }
  }

  static func words(for code: Int32) -> String {
    unsafe strerror(code).map { unsafe String(cString: $0) } ?? "error \(code)"
  }
}
