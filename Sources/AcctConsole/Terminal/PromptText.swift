import AcctEngine

/// The words of a prompt.
@Sendable func words(for prompt: Prompt) -> String {
  switch prompt {
  case .pin(let device): "PIN of \(device): "
  case .newPIN(let device): "New PIN for the key in \(device): "
  case .pinAgain: "The same PIN again: "
  case .token(let account): "New token of \(account): "
  case .newPassphrase: "Passphrase for the export: "
  case .passphraseAgain: "The same passphrase again: "
  case .passphrase: "Passphrase of the export: "
  case .callbackAddress: "callback address: "
  }
}
