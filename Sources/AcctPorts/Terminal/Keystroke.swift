/// A key that a person pressed, as far as a choice on a terminal tells them apart.
package enum Keystroke: Equatable, Sendable {
  case up, down, pageUp, pageDown, home, end
  case enter, backspace
  /// Ctrl-U: what has been typed is to be forgotten.
  case eraseLine
  /// Esc, Ctrl-C, Ctrl-D or Ctrl-\.
  case cancel
  /// A character.
  case text(Character)
  /// Anything else.
  case other
}

/// How much a terminal shows at once.
package struct TerminalSize: Equatable, Sendable {
  package var columns: Int
  package var rows: Int

  package init(columns: Int, rows: Int) {
    self.columns = columns
    self.rows = rows
  }
}
