package import AcctModel

/// What a person is asked for at the terminal.
package enum Prompt: Equatable, Sendable {
  /// A new token of a static account.
  case token(account: AccountName)
  /// A passphrase for a new export.
  case newPassphrase
  case passphraseAgain
  /// The passphrase of an existing export.
  case passphrase
  /// The address that the browser was redirected to.
  case callbackAddress
}

/// The words of a command for what use cases ask and decide; one reference, since a context is copied often.
package final class Voice: Sendable {
  let words: @Sendable (Prompt) -> String
  let explain: (@Sendable (Decision) -> Void)?
  private let notice: (@Sendable (Decision) -> Void)?

  /// - Parameters:
  ///   - words: Finds the words of a prompt.
  ///   - explain: Takes each decision; `nil` unless the user wants to know.
  ///   - notice: Takes each decision that shows a fault that the user can fix; `nil` if the user wants to know none.
  package init(
    words: @escaping @Sendable (Prompt) -> String,
    explain: (@Sendable (Decision) -> Void)?,
    notice: (@Sendable (Decision) -> Void)?
  ) {
    self.words = words
    self.explain = explain
    self.notice = notice
  }

  /// Tells that proofs for a server are to have its time, if a refusal has taught that.
  package func tellTime(of learned: ServerHint?, after known: ServerHint?, _ origin: Origin) {
    guard let learned, learned.isClockOff, known?.isClockOff != true else { return }
    notice?(.useServerTime(origin, secondsAhead: learned.clockOffset))
  }
}

extension EngineContext {
  /// The words of a prompt.
  func words(_ prompt: Prompt) -> String { voice?.words(prompt) ?? "" }

  /// Tells a decision, where the command tells any.
  package func tell(_ decision: @autoclosure () -> Decision) { voice?.explain?(decision()) }
}
