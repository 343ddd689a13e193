import AcctModel
import AcctTestSupport
import Dispatch
import Glibc

/// A socket at which a test answers a TPM's commands, itself or with what a real one replies.
final class ScriptedTPM: Sendable {
  /// Answers a command, by its number on the connection; `nil` hangs up, nothing at all is silence.
  typealias Answer = @Sendable (_ number: Int, _ command: [UInt8]) -> [UInt8]?

  let address: TPMAddress
  private let folder: TemporaryFolder
  private let listener: Int32

  init(_ answer: @escaping Answer) throws {
    folder = try TemporaryFolder()
    let path = "\(folder.path)/tpm"
    address = .path(path)
    listener = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    guard unsafe atUnixSocket(path, { unsafe bind(listener, $0, $1) }) == 0, listen(listener, 64) == 0
    else { throw ProcessFailure.system(call: "bind", code: errno) }
    DispatchQueue(label: "scripted TPM").async { [listener] in
      while true {
        let caller = accept(listener, nil, nil)
        guard caller >= 0 else { return }
        DispatchQueue(label: "caller").async { serve(caller, answer) }
      }
    }
  }

  deinit {
    shutdown(listener, Int32(SHUT_RDWR))
    close(listener)
  }
}

/// A connection to a software TPM's socket that a test speaks on.
final class BareLine: Sendable {
  private let descriptor: Int32

  init(to address: TPMAddress) throws {
    guard case .path(let path) = address else { throw ProcessFailure.system(call: "connect", code: EINVAL) }
    descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    guard unsafe atUnixSocket(path, { unsafe connect(descriptor, $0, $1) }) == 0 else {
      throw ProcessFailure.system(call: "connect", code: errno)
    }
  }

  deinit { close(descriptor) }

  /// Ends the connection, as the kernel does with that of a process that was killed.
  func end() { shutdown(descriptor, Int32(SHUT_RDWR)) }

  /// Gives a command, and returns the reply; nothing if there is none.
  func exchange(_ command: [UInt8]) -> [UInt8] { sendAll(command, on: descriptor) ? frame(from: descriptor) ?? [] : [] }
}

private func serve(_ caller: Int32, _ answer: ScriptedTPM.Answer) {
  defer { close(caller) }
  var number = 0
  while let command = frame(from: caller) {
    guard let reply = answer(number, command), sendAll(reply, on: caller) else { return }
    // One that says that it is longer ends here, and so does the connection.
    guard reply.isEmpty || isWhole(reply) else { return }
    number += 1
  }
}

/// One command or reply: its size is in bytes 2 to 5.
private func frame(from descriptor: Int32) -> [UInt8]? {
  var bytes: [UInt8] = []
  var buffer = [UInt8](repeating: 0, count: 4096)
  while !isWhole(bytes) {
    let count = unsafe read(descriptor, &buffer, buffer.count)
    guard count > 0 else { return nil }
    bytes += buffer.prefix(count)
  }
  return bytes
}

private func isWhole(_ bytes: [UInt8]) -> Bool {
  bytes.count >= 10 && bytes.count >= bytes[2..<6].reduce(0) { $0 << 8 | Int($1) }
}

private func sendAll(_ bytes: [UInt8], on descriptor: Int32) -> Bool {
  unsafe bytes.isEmpty || send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count
}

private func atUnixSocket(_ path: String, _ call: (UnsafePointer<sockaddr>, socklen_t) -> Int32) -> Int32 {
  var address = sockaddr_un()
  address.sun_family = sa_family_t(AF_UNIX)
  unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: path.utf8) }
  return unsafe withUnsafePointer(to: &address) { pointer in
    unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
      unsafe call($0, socklen_t(MemoryLayout<sockaddr_un>.size))
    }
  }
}
