package import AcctModel

/// No account could be chosen.
package enum SelectionError: Error, Equatable, Sendable {
  /// There is no account at all.
  case noAccounts
  /// There are accounts, and none is active.
  case noneActive(candidates: [AccountName])
  case unknown(reference: String, selectedBy: SelectedBy, candidates: [AccountName])
  case ambiguous(reference: String, candidates: [AccountName])
  /// `switch` without a name, with more than two accounts and no terminal to choose at.
  case undecidedSwitch(candidates: [AccountName])
  /// `switch -`, and there is no previous account.
  case noPrevious
  /// These accounts have the origin of a request, and the active account has not.
  case severalOwn(Origin, [AccountName])
  /// These accounts have the origin of a request, and the user that its URL names is none of theirs.
  case otherUser(String, Origin, [AccountName])
  /// A `.acct` file that is meant to choose the account, and can't; and why.
  case directoryFile(path: String, reason: String)
  case nameTaken(AccountName)
}

/// The rule that chose the account.
package enum SelectedBy: String, Sendable {
  case option, environment, directory, active
  /// None is active, and there is no other.
  case only
  /// The URL of the request names its user.
  case user
  /// The URL of the request is its own, and not the active account's.
  case url

  /// `true` if the user has not said that this account is meant here.
  package var isPreference: Bool {
    switch self {
    case .option, .environment, .directory, .user: false
    case .active, .only, .url: true
    }
  }
}
