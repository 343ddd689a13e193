import AcctPorts
import CLinux
import Glibc
import PrivateFiles
import Secrets

/// A terminal that is open for a question and its answer.
struct Console: ~Copyable {
  private let terminal: Descriptor?
  let input: Int32
  let output: Int32

  /// Opens the terminal, or takes standard input and error if both are one.
  init?(_ device: String) {
    do {
      let terminal = try Descriptor.open(device, O_RDWR)
      guard isatty(terminal.number) == 1 else { return nil }
      input = terminal.number
      output = terminal.number
      self.terminal = consume terminal
    } catch {
      guard isatty(STDIN_FILENO) == 1, isatty(STDERR_FILENO) == 1 else { return nil }
      input = STDIN_FILENO
      output = STDERR_FILENO
      terminal = nil
    }
  }

  /// Asks for one line.
  ///
  /// - Parameters:
  ///   - prompt: The question, printed as it is.
  ///   - isSecret: `true` if the answer must not be shown.
  ///   - timeout: The time to wait for it, in seconds; `nil` is for ever.
  /// - Returns: The line without its newline; `nil` when cancelled by a key or a signal, at the end of
  ///   input, or too late.
  func answer(to prompt: String, isSecret: Bool, timeout: Int?) -> [UInt8]? {
    // Echo goes first: text that is typed ahead of the prompt must not show either.
    guard PromptMode.begin(input, isSecret: isSecret) else { return nil }
    defer {
      PromptMode.end()
      // The newline that was typed was not echoed.
      if isSecret { _ = write("\n") }
    }
    guard write(prompt) else { return nil }
    return line(until: timeout.map { ContinuousClock.now.advanced(by: .seconds($0)) })
  }

  func write(_ text: String) -> Bool {
    do { try writeAll(Array(text.utf8).span, to: output) } catch { return false }
    return true
  }

  /// Ctrl-C and Ctrl-\, which arrive in the line while signal keys are off.
  private static let cancelKeys: [UInt8] = [0x03, 0x1C]
  /// In bytes; the kernel's line editor takes no more.
  private static let lineLimit = 4096

  private func line(until deadline: ContinuousClock.Instant?) -> [UInt8]? {
    // Of its full size from the beginning: a buffer that grows leaves copies behind.
    var line = [UInt8](repeating: 0, count: Self.lineLimit)
    var count = 0
    while count < line.count, waitForInput(until: deadline, while: { PromptMode.isActive }) {
      let got = unsafe line.withUnsafeMutableBytes { buffer in
        let room = unsafe UnsafeMutableRawBufferPointer(rebasing: buffer[count...])
        return unsafe read(input, room.baseAddress, room.count)
      }
      if got < 0 && errno == EINTR { continue }
      count += max(got, 0)
      // Asked again, since another thread may have taken the signal while this one waited.
      guard got >= 0, PromptMode.isActive, let end = line[..<count].last, !Self.cancelKeys.contains(end)
      else { break }
      let isEnded = end == UInt8(ascii: "\n")
      if isEnded || got == 0 {
        line.removeLast(line.count - count + (isEnded ? 1 : 0))
        return line
      }
    }
    wipe(&line)
    return nil
  }

  /// Returns `true` for input or its end, and `false` at the deadline or once the prompt has ended.
  ///
  /// The caller asks for itself whether the question is still open: each source file has a state of
  /// prompt.h of its own.
  func waitForInput(until deadline: ContinuousClock.Instant?, while isActive: () -> Bool) -> Bool {
    while isActive() {
      var request = pollfd(fd: input, events: Int16(POLLIN), revents: 0)
      let ready = unsafe poll(&request, 1, deadline.map(milliseconds) ?? -1)
      if ready >= 0 { return ready > 0 }
      guard errno == EINTR else { return false }
    }
    return false
  }
}

private func milliseconds(until deadline: ContinuousClock.Instant) -> Int32 {
  let left = ContinuousClock.now.duration(to: deadline) / .milliseconds(1)
  return Int32(clamping: Int64(max(left, 0).rounded(.up)))
}

extension Console {
  /// The time limit for the rest of a special key's bytes, in milliseconds.
  ///
  /// Far more than a terminal needs, even over a network, and little enough for Esc to seem immediate.
  private static let escapeTimeout = 50

  /// Shows lines, and others in their place after each key.
  ///
  /// - Parameters:
  ///   - timeout: The time to wait for each key, in seconds; `nil` is for ever.
  ///   - react: Gets the key, none the first time, and returns the lines, or `nil` to end.
  /// - Returns: `true` if the terminal can do that.
  func interact(timeout: Int?, _ react: (Keystroke?, TerminalSize) -> [String]?) -> Bool {
    var mode = termios()
    guard let size = terminalSize(output), unsafe tcgetattr(input, &mode) == 0, PromptMode.begin(input, isSecret: true)
    else { return false }
    defer {
      PromptMode.end()
      // Once more: a signal may have restored it before the keystrokes were asked for.
      unsafe tcsetattr(input, TCSANOW, &mode)
    }
    guard acct_keystrokes_begin(input) == 0 else { return false }

    var height = 0
    var keys = KeyReader()
    var lines = react(nil, size)
    while let shown = lines {
      // The cursor is left visible: a signal restores the terminal's mode, and nothing else.
      let text = shown.map { "\($0)\u{1B}[K\n" }.joined()
      guard write(up(height) + text + "\u{1B}[J") else { return true }
      height = shown.count
      guard let key = nextKey(&keys, timeout) else { break }
      lines = react(key, terminalSize(output) ?? size)
    }
    _ = write(up(height) + "\u{1B}[J")
    return true
  }

  private func up(_ height: Int) -> String { height > 0 ? "\r\u{1B}[\(height)A" : "\r" }

  /// Waits for a key; `nil` if none will come: a timeout, a signal, a closed terminal.
  private func nextKey(_ keys: inout KeyReader, _ timeout: Int?) -> Keystroke? {
    var isComplete = false
    while true {
      if let key = keys.next(isComplete: isComplete) { return key }
      let isInside = keys.hasBytes
      let wait: Duration? = isInside ? .milliseconds(Self.escapeTimeout) : timeout.map { .seconds($0) }
      let deadline = wait.map { ContinuousClock.now.advanced(by: $0) }
      guard waitForInput(until: deadline, while: { PromptMode.isActive }) else {
        guard isInside, PromptMode.isActive else { return nil }
        isComplete = true
        continue
      }
      var chunk = [UInt8](repeating: 0, count: 256)
      let count = unsafe read(input, &chunk, chunk.count)
      guard count > 0 || count < 0 && errno == EINTR else { return nil }
      keys.add(chunk.prefix(max(count, 0)))
    }
  }
}
