import AcctEngine
import AcctModel

extension ErrorMessage {
  /// The account could not be chosen.
  init(choosing error: EngineError) {
    switch error {
    case .noActiveAccount(let candidates):
      self.init(
        "noActiveAccount",
        .noSuchAccount,
        "no account is active; the accounts are \(list(candidates))",
        hint: "`acct switch NAME` makes one active, `--account NAME` selects one for one command"
      )
    case .unknownAccount(let reference, let rule, let candidates):
      let origin =
        switch rule {
        case .option, .active: ""
        case .environment: " (from ACCT_ACCOUNT)"
        case .directory: " (from the .acct file)"
        }
      self.init(
        "unknownAccount",
        .noSuchAccount,
        "no account is called \(reference)\(origin)",
        hint: candidates.isEmpty ? nil : "the accounts are \(list(candidates))"
      )
    case .ambiguousAccount(let reference, let candidates):
      self.init(
        "ambiguousAccount",
        .noSuchAccount,
        "\(reference) could be \(list(candidates))",
        hint: "give its full name, handle or id"
      )
    case .undecidedSwitch(let candidates):
      self.init(
        "accountNeeded",
        .usage,
        "switch to which account? the accounts are \(list(candidates))",
        hint: "acct switch NAME"
      )
    case .noPreviousAccount:
      self.init(
        "noPreviousAccount",
        .noSuchAccount,
        "there is no previous account",
        hint: "`acct list` shows them all"
      )
    case .nameTaken(let name):
      self.init("nameTaken", .usage, "another account is called \(name)")
    default:
      self.init(
        "noAccounts",
        .noSuchAccount,
        "there is no account yet",
        hint: "`acct add` signs in to one; `acct add --import FILE` imports one"
      )
    }
  }

  /// A new sign-in is needed.
  init(signIn account: AccountName, _ reason: SignInReason) {
    let message =
      switch reason {
      case .expired: "the session of \(account) has expired"
      case .ending(let reason): "the token of \(account) is no longer used: \(reason)"
      case .unrenewed:
        "the token of \(account) has expired, and --offline does not allow renewing it"
      case .ended(let reason): "the server has ended the session of \(account): \(reason)"
      case .guestOver(let reason, _): "the guest session of \(account) has expired: \(reason)"
      case .signedOut(let reason): "\(account) is signed out: \(reason)"
      }
    let hint =
      switch reason {
      case .unrenewed: "leave out --offline"
      case .guestOver(_, let origin?):
        "`acct add --guest \(origin)` begins a new one; it does not reset this machine's limits"
      case .expired, .ending, .ended, .guestOver, .signedOut:
        "sign in again with `acct add`; the account keeps its name"
      }
    self.init("signInRequired", .signInRequired, message, hint: hint)
  }
}

/// Some names, in one line.
private func list(_ names: [AccountName]) -> String {
  let shown = names.prefix(8).map(\.description).joined(separator: ", ")
  return names.count > 8 ? "\(shown) and \(names.count - 8) more" : shown
}
