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
    case .changedElsewhere(let account):
      self.init(
        "keyringBusy",
        .keyringUnavailable,
        "another machine that shares the keyring keeps changing \(account)",
        hint: "try again"
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
    case .notJoined:
      self.init(
        "keyringUnavailable",
        .keyringUnavailable,
        "this machine has joined no shared keyring",
        hint: "run `acct keyring create` or `acct keyring join`"
      )
    case .engine(let failure): self.init(failure, of: kind)
    case .rolledBack:
      self.init(
        "keyringRolledBack",
        .keyringUnavailable,
        "the shared keyring was restored from a backup; nothing is renewed",
        hint: "if that is right, run `acct keyring trust`"
      )
    }
  }

  /// The engine of a shared keyring did not do what it was asked.
  private init(_ failure: SharedStoreFailure, of kind: Keyring.Kind) {
    let (text, hint) =
      switch failure {
      case .unavailable(let reason):
        ("can't be reached: \(reason)", "see whether it runs, and `acct keyring`")
      case .timedOut: ("does not answer", "see whether it runs, and `acct keyring`")
      case .noQuorum: ("has too few of its members", "start them; nothing was changed")
      case .noSpace: ("takes no more writes", "free space on it: see acct-keyring(1)")
      case .denied(let reason):
        ("denies access: \(reason)", "see the role that acct-keyring(1) asks for")
      case .untrusted(let reason):
        ("can't be trusted: \(reason)", "see --ca and --cert of `acct keyring join`")
      case .notPrepared(let reason): ("is not prepared: \(reason)", "run `acct keyring create`")
      case .failed(let reason): ("failed: \(reason)", "see acct-keyring(1)")
      }
    self.init(
      "keyringUnavailable",
      .keyringUnavailable,
      "the shared keyring (\(kind.rawValue)) \(text)",
      hint: hint
    )
  }
}
