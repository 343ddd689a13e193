package import AcctPorts
import CLinux
import Dispatch
import Glibc
import PrivateFiles
import Secrets
import Synchronization
import Text

extension SchemeHandler {
  /// The desktop's: an entry of acct's own while a sign-in waits, which runs `acct callback ADDRESS`.
  ///
  /// The desktop puts the address into that program's arguments, where other processes of the same
  /// user, and by the system's settings those of others, can see it for the moment that it lives.
  /// No desktop has another way; the code in it is good once, and pasting it avoids that.
  ///
  /// - Parameters:
  ///   - folders: The folders with the socket of the process that waits.
  ///   - variable: Returns an environment variable.
  /// - Returns: The handler; nothing is written yet.
  package static func live(
    _ folders: Folders,
    _ variable: @escaping @Sendable (_ name: String) -> String?
  ) -> SchemeHandler {
    let callbacks = folders.run.subfolder("callbacks")
    return SchemeHandler(
      register: { scheme throws(SchemeHandlerFailure) in
        guard let program = ownPath() else { throw .failed(reason: "acct's own path is unknown") }
        let registration = SchemeRegistration(program: program, variable)
        do throws(PrivateFilesError) {
          return try await reception(scheme, in: callbacks, registration)
        } catch {
          throw SchemeHandlerFailure(error)
        }
      },
      deliver: { address, folder throws(SchemeHandlerFailure) in
        let place = folder.map { PrivateFolder(at: $0) } ?? callbacks
        guard let scheme = scheme(of: address) else { throw .nobodyWaits }
        let answer: CallbackPage?
        do throws(PrivateFilesError) {
          answer = try CallbackSocket.send(address, to: scheme, in: place)
        } catch {
          throw SchemeHandlerFailure(error)
        }
        guard let answer else {
          // An entry that led here belongs to a process that has ended.
          SchemeRegistration(program: "", variable).clean(isAlive)
          throw .nobodyWaits
        }
        return answer
      }
    )
  }
}

private func reception(
  _ scheme: String,
  in callbacks: PrivateFolder,
  _ registration: SchemeRegistration
) async throws(PrivateFilesError) -> SchemeReception {
  // No scheme begins with an underscore: a lock's name is never a socket's.
  let turn = try await callbacks.lock("_\(scheme)", seconds: 0)
  let list = try await callbacks.lock("_", seconds: 5)
  defer { list.release() }
  registration.clean(isAlive)
  let callbackSocket = try CallbackSocket(scheme, in: callbacks)
  let change: SchemeRegistration.Change
  do { change = try registration.register(scheme, folder: callbacks.path) } catch {
    await callbackSocket.end()
    try callbacks.remove(scheme)
    throw .failed(path: "the desktop entry", reason: error.reason)
  }
  return SchemeReception(next: { await callbackSocket.next() }) {
    // Restored in any case: a list that two processes change at once is better than a stale entry.
    let list = try? await callbacks.lock("_", seconds: 5)
    registration.undo(change)
    list?.release()
    await callbackSocket.end()
    // A file that stays is replaced the next time.
    try? callbacks.remove(scheme)
    turn.release()
  }
}

@Sendable private func isAlive(_ scheme: String, _ folder: String) -> Bool {
  CallbackSocket.isAlive(scheme, in: PrivateFolder(at: folder))
}

extension SchemeHandlerFailure {
  fileprivate init(_ error: PrivateFilesError) {
    self =
      switch error {
      case .busy: .failed(reason: "another sign-in waits for them")
      case .failed(let path, let reason), .unsafe(let path, let reason): .failed(reason: "\(path): \(reason)")
      }
  }
}

/// The scheme of an address, as the socket's name.
private func scheme(of address: Secret) -> String? {
  let head = address.withBytes { span in span.indices.prefix(65).map { span[$0] } }
  guard let colon = head.firstIndex(of: UInt8(ascii: ":")), colon > 0 else { return nil }
  let scheme = String(decoding: head[..<colon], as: UTF8.self).lowercased()
  let isScheme = scheme.utf8.allSatisfy { $0.isASCIIDigit || $0.isASCIISmallLetter || "+-.".utf8.contains($0) }
  return isScheme ? scheme : nil
}

private func ownPath() -> String? {
  guard let path = unsafe realpath("/proc/self/exe", nil) else { return nil }
  defer { unsafe free(path) }
  return unsafe String(validatingCString: path)
}

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
      while waitForInput(number, until: stop) {
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
