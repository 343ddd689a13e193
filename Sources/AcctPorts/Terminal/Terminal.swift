package import Secrets

/// The person at the terminal, if there is one.
package struct Terminal: Sendable {
  /// Returns `true` if questions can be asked: there is a controlling terminal.
  package var canAsk: @Sendable () -> Bool
  /// Returns `true` if standard input is a terminal: what is read from there is being typed, in sight of others.
  package var isInput: @Sendable () -> Bool = { false }
  /// Shows a line, as before a question; nothing without a terminal.
  package var tell: @Sendable (_ line: String) -> Void
  /// Asks for one line; `nil` at the end of input, or when cancelled.
  package var ask: @Sendable (_ prompt: String) -> String?
  /// Asks for one line without echo; `nil` at the end of input, or when cancelled.
  package var askSecret: @Sendable (_ prompt: String) -> Secret?
  /// Reads lines from standard input, on a terminal after a prompt and without echo; ends with
  /// the input, or when the reading task is cancelled.
  package var lines: @Sendable (_ prompt: String) -> AsyncStream<Secret>
  /// Shows a few lines, and replaces them after each key, until there are no more.
  ///
  /// `react` gets no key the first time, and returns the lines to show, which fit the size and have no control
  /// sequences but colours. However it ends (the lines are `nil`, a signal, a closed terminal), the lines are erased
  /// and the terminal is restored. Returns `false` if the terminal can't do that; then `react` was never called.
  package var interact: @Sendable (_ react: (Keystroke?, TerminalSize) -> [String]?) -> Bool

  /// Reads the keys that are pressed at standard input, without echo, while the process waits for something else.
  ///
  /// Ctrl-C and Ctrl-Z keep their effect. Ends at once without a terminal, or for a job in the background, and when the
  /// reading task is cancelled; the terminal is restored by then.
  package var keys: @Sendable () -> AsyncStream<Keystroke> = { AsyncStream { $0.finish() } }

  package init(
    canAsk: @escaping @Sendable () -> Bool,
    ask: @escaping @Sendable (_ prompt: String) -> String?,
    askSecret: @escaping @Sendable (_ prompt: String) -> Secret?,
    lines: @escaping @Sendable (_ prompt: String) -> AsyncStream<Secret>,
    tell: @escaping @Sendable (_ line: String) -> Void = { _ in },
    interact: @escaping @Sendable (_ react: (Keystroke?, TerminalSize) -> [String]?) -> Bool = { _ in false }
  ) {
    self.canAsk = canAsk
    self.ask = ask
    self.askSecret = askSecret
    self.lines = lines
    self.tell = tell
    self.interact = interact
  }
}

extension Terminal {
  /// Asks for one line without echo until there is one that is not empty; `nil` at the end of input, or when cancelled.
  package func askSecretUntilTyped(_ prompt: String) -> Secret? {
    while true {
      guard let typed = askSecret(prompt) else { return nil }
      if !typed.withBytes({ $0.isEmpty }) { return typed }
    }
  }
}

/// A key that a person pressed, as far as a choice on a terminal distinguishes them.
package enum Keystroke: Equatable, Sendable {
  case up, down, pageUp, pageDown, home, end
  case enter, backspace
  /// Ctrl-U: the text entered so far is discarded.
  case eraseLine
  /// Esc, Ctrl-C, Ctrl-D or Ctrl-\.
  case cancel
  /// A character.
  case text(Character)
  /// Anything else.
  case other
}

/// The number of columns and rows of a terminal.
package struct TerminalSize: Equatable, Sendable {
  package var columns: Int
  package var rows: Int

  package init(columns: Int, rows: Int) {
    self.columns = columns
    self.rows = rows
  }
}

/// Makes QR codes for the terminal at standard error.
package struct QRCode: Sendable {
  /// The modules of a code for an address, row by row, without a margin; `true` is dark.
  ///
  /// `nil` where no terminal could show them, or the system has no library that makes them.
  package var modules: @Sendable (_ address: String) -> [[Bool]]?

  package init(modules: @escaping @Sendable (_ address: String) -> [[Bool]]?) { self.modules = modules }

  /// Returns no codes.
  package static let none = QRCode { _ in nil }
}
