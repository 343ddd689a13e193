import AcctPorts
import CLibCurl
import Curl
import Glibc

/// The sources that the transfers' thread waits for: libcurl's sockets, its timer, and other threads' orders.
///
/// epoll(7) tells which sockets have moved, and libcurl is told of these alone: asked about all at once, it makes a
/// system call for each transfer in each round. But for ``wake()`` and ``wait(_:)``, which is the thread's own, all
/// is for the holder of ``TransferWork``.
@safe final class TransferSockets: @unchecked Sendable {
  private let library: CurlTable
  private let multi: CurlMulti
  private let queue: Int32
  private let waker: Int32
  /// When libcurl wants to be called, though nothing has come.
  private var deadline: ContinuousClock.Instant?
  /// When the thread's wait ends, though nothing has come; `nil` if it has no end.
  private var waitEnd: ContinuousClock.Instant?
  /// Those that libcurl has let go of since the last wait was planned.
  ///
  /// Their events in that wait are not passed on: another connection may have the number by now. The next wait
  /// repeats the events of that one.
  private var released: Set<Int32> = []
  /// The descriptors that were put into the set, of which the system takes out those that libcurl closes.
  private var watched: [Int32: Interest] = [:]
  private var events = [acct_event](repeating: acct_event(), count: Int(ACCT_EVENTS))

  private enum Interest {
    case awaited
    /// A connection that no transfer uses.
    case idle
  }

  /// One wait for a timer, in milliseconds.
  private static let longest = 3_600_000.0

  /// - Throws: ``HTTPFailure/unsendable(reason:)`` if the system has no descriptor left.
  init(_ library: CurlTable, _ multi: CurlMulti) throws(HTTPFailure) {
    self.library = library
    self.multi = multi
    queue = acct_epoll()
    waker = acct_eventfd()
    guard queue >= 0, waker >= 0, acct_epoll_add_waker(queue, waker) == 0 else {
      throw .unsendable(reason: "the system has no descriptor left")
    }
    let code = unsafe acct_curl_watch_sockets(
      library.functions,
      multi.handle,
      Unmanaged.passUnretained(self).toOpaque(),
      { _, socket, what, data, _ in
        unsafe sockets(data).watch(socket, what)
        return 0
      },
      { _, milliseconds, data in
        unsafe sockets(data).setTimer(milliseconds)
        return 0
      }
    )
    guard code == CURLM_OK else { throw CurlTable.tooOld }
  }

  deinit {
    if queue >= 0 { close(queue) }
    if waker >= 0 { close(waker) }
  }

  /// Ends the wait of the thread, or its next one.
  func wake() {
    var one: UInt64 = 1
    // It can't be full: each of these counts one.
    _ = unsafe write(waker, &one, MemoryLayout.size(ofValue: one))
  }

  /// Plans the thread's next wait: until libcurl wants to be called, but no longer than `milliseconds`.
  ///
  /// - Parameter milliseconds: -1 is for ever.
  /// - Returns: The time to wait, in milliseconds.
  func plan(atMost milliseconds: Int32) -> Int32 {
    released = []
    let now = ContinuousClock.now
    var timeout = milliseconds
    if let deadline {
      let left = max(.zero, now.duration(to: deadline))
      // Rounded up: a moment too early there would be nothing to do but to wait again.
      let wait = Int32(min((left / .milliseconds(1)).rounded(.up), Self.longest))
      timeout = timeout < 0 ? wait : min(timeout, wait)
    }
    waitEnd = timeout < 0 ? nil : now + .milliseconds(timeout)
    return timeout
  }

  /// `true` if the thread's wait has an end, though nothing comes.
  var hasWaitEnd: Bool { waitEnd != nil }

  /// `true` if the thread's wait ends when libcurl wants to be called.
  var isWaitedForInTime: Bool {
    guard let deadline else { return true }
    return waitEnd.map { $0 <= deadline } ?? false
  }

  /// Waits until something comes.
  ///
  /// - Parameter milliseconds: The time limit; -1 is for ever.
  /// - Returns: The number of events for ``act(on:)``.
  func wait(_ milliseconds: Int32) -> Int {
    let count = unsafe events.withUnsafeMutableBufferPointer { buffer in
      unsafe acct_epoll_wait(queue, buffer.baseAddress, milliseconds)
    }
    return Int(max(count, 0))
  }

  /// Has libcurl handle the events of a wait.
  ///
  /// - Parameter count: The number of events that the wait returned.
  /// - Returns: `true` if any socket has moved.
  func act(on count: Int) -> Bool {
    var hasMoved = false
    var running: Int32 = 0
    for event in events.prefix(count)
    where event.descriptor != waker && !released.contains(event.descriptor) {
      guard watched[event.descriptor] == .awaited else {
        forget(event.descriptor)
        continue
      }
      hasMoved = true
      _ = unsafe library.functions.pointee.multi_socket_action(multi.handle, event.descriptor, event.what, &running)
    }
    actInTime()
    return hasMoved
  }

  /// Has libcurl act on its timer, if that is due.
  func actInTime() {
    guard let deadline, deadline <= .now else { return }
    // libcurl sets it anew.
    self.deadline = nil
    var running: Int32 = 0
    _ = unsafe library.functions.pointee.multi_socket_action(multi.handle, -1, 0, &running)
  }

  /// Notes what libcurl waits for on a socket.
  ///
  /// One that it lets go of stays in the set, since most are connections that the next request uses. The system takes
  /// it out when it is closed; the number may be another socket's then, which a change does not find.
  private func watch(_ socket: curl_socket_t, _ what: Int32) {
    guard what & CURL_POLL_INOUT != 0, what != CURL_POLL_REMOVE else {
      if what == CURL_POLL_REMOVE { released.insert(socket) }
      if watched[socket] != nil { watched[socket] = .idle }
      return
    }
    if watched.updateValue(.awaited, forKey: socket) != nil {
      if acct_epoll_change(queue, EPOLL_CTL_MOD, socket, what) == 0 { return }
      // What may have come in this wait was the closed one's.
      released.insert(socket)
    }
    _ = acct_epoll_change(queue, EPOLL_CTL_ADD, socket, what)
  }

  /// Takes a socket out of the set on which something has come that libcurl does not wait for.
  ///
  /// epoll would report it again and again; as it does with a closed one, until a child that was just forked has closed
  /// it too.
  private func forget(_ socket: Int32) {
    watched[socket] = nil
    _ = acct_epoll_change(queue, EPOLL_CTL_DEL, socket, 0)
  }

  private func setTimer(_ milliseconds: Int) { deadline = milliseconds < 0 ? nil : .now + .milliseconds(milliseconds) }
}

/// The sockets that a callback is for; they live for as long as libcurl's set.
private func sockets(_ data: UnsafeMutableRawPointer?) -> TransferSockets {
  unsafe Unmanaged<TransferSockets>.fromOpaque(data.unsafelyUnwrapped).takeUnretainedValue()
}
