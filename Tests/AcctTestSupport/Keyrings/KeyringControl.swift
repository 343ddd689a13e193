import Secrets
import Glibc

/// GNOME Keyring's control socket, by which PAM unlocks it with the login's password.
enum KeyringControl {
  /// Unlocks the login collection of the daemon that listens in a runtime folder.
  ///
  /// - Throws: ``HarnessFailure`` if it refuses.
  static func unlock(runtimeFolder: String, password: String) throws(HarnessFailure) {
    let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(descriptor) }
    guard connect(descriptor, to: "\(runtimeFolder)/keyring/control") else {
      throw HarnessFailure("no control socket: errno \(errno)")
    }
    // A zero byte, with which the kernel passes on who asks; the length of the rest, counting
    // itself; operation 1, "unlock"; and the password with its length.
    let secret = Array(password.utf8)
    let rest = word(1) + word(secret.count) + secret
    let request = [0] + word(rest.count + 4) + rest
    var answer = [UInt8](repeating: 0, count: 8)
    guard unsafe write(descriptor, request, request.count) == request.count,
      unsafe recv(descriptor, &answer, answer.count, Int32(MSG_WAITALL)) == answer.count, answer == word(8) + word(0)
    else { throw HarnessFailure("the keyring was not unlocked: \(answer)") }
  }

  private static func connect(_ descriptor: Int32, to path: String) -> Bool {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let fits = unsafe withUnsafeMutableBytes(of: &address.sun_path) { place in
      guard path.utf8.count < place.count else { return false }
      unsafe place.copyBytes(from: path.utf8)
      return true
    }
    guard fits else { return false }
    return unsafe withUnsafePointer(to: &address) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { generic in
        unsafe Glibc.connect(descriptor, generic, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0
      }
    }
  }

  /// 32 bits, the most significant byte first.
  private static func word(_ value: Int) -> [UInt8] {
    [24, 16, 8, 0].map { shift in UInt8(truncatingIfNeeded: value >> shift) }
  }
}
