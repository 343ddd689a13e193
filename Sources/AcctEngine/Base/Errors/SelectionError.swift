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
  /// Both accounts have this origin, so neither can be selected by it.
  case originShared(Origin, [AccountName])
  /// A `Host` fits an origin of each of two accounts, so neither can be selected by it.
  case hostShared(String, [Origin], [AccountName])
  case nameTaken(AccountName)
}

/// What chose the account.
package enum SelectedBy: String, Sendable { case option, environment, directory, active }
