import AcctModel
package import AcctPorts
import CLinux
import Dispatch
import Glibc
import PrivateFiles
import Secrets
import Synchronization

extension Terminal {
  /// The terminal that the process was started from, even if its streams are redirected.
  ///
  /// - Parameters:
  ///   - device: The terminal's name.
  ///   - timeout: The time to wait for an answer, in seconds; `nil` is for ever.
  ///   - input: The descriptor of standard input.
  /// - Returns: The terminal.
  package static func live(device: String = "/dev/tty", timeout: Int? = nil, input: Int32 = STDIN_FILENO) -> Terminal {
    @Sendable func answer(_ prompt: String, isSecret: Bool) -> [UInt8]? {
      asking { Console(device)?.answer(to: printable(prompt), isSecret: isSecret, timeout: timeout) }
    }
    var terminal = Terminal(
      canAsk: { Console(device) != nil },
      ask: { prompt in
        guard var line = answer(prompt, isSecret: false) else { return nil }
        defer { wipe(&line) }
        return String(decoding: line, as: UTF8.self)
      },
      askSecret: { prompt in
        guard var line = answer(prompt, isSecret: true) else { return nil }
        return Secret(consuming: &line)
      },
      lines: { prompt in
        let lines = LineInput(input)
        return AsyncStream {
          await lines.next(printable(prompt), on: device)
        } onCancel: {
          lines.cancel()
        }
      },
      tell: { line in onePrompt.withLock { _ in _ = Console(device)?.write("\(printable(line))\n") } },
      interact: { react in asking { Console(device)?.interact(timeout: timeout, react) ?? false } }
    )
    terminal.isInput = { isatty(input) == 1 }
    terminal.keys = {
      let keys = KeyInput(input)
      return AsyncStream {
        await keys.next()
      } onCancel: {
        keys.cancel()
      }
    }
    return terminal
  }
}

/// Two questions at once would take each other's answers.
let onePrompt = Mutex(())

/// `true` while a question and its answer are on the terminal, where no other line may take their place.
let isQuestionOpen = Atomic(false)

private func asking<Answer>(_ body: () -> Answer) -> Answer {
  onePrompt.withLock { _ in
    isQuestionOpen.store(true, ordering: .relaxed)
    defer { isQuestionOpen.store(false, ordering: .relaxed) }
    return body()
  }
}

/// The size of a terminal's window now (TIOCGWINSZ); `nil` where there is none, or it is not known.
func terminalSize(_ descriptor: Int32) -> TerminalSize? {
  var size = winsize()
  guard unsafe ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0, size.ws_row > 0 else { return nil }
  return TerminalSize(columns: Int(size.ws_col), rows: Int(size.ws_row))
}

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
    // The terminal's own editor cuts a line at 4095 bytes; some codes are longer.
    return withKeystrokes(of: input) {
      defer { write("\n", on: device) }
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

/// Has a terminal pass on each key, and show none, for the length of a call; `nil` where it can't.
private func withKeystrokes<Result>(of input: Int32, _ body: () -> Result?) -> Result? {
  onePrompt.withLock { _ in
    var mode = termios()
    guard unsafe tcgetattr(input, &mode) == 0, PromptMode.begin(input, isSecret: true) else { return nil }
    defer {
      PromptMode.end()
      // Once more: a signal may have restored it before the keystrokes were asked for.
      unsafe tcsetattr(input, TCSANOW, &mode)
    }
    return acct_keystrokes_begin(input) == 0 ? body() : nil
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
    return withKeystrokes(of: input) {
      guard acct_keystrokes_keep_signals(input) == 0 else { return nil }
      return reader.withLock { reader in
        while true {
          if let key = reader.next(isComplete: true) { return key }
          // Keys that are typed while it is in the background are for another program.
          let hasInput = waitForInput(input, until: stop) { PromptMode.isActive }
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

/// Makes keystrokes of the bytes that a terminal sends for them (ECMA-48, section 5.4, and UTF-8).
struct KeyReader {
  private var bytes: [UInt8] = []

  /// `true` if a key has begun that is not complete yet.
  var hasBytes: Bool { !bytes.isEmpty }

  /// Takes more bytes, as they were read.
  mutating func add(_ more: some Sequence<UInt8>) { bytes += more }

  /// The next keystroke; `nil` where more bytes are needed to tell.
  ///
  /// - Parameter isComplete: `true` if nothing follows for now: then a lone Esc is the key of that name and not the
  ///   beginning of a sequence.
  /// - Returns: The key, whose bytes are then gone.
  mutating func next(isComplete: Bool) -> Keystroke? {
    guard let first = bytes.first else { return nil }
    guard first != 0x1B else { return sequence(isComplete: isComplete) }
    let length = first.lengthInUTF8
    guard bytes.count >= length || isComplete else { return nil }
    let text = String(validating: bytes.prefix(length), as: UTF8.self)
    bytes.removeFirst(min(length, bytes.count))
    return key(first) ?? text?.first.map(Keystroke.text) ?? .other
  }

  private func key(_ byte: UInt8) -> Keystroke? {
    switch byte {
    case 0x0A, 0x0D: .enter
    case 0x08, 0x7F: .backspace
    case 0x15: .eraseLine
    // Ctrl-C, Ctrl-D, Ctrl-\: the signal keys are off, so that the caller gets them.
    case 0x03, 0x04, 0x1C: .cancel
    // Ctrl-N and Ctrl-P, as in line editors; Tab goes on.
    case 0x09, 0x0E: .down
    case 0x10: .up
    case ..<0x20: .other
    default: nil
    }
  }

  /// A key whose bytes begin with Esc: Esc itself, or `ESC [ … final` and `ESC O final` for a special key.
  private mutating func sequence(isComplete: Bool) -> Keystroke? {
    guard bytes.count > 1 else { return isComplete ? take(1, as: .cancel) : nil }
    guard bytes[1] == UInt8(ascii: "[") || bytes[1] == UInt8(ascii: "O") else { return take(1, as: .cancel) }
    guard let end = bytes.dropFirst(2).firstIndex(where: { (0x40...0x7E).contains($0) }) else {
      return isComplete ? take(bytes.count, as: .other) : nil
    }
    let key: Keystroke =
      switch String(decoding: bytes[2...end], as: UTF8.self) {
      case "A": .up
      case "B": .down
      case "H", "1~", "7~": .home
      case "F", "4~", "8~": .end
      case "5~": .pageUp
      case "6~": .pageDown
      default: .other
      }
    return take(end + 1, as: key)
  }

  private mutating func take(_ count: Int, as key: Keystroke) -> Keystroke {
    bytes.removeFirst(count)
    return key
  }
}

extension UInt8 {
  /// The number of bytes of a character that begins with this one.
  fileprivate var lengthInUTF8: Int {
    switch self {
    case 0xC2...0xDF: 2
    case 0xE0...0xEF: 3
    case 0xF0...0xF4: 4
    default: 1
    }
  }
}

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
