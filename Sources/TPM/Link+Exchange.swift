import AcctModel
import Glibc

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
