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

extension Link {
  /// Gives a command, and returns the whole reply.
  ///
  /// - Throws: ``HardwareKeyFailure/malformedReply(reason:)`` if it ends too early or says that it is longer
  ///   than replies are; ``HardwareKeyFailure/busy`` if it does not come until the deadline;
  ///   ``HardwareKeyFailure/absent(reason:)`` if the connection ends before it.
  func exchange(_ command: [UInt8], until end: Deadline) throws(HardwareKeyFailure) -> [UInt8] {
    try send(command, until: end)
    return try receive(until: end)
  }

  /// A device takes a command as one piece, or fails.
  private func send(_ command: [UInt8], until end: Deadline) throws(HardwareKeyFailure) {
    var offset = 0
    while offset < command.count {
      let rest = command.span.extracting(droppingFirst: offset)
      let sent = unsafe rest.withUnsafeBytes { buffer in
        guard isSocket else { return unsafe write(descriptor, buffer.baseAddress, buffer.count) }
        // A TPM that hung up is an error, not the end of the process.
        return unsafe Glibc.send(descriptor, buffer.baseAddress, buffer.count, Int32(MSG_NOSIGNAL))
      }
      if sent >= 0 { offset += sent } else { try waitUnlessFailed(POLLOUT, until: end) }
    }
  }

  private func receive(until end: Deadline) throws(HardwareKeyFailure) -> [UInt8] {
    var failure: HardwareKeyFailure?
    // A device gives its reply at one reading: so there is room for the longest from the start.
    let reply = unsafe [UInt8](unsafeUninitializedCapacity: Reply.limit) { buffer, count in
      do throws(HardwareKeyFailure) {
        var expected = Reply.headerSize
        while count < expected {
          try wait(POLLIN, until: end)
          let more = unsafe read(descriptor, buffer.baseAddress.map { unsafe $0 + count }, buffer.count - count)
          if more < 0 {
            try waitUnlessFailed(POLLIN, until: end)
            continue
          }
          guard more > 0 else { throw count == 0 ? hungUp : .cut }
          count += more
          guard count >= Reply.headerSize else { continue }
          expected = unsafe buffer[2..<6].reduce(0) { $0 << 8 | Int($1) }
          guard (Reply.headerSize...Reply.limit).contains(expected), count <= expected else {
            throw .malformedReply(reason: "its length is wrong")
          }
        }
      } catch { failure = error }
    }
    if let failure { throw failure }
    return reply
  }

  private func waitUnlessFailed(_ events: Int32, until end: Deadline) throws(HardwareKeyFailure) {
    switch errno {
    case EINTR: return
    case EAGAIN: try wait(events, until: end)
    // The kernel's device, while a reply waits to be read.
    case EBUSY:
      guard end.left > 0 else { throw .busy }
      end.pause(10)
    case EPIPE, ECONNRESET: throw hungUp
    default: throw .failed(reason: "\(name): \(HardwareKeyFailure.words(for: errno))")
    }
  }

  private func wait(_ events: Int32, until end: Deadline) throws(HardwareKeyFailure) {
    var request = pollfd(fd: descriptor, events: Int16(events), revents: 0)
    while true {
      let ready = unsafe poll(&request, 1, end.left)
      if ready > 0 { return }
      guard ready < 0, errno == EINTR else { throw .busy }
    }
  }

  private var hungUp: HardwareKeyFailure { .absent(reason: "\(name) closed the connection") }
}

/// When something must be done, in the time that passes while the machine runs.
package struct Deadline: Sendable {
  /// In milliseconds since the machine started.
  private let end: Int

  package init(after patience: Duration) {
    let (seconds, attoseconds) = patience.components
    end = Self.now + Int(seconds) * 1000 + Int(attoseconds / 1_000_000_000_000_000)
  }

  /// Milliseconds until then; 0 if it has passed.
  var left: Int32 { Int32(clamping: max(0, end - Self.now)) }

  /// The rest of the time as a duration.
  package var patience: Duration { .milliseconds(Int(left)) }

  /// Waits for so many milliseconds, but not beyond it.
  func pause(_ milliseconds: Int32) { _ = poll(nil, 0, min(milliseconds, left)) }

  private static var now: Int {
    var time = timespec()
    unsafe clock_gettime(CLOCK_MONOTONIC, &time)
    return time.tv_sec * 1000 + time.tv_nsec / 1_000_000
  }
}

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
