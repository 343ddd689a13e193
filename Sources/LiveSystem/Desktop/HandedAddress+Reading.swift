import Secrets
import AcctPorts
import CLinux
import Glibc
import PrivateFiles
import Synchronization

extension HandedAddress {
  /// In bytes; more than a callback may have.
  private static let limit = 1 << 16

  /// Reads the bytes of a process of the same user; `nil` for none, such as a probe.
  init?(on connection: consuming Descriptor) {
    guard connection.isFromOwnUser else { return nil }
    // Its end comes with the writing: a client that keeps it open for no reason is not waited for.
    connection.setReadTimeout(seconds: 5)
    var bytes = [UInt8](repeating: 0, count: Self.limit)
    defer { wipe(&bytes) }
    var count = 0
    while true {
      let got = unsafe bytes.withUnsafeMutableBytes { buffer in
        let room = unsafe UnsafeMutableRawBufferPointer(rebasing: buffer[count...])
        return unsafe read(connection.number, room.baseAddress, room.count)
      }
      if got < 0 && errno == EINTR { continue }
      guard got >= 0, count + got < bytes.count else { return nil }
      if got == 0 { break }
      count += got
    }
    guard count > 0 else { return nil }
    let reply = Mutex<Descriptor?>(consume connection)
    self.init(address: Secret(bytes[..<count])) { page in
      reply.withLock { connection in
        guard let last = connection.take() else { return }
        // A client that has disconnected needs no answer.
        try? writeAll([page.byte].span, to: last.number)
      }
    }
  }
}

extension CallbackPage {
  var byte: UInt8 {
    switch self {
    case .done: UInt8(ascii: "d")
    case .failed: UInt8(ascii: "f")
    // The handler of a scheme has no page that could look further.
    case .unexpected, .withoutAnswer: UInt8(ascii: "u")
    case .refused: UInt8(ascii: "r")
    }
  }

  init?(byte: UInt8) {
    let pages: [CallbackPage] = [.done, .failed, .unexpected, .refused]
    guard let page = pages.first(where: { $0.byte == byte }) else { return nil }
    self = page
  }
}
