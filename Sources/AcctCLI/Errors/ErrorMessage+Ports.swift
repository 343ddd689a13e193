import AcctModel
import AcctPorts

extension ErrorMessage {
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

  /// A file of acct's own could not be used.
  init(_ failure: FilesFailure) {
    switch failure {
    case .failed(let path, let reason):
      self.init("fileFailed", .failed, "\(path): \(reason)")
    case .unsafe(let path, let reason):
      self.init(
        "fileUnsafe",
        .failed,
        "\(path) is not safe to use: \(reason)",
        hint: "only you may own or write it; check who created it"
      )
    case .busy:
      self.init(
        "busy",
        .failed,
        "another acct process is working on this account",
        hint: "try again in a moment"
      )
    }
  }
}
