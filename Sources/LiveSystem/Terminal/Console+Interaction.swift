import AcctPorts
import CLinux
import Glibc

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
    guard let size = terminalSize(output), unsafe tcgetattr(input, &mode) == 0, acct_prompt_begin(input, 1) == 0
    else { return false }
    defer {
      acct_prompt_end()
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
      guard waitForInput(until: deadline, while: { acct_prompt_is_active() != 0 }) else {
        guard isInside, acct_prompt_is_active() != 0 else { return nil }
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
