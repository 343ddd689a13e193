import AcctEngine

/// The words of a prompt.
@Sendable func words(for prompt: Prompt) -> String {
  switch prompt {
  case .token(let account): "New token of \(account): "
  case .newPassphrase: "Passphrase for the export: "
  case .passphraseAgain: "The same passphrase again: "
  case .passphrase: "Passphrase of the export: "
  case .callbackAddress: "callback address: "
  }
}
