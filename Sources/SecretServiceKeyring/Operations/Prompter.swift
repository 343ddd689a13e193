import AcctPorts
import SessionBus

/// Performs the provider's prompts until they end.
protocol Prompter {
  /// Has a prompt performed, and returns the object that it made, if it made one.
  func perform(prompt path: String, of provider: String) throws(KeyringFailure) -> String?
}

extension LibsecretChannel: Prompter {}

/// KeePassXC stores and deletes by prompts only, and completes them without a question if it is
/// unlocked and does not have to confirm: so a prompt is tried even if prompts are forbidden.
extension PlainChannel: Prompter {
  /// Performs a prompt that should need no person, within the rest of the deadline.
  ///
  /// - Throws: `KeyringFailure.locked` if it does ask, and withdraws the prompt.
  func perform(prompt path: String, of provider: String) throws(KeyringFailure) -> String? {
    let completed = PromptCalls.completed(path)
    subscribe(to: completed, from: provider)
    let performing = try send(PromptCalls.perform(path), to: provider)
    do throws(KeyringFailure) {
      if let name = try reply(to: performing).errorName { throw KeyringFailure(errorName: name) }
      let (isDismissed, object) = try wait(for: completed, from: provider)
      if isDismissed { throw .dismissed }
      return object
    } catch .timedOut {
      let dismissing = try send(PromptCalls.dismiss(path), to: provider)
      // Sent without waiting for its answer: there is no time left.
      _ = try? reply(to: dismissing)
      throw .wantsPerson
    }
  }
}
