import Secrets
import CLinux
import Dispatch
import Glibc
import PrivateFiles
import Synchronization

/// Lines of an input that is read only while a caller waits for one.
///
/// The wait can be cancelled at any time: `poll` waits for the input and for the cancellation.
final class LineInput: Sendable {
  private let input: Int32
  private let stop = acct_event()
  private let buffer = Mutex(LineBuffer())

  /// - Parameter input: A descriptor open for reading; it stays open.
  init(_ input: Int32) { self.input = input }

  deinit { close(stop) }

  /// Gives up waiting, now and later.
  func cancel() { acct_event_ring(stop) }

  /// Waits for a line on a thread of its own; `nil` at the end, or after ``cancel()``.
  ///
  /// - Parameters:
  ///   - prompt: The prompt if the input is a terminal, on which the line is not shown.
  ///   - device: The terminal to write it to; else it goes to standard error.
  /// - Returns: The line without its line break.
  func next(_ prompt: String, on device: String) async -> Secret? {
    await withCheckedContinuation { caller in
      DispatchQueue(label: "acct.lines").async { caller.resume(returning: self.line(prompt, on: device)) }
    }
  }

  private func line(_ prompt: String, on device: String) -> Secret? {
    guard isatty(input) == 1 else { return line(isTyped: false) }
    return onePrompt.withLock { _ in
      var mode = termios()
      guard unsafe tcgetattr(input, &mode) == 0, acct_prompt_begin(input, 1) == 0 else { return nil }
      defer {
        acct_prompt_end()
        // Once more: a signal may have restored it before the keystrokes were asked for.
        unsafe tcsetattr(input, TCSANOW, &mode)
        write("\n", on: device)
      }
      // The terminal's own editor cuts a line at 4095 bytes; some codes are longer.
      guard acct_keystrokes_begin(input) == 0 else { return nil }
      write(prompt, on: device)
      return line(isTyped: true)
    }
  }

  private func line(isTyped: Bool) -> Secret? {
    buffer.withLock { buffer in
      while true {
        switch buffer.next(isTyped: isTyped) {
        case .line(let line): return line
        case .end: return nil
        case .needsMore:
          guard waitForInput(input, until: stop) else { return nil }
          let count = unsafe buffer.fill { unsafe read(input, $0.baseAddress, $0.count) }
          guard count >= 0 || errno == EINTR || errno == EAGAIN else { return nil }
        }
      }
    }
  }
}

/// Waits until a descriptor has input.
///
/// - Parameters:
///   - input: The descriptor.
///   - stop: An event that ends the wait.
///   - goesOn: Returns `false` if a signal ends the wait, too.
/// - Returns: `true` once there is input, or its end.
func waitForInput(_ input: Int32, until stop: Int32, afterSignal goesOn: () -> Bool = { true }) -> Bool {
  var requests = [
    pollfd(fd: stop, events: Int16(POLLIN), revents: 0),
    pollfd(fd: input, events: Int16(POLLIN), revents: 0),
  ]
  while unsafe poll(&requests, nfds_t(requests.count), -1) < 0 {
    guard errno == EINTR, goesOn() else { return false }
  }
  return requests[0].revents == 0
}

/// Writes to the user's terminal.
private func write(_ text: String, on device: String) {
  let bytes = Array(text.utf8)
  // A line can be typed even if the prompt can't be shown.
  do {
    let terminal = try Descriptor.open(device, O_WRONLY)
    try writeAll(bytes.span, to: terminal.number)
  } catch {
    try? writeAll(bytes.span, to: STDERR_FILENO)
  }
}
