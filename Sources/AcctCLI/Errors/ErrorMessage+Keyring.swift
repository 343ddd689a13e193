import AcctEngine
import AcctModel
import AcctPorts

extension ErrorMessage {
  /// The keyring did not give or take credentials, or holds something else.
  init(_ error: KeyringError) {
    switch error {
    case .failed(let failure, let kind): self.init(failure, kind)
    case .notChosen(let reason):
      self.init(
        "keyringUnavailable",
        .keyringUnavailable,
        reason,
        hint: "set ACCT_KEYRING to secret-service or vault"
      )
    case .unknown(let text):
      self.init(
        "usage",
        .usage,
        "ACCT_KEYRING is \(text), which is not a keyring",
        hint: "auto, secret-service or vault"
      )
    case .damagedItem(let account, let kind):
      self.init(
        "damagedItem",
        .badInput,
        "the keyring item \(kind.rawValue) of \(account) is not what acct writes",
        hint: "add the account again: it keeps its name"
      )
    case .halfReplaced(let account):
      self.init(
        "signInRequired",
        .signInRequired,
        "the credentials of \(account) were only partly replaced",
        hint: "add the account again: it keeps its name"
      )
    }
  }

  /// A keyring operation failed.
  init(_ failure: KeyringFailure, _ kind: Keyring.Kind) {
    let name = kind == .vault ? "the vault" : "the keyring"
    switch failure {
    case .locked(let reason):
      self.init(
        "keyringLocked",
        .keyringLocked,
        reason.map { "\(name) is locked: \($0)" } ?? "\(name) is locked",
        hint: kind == .vault
          ? "run `acct vault unlock`, or set ACCT_VAULT_PASSPHRASE_FILE"
          : "unlock it and try again; nothing was changed"
      )
    case .unavailable(let reason):
      self.init(
        "keyringUnavailable",
        .keyringUnavailable,
        "\(name) is not available: \(reason)",
        hint: kind == .vault ? nil : "start a Secret Service provider, such as gnome-keyring"
      )
    case .cancelled: self.init("cancelled", .cancelled, "cancelled; nothing was changed")
    case .timedOut:
      self.init(
        "keyringTimedOut",
        .keyringUnavailable,
        "\(name) does not answer",
        hint: "its process may hang: restart it and try again; nothing was changed"
      )
    case .noVault(let folder):
      self.init(
        "noVault",
        .failed,
        "there is no vault yet in \(folder)",
        hint: "the first `acct add` creates it"
      )
    case .failed(let reason):
      self.init("keyringFailed", .failed, "\(name) failed: \(reason)")
    }
  }
}
