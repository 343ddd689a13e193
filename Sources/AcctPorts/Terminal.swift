package import AcctModel

/// The person at the terminal, if there is one.
package struct Terminal: Sendable {
  /// Whether somebody can be asked: a controlling terminal is there.
  package var canAsk: @Sendable () -> Bool
  /// Asks for one line; `nil` at the end of input, or when cancelled.
  package var ask: @Sendable (_ prompt: String) -> String?
  /// Asks for one line without echo; `nil` at the end of input, or when cancelled.
  package var askSecret: @Sendable (_ prompt: String) -> Secret?
  /// Reads lines from standard input, on a terminal after a prompt and without echo; ends with
  /// the input, or when the reading task is cancelled.
  package var lines: @Sendable (_ prompt: String) -> AsyncStream<Secret>

  package init(
    canAsk: @escaping @Sendable () -> Bool,
    ask: @escaping @Sendable (_ prompt: String) -> String?,
    askSecret: @escaping @Sendable (_ prompt: String) -> Secret?,
    lines: @escaping @Sendable (_ prompt: String) -> AsyncStream<Secret>
  ) {
    self.canAsk = canAsk
    self.ask = ask
    self.askSecret = askSecret
    self.lines = lines
  }
}
