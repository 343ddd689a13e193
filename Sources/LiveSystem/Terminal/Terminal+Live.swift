import AcctModel
import Secrets
package import AcctPorts
import Glibc
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
