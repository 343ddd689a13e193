import AcctModel
import Glibc

/// A connected Unix socket on which nothing waits longer than a deadline.
struct BusSocket: ~Copyable {
  private let number: Int32
  /// The deadline for all calls.
  var end: ContinuousClock.Instant

  /// Connects to the first of the names that listens.
  ///
  /// - Throws: ``BusError/unreachable(reason:)`` or ``BusError/timedOut``.
  init(to names: [[UInt8]], until end: ContinuousClock.Instant) throws(BusError) {
    var failure = BusError.unreachable(reason: "the session bus has no Unix socket")
    for name in names {
      do {
        number = try Self.connected(to: name, until: end)
        self.end = end
        return
      } catch { failure = error }
    }
    throw failure
  }

  deinit { close(number) }

  /// Sends all of the bytes.
  ///
  /// - Throws: ``BusError/unreachable(reason:)`` or ``BusError/timedOut``.
  func send(_ bytes: Span<UInt8>) throws(BusError) {
    var offset = 0
    while offset < bytes.count {
      let rest = bytes.extracting(droppingFirst: offset)
      // A bus that hung up is an error, not the end of the process.
      let sent = unsafe rest.withUnsafeBytes {
        unsafe Glibc.send(number, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL | MSG_DONTWAIT))
      }
      if sent >= 0 { offset += sent } else { try waitUnlessFailed(POLLOUT) }
    }
  }

  /// Receives the bytes that are there, at least one.
  ///
  /// - Returns: The number of received bytes.
  /// - Throws: ``BusError/unreachable(reason:)``, also at the end, or ``BusError/timedOut``.
  func receive(into buffer: UnsafeMutableRawBufferPointer) throws(BusError) -> Int {
    // An answer takes the bus and the provider a while: a first try would return nothing.
    try wait(POLLIN)
    while true {
      let count = unsafe recv(number, buffer.baseAddress, buffer.count, Int32(MSG_DONTWAIT))
      if count > 0 { return count }
      if count == 0 { throw .unreachable(reason: "the session bus closed the connection") }
      try waitUnlessFailed(POLLIN)
    }
  }

  /// Receives the bytes that are there, without waiting.
  ///
  /// - Returns: The number of received bytes; 0 if none are there.
  /// - Throws: ``BusError/unreachable(reason:)``, also at the end.
  func receiveWhatIsThere(into buffer: UnsafeMutableRawBufferPointer) throws(BusError) -> Int {
    while true {
      let count = unsafe recv(number, buffer.baseAddress, buffer.count, Int32(MSG_DONTWAIT))
      if count > 0 { return count }
      if count == 0 { throw .unreachable(reason: "the session bus closed the connection") }
      if errno == EAGAIN { return 0 }
      guard errno == EINTR else { throw .last }
    }
  }

  private static func connected(to name: [UInt8], until end: ContinuousClock.Instant) throws(BusError) -> Int32 {
    var address = sockaddr_un()
    let offset = MemoryLayout<sockaddr_un>.size - MemoryLayout.size(ofValue: address.sun_path)
    guard offset + name.count < MemoryLayout<sockaddr_un>.size else {
      throw .unreachable(reason: "the session bus has too long a name")
    }
    address.sun_family = sa_family_t(AF_UNIX)
    unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: name) }
    let number = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    guard number >= 0 else { throw .last }
    // connect(2) waits where a bus has too many callers, for as long as this says.
    var timeout = timeval(remaining(until: end))
    let length = socklen_t(offset + name.count)
    unsafe setsockopt(number, SOL_SOCKET, SO_SNDTIMEO, &timeout, socklen_t(MemoryLayout<timeval>.size))
    let result = unsafe withUnsafePointer(to: &address) { address in
      unsafe address.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        unsafe connect(number, address, length)
      }
    }
    guard result < 0 else { return number }
    let failure = errno == EAGAIN ? BusError.timedOut : .last
    close(number)
    throw failure
  }

  private func waitUnlessFailed(_ events: Int32) throws(BusError) {
    switch errno {
    case EINTR: return
    case EAGAIN: try wait(events)
    default: throw .last
    }
  }

  private func wait(_ events: Int32) throws(BusError) {
    while true {
      let left = Self.remaining(until: end)
      guard left > .zero else { throw .timedOut }
      var request = pollfd(fd: number, events: Int16(events), revents: 0)
      // Rounded up, so that it does not spin through the last millisecond.
      let milliseconds =
        Int32(clamping: left.components.seconds * 1000 + 1)
        &+ Int32(left.components.attoseconds / 1_000_000_000_000_000)
      let ready = unsafe poll(&request, 1, milliseconds)
      if ready > 0 { return }
      guard ready == 0 || errno == EINTR else { throw .last }
    }
  }

  private static func remaining(until end: ContinuousClock.Instant) -> Duration {
    ContinuousClock.now.duration(to: end)
  }
}

extension timeval {
  /// At least one microsecond: none would mean for ever.
  fileprivate init(_ duration: Duration) {
    let (seconds, attoseconds) = duration.components
    self =
      duration > .milliseconds(1)
      ? timeval(tv_sec: Int(seconds), tv_usec: Int(attoseconds / 1_000_000_000_000))
      : timeval(tv_sec: 0, tv_usec: 1000)
  }
}

extension BusError {
  /// The error in `errno`.
  fileprivate static var last: BusError { unsafe .unreachable(reason: String(cString: strerror(errno))) }
}
