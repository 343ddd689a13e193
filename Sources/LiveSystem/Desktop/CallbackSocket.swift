import Secrets
import AcctPorts
import CLinux
import Dispatch
import Glibc
import PrivateFiles
import Synchronization

/// A unix socket on which addresses are delivered to the process that waits for them.
///
/// Only the same user's processes are accepted. The address comes first, to the end of the sender's
/// half; one byte goes back, with the verdict.
final class CallbackSocket: Sendable {
  private let handed: AsyncStream<HandedAddress>
  private let hand: AsyncStream<HandedAddress>.Continuation
  private let stop = acct_event()
  private let done = DispatchGroup()

  /// Begins to listen, on a thread of its own.
  ///
  /// - Parameters:
  ///   - name: The socket's name.
  ///   - folder: The folder of the socket.
  /// - Throws: ``PrivateFilesError``.
  init(_ name: String, in folder: PrivateFolder) throws(PrivateFilesError) {
    (handed, hand) = AsyncStream.makeStream()
    let listener = try folder.listen(name)
    let number = listener.number
    let kept = Mutex<Descriptor?>(consume listener)
    done.enter()
    DispatchQueue(label: "acct.callbacks").async { [hand, stop, done] in
      while wait(for: number, or: stop) {
        guard let connection = kept.withLock({ $0?.accepted() }) else { continue }
        if let handed = HandedAddress(on: connection) { hand.yield(handed) }
      }
      kept.withLock { $0 = nil }
      done.leave()
    }
  }

  deinit { close(stop) }

  func next() async -> HandedAddress? {
    for await address in handed { return address }
    return nil
  }

  /// Stops listening.
  func end() async {
    acct_event_ring(stop)
    await withCheckedContinuation { caller in done.notify(queue: .global()) { caller.resume() } }
    hand.finish()
  }

  /// Delivers an address, and returns the answer; `nil` if no process listens or answers.
  static func send(
    _ address: Secret,
    to name: String,
    in folder: PrivateFolder
  ) throws(PrivateFilesError) -> CallbackPage? {
    guard let connection = try folder.connect(name) else { return nil }
    connection.setReadTimeout(seconds: timeout)
    do throws(FileError) {
      try address.withBytes { span throws(FileError) in try writeAll(span, to: connection.number) }
    } catch {
      return nil
    }
    shutdown(connection.number, Int32(SHUT_WR))
    var byte: UInt8 = 0
    guard unsafe read(connection.number, &byte, 1) == 1 else { return nil }
    return CallbackPage(byte: byte)
  }

  /// `true` if a process listens.
  static func isAlive(_ name: String, in folder: PrivateFolder) -> Bool {
    // A folder that can't be used holds no listening socket of this user's either.
    guard let connection = try? folder.connect(name) else { return false }
    return connection.number >= 0
  }

  /// In seconds; a browser that opens at the same time may keep the other side for one.
  private static let timeout = 30
}

extension Descriptor {
  fileprivate borrowing func accepted() -> Descriptor? { try? accept() }
}

/// Returns `true` for a connection, and `false` for the end.
private func wait(for listener: Int32, or stop: Int32) -> Bool {
  var requests = [
    pollfd(fd: stop, events: Int16(POLLIN), revents: 0),
    pollfd(fd: listener, events: Int16(POLLIN), revents: 0),
  ]
  while unsafe poll(&requests, nfds_t(requests.count), -1) < 0 {
    guard errno == EINTR else { return false }
  }
  return requests[0].revents == 0
}
