import Glibc

/// A file without a name that a child reads from or writes to.
///
/// Unlike a pipe it never fills up, never has to be drained while the child runs, and ends where it
/// ends even if some daemon still holds it open.
package final class CapturedFile: Sendable {
  /// Closed on exec; what a child gets is a duplicate.
  let descriptor: Int32

  /// An empty file, or one that holds `bytes` and is read from its start.
  init(containing bytes: [UInt8] = []) throws(ProcessFailure) {
    let name = "/tmp/acct-captured-\(UInt64.random(in: 0...UInt64.max))"
    descriptor = unsafe open(name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw .system(call: "open", code: errno) }
    unsafe unlink(name)
    var written = 0
    while written < bytes.count {
      let count = unsafe bytes.withUnsafeBytes { buffer in
        unsafe pwrite(
          descriptor,
          buffer.baseAddress.map { unsafe $0 + written },
          buffer.count - written,
          off_t(written)
        )
      }
      guard count > 0 else { throw .system(call: "pwrite", code: errno) }
      written += count
    }
  }

  deinit { close(descriptor) }

  /// Everything that has been written so far.
  package func contents() -> [UInt8] {
    var information = stat()
    guard unsafe fstat(descriptor, &information) == 0 else { return [] }
    let size = Int(information.st_size)
    return unsafe [UInt8](unsafeUninitializedCapacity: size) { buffer, count in
      // A regular file gives all that there is at once.
      count = max(0, unsafe pread(descriptor, buffer.baseAddress, size, 0))
    }
  }
}
