import AcctPorts
import CLinux
import Dispatch
import Glibc
import PrivateFiles
import Synchronization

/// Keys of a terminal that are read only while a caller waits for one, and that stop no job in the background.
final class KeyInput: Sendable {
  private let input: Int32
  private let stop = acct_event()
  private let reader = Mutex(KeyReader())

  /// - Parameter input: A descriptor open for reading; it stays open.
  init(_ input: Int32) { self.input = input }

  deinit { close(stop) }

  /// Gives up waiting, now and later.
  func cancel() { acct_event_ring(stop) }

  /// Waits for a key on a thread of its own; `nil` without a terminal in the foreground, or after ``cancel()``.
  func next() async -> Keystroke? {
    await withCheckedContinuation { caller in
      DispatchQueue(label: "acct.keys").async { caller.resume(returning: self.withoutStops { self.key() }) }
    }
  }

  /// Does `body` on this thread, where a job that has been put in the background since is not stopped for the terminal.
  private func withoutStops<Result>(_ body: () -> Result) -> Result {
    var stops = sigset_t()
    var before = sigset_t()
    unsafe sigemptyset(&stops)
    for signal in [SIGTTIN, SIGTTOU] { unsafe sigaddset(&stops, signal) }
    unsafe pthread_sigmask(SIG_BLOCK, &stops, &before)
    defer { unsafe pthread_sigmask(SIG_SETMASK, &before, nil) }
    return body()
  }

  private var isInForeground: Bool {
    let foreground = tcgetpgrp(input)
    return foreground < 0 || foreground == getpgrp()
  }

  private func key() -> Keystroke? {
    guard isatty(input) == 1, isInForeground else { return nil }
    return onePrompt.withLock { _ in
      var mode = termios()
      guard unsafe tcgetattr(input, &mode) == 0, acct_prompt_begin(input, 1) == 0 else { return nil }
      defer {
        acct_prompt_end()
        // Once more: a signal may have restored it before the keystrokes were asked for.
        unsafe tcsetattr(input, TCSANOW, &mode)
      }
      guard acct_keystrokes_begin(input) == 0, acct_keystrokes_keep_signals(input) == 0 else { return nil }
      return reader.withLock { reader in
        while true {
          if let key = reader.next(isComplete: true) { return key }
          // Keys that are typed while it is in the background are for another program.
          let hasInput = waitForInput(input, until: stop) { acct_prompt_is_active() != 0 }
          guard hasInput, isInForeground else { return nil }
          var chunk = [UInt8](repeating: 0, count: 64)
          let count = unsafe read(input, &chunk, chunk.count)
          guard count > 0 || count < 0 && errno == EINTR else { return nil }
          reader.add(chunk.prefix(max(count, 0)))
        }
      }
    }
  }
}
