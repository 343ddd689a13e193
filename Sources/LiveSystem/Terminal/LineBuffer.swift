import Secrets
import Glibc

/// Makes lines of bytes as they come, and keeps no copy of a line that it has returned.
final class LineBuffer {
  /// In bytes; far more than any address that a browser shows.
  static let lineLimit = 1 << 16

  private var chunk = [UInt8](repeating: 0, count: 4096)
  private var unread = 0..<0
  // Of its full size from the beginning: a buffer that grows leaves copies behind.
  private var line = [UInt8](repeating: 0, count: LineBuffer.lineLimit)
  private var count = 0
  private var isTooLong = false
  private var hasEnded = false

  deinit {
    wipe(&chunk)
    wipe(&line)
  }

  enum Step {
    /// Without its line break; a line over the limit comes as an empty one.
    case line(Secret)
    /// Of the input, or of the wait by Ctrl-C.
    case end
    /// ``fill(_:)`` is to be called.
    case needsMore
  }

  /// Takes bytes up to the end of a line.
  ///
  /// - Parameter isTyped: `true` if the bytes are keystrokes, some of which edit or end the line.
  /// - Returns: The line so far, or its end.
  func next(isTyped: Bool) -> Step {
    while let index = unread.first {
      let byte = chunk[index]
      chunk[index] = 0
      unread.removeFirst()
      switch (byte, isTyped) {
      case (newline, _), (carriageReturn, true): return take()
      case (0x04, true) where count > 0: return take()
      // Ctrl-D, Ctrl-C, Ctrl-\: the last two end a line like this one and not the process, so that
      // the caller gets the cancellation.
      case (0x04, true), (0x03, true), (0x1C, true): return .end
      case (0x7F, true), (0x08, true): eraseCharacter()
      // Ctrl-U.
      case (0x15, true): erase()
      default: append(byte)
      }
    }
    guard hasEnded else { return .needsMore }
    return count > 0 || isTooLong ? take() : .end
  }

  /// Reads more with a call like read(2); nothing read is the end of the input.
  func fill(_ read: (UnsafeMutableRawBufferPointer) -> Int) -> Int {
    let count = unsafe chunk.withUnsafeMutableBytes { unsafe read($0) }
    unread = 0..<max(count, 0)
    hasEnded = count == 0
    return count
  }

  private func append(_ byte: UInt8) {
    if count == line.count {
      isTooLong = true
      erase()
    }
    guard !isTooLong else { return }
    line[count] = byte
    count += 1
  }

  private func eraseCharacter() {
    // The bytes 10xxxxxx continue a character of UTF-8.
    while count > 0 {
      count -= 1
      guard line[count] & 0xC0 == 0x80 else { return }
    }
  }

  private func erase() {
    wipe(&line)
    count = 0
  }

  private func take() -> Step {
    if count > 0, line[count - 1] == carriageReturn { count -= 1 }
    let taken = Secret(line[..<count])
    erase()
    isTooLong = false
    return .line(taken)
  }
}

private let newline = UInt8(ascii: "\n")
private let carriageReturn = UInt8(ascii: "\r")
