import Glibc

/// Writes all bytes to an open descriptor, even if signals or full buffers interrupt or shorten the calls.
///
/// - Throws: The first error that is not just "again".
package func writeAll(_ bytes: Span<UInt8>, to descriptor: Int32) throws(FileError) {
  var offset = 0
  while offset < bytes.count {
    let rest = bytes.extracting(droppingFirst: offset)
    let written = unsafe rest.withUnsafeBytes { unsafe write(descriptor, $0.baseAddress, $0.count) }
    if written > 0 {
      offset += written
    } else if written < 0 {
      try waitUnlessFailed(descriptor, Int16(POLLOUT))
    }
  }
}

/// Reads an open descriptor to its end.
///
/// The bytes may be a secret: they are read into one buffer that never moves, so that no half-read
/// copy stays behind, and a buffer that is given up is wiped.
///
/// - Parameters:
///   - descriptor: A descriptor open for reading.
///   - limit: The most bytes to return.
///   - size: The size of a regular file: where it stops with as many bytes it has ended, and need not be asked again.
/// - Returns: The bytes, or `nil` if there are more than `limit`.
/// - Throws: The first error that is not just "again".
package func readAll(from descriptor: Int32, limit: Int, expecting size: Int? = nil) throws(FileError) -> [UInt8]? {
  var failure: FileError?
  var isTooLong = false
  let bytes = unsafe [UInt8](unsafeUninitializedCapacity: limit + 1) { buffer, count in
    while count <= limit {
      let room = unsafe UnsafeMutableBufferPointer(rebasing: buffer[count...limit])
      let got = unsafe read(descriptor, room.baseAddress, room.count)
      if got == 0 { return }
      if got > 0 {
        count += got
        if count == size { return }
        continue
      }
      do throws(FileError) { try waitUnlessFailed(descriptor, Int16(POLLIN)) } catch {
        failure = error
        break
      }
    }
    isTooLong = failure == nil
    if let start = buffer.baseAddress { unsafe explicit_bzero(start, count) }
    count = 0
  }
  if let failure { throw failure }
  return isTooLong ? nil : bytes
}

/// Returns if the call is worth another attempt; else throws the error in `errno`.
private func waitUnlessFailed(_ descriptor: Int32, _ events: Int16) throws(FileError) {
  switch errno {
  case EINTR: return
  // Another process may have made a shared pipe or terminal non-blocking.
  case EAGAIN:
    var request = pollfd(fd: descriptor, events: events, revents: 0)
    _ = unsafe poll(&request, 1, -1)
  default: throw .last
  }
}

/// Reads the bytes that are there, once.
///
/// - Parameters:
///   - descriptor: A descriptor open for reading.
///   - limit: The most bytes to return.
/// - Returns: The bytes; none at the end.
/// - Throws: The first error that is not just "again".
package func readPart(_ descriptor: Int32, limit: Int) throws(FileError) -> [UInt8] {
  while true {
    var got = 0
    let bytes = unsafe [UInt8](unsafeUninitializedCapacity: limit) { buffer, count in
      got = unsafe read(descriptor, buffer.baseAddress, limit)
      count = max(0, got)
    }
    if got >= 0 { return bytes }
    try waitUnlessFailed(descriptor, Int16(POLLIN))
  }
}

/// Opens a path as any program does; the caller closes it.
///
/// - Parameters:
///   - path: The path; links in it are followed.
///   - flags: As for open(2); `O_CLOEXEC` and `O_NOCTTY` are added. What is created gets the
///     permissions that the user's umask leaves.
/// - Returns: The descriptor.
/// - Throws: The error of open(2).
package func openFile(_ path: String, _ flags: Int32) throws(FileError) -> Int32 {
  while true {
    let number = unsafe open(path, flags | O_CLOEXEC | O_NOCTTY, 0o666)
    if number >= 0 { return number }
    guard errno == EINTR else { throw .last }
  }
}
