package import AcctModel
package import AcctPorts
package import AcctProtocol

/// Every way that a use case can fail, as the user needs to know it; the CLI finds the words.
package enum EngineError: Error, Equatable, Sendable {
  // Which account.
  /// There is no account at all.
  case noAccounts
  /// There are accounts, and none was chosen.
  case noActiveAccount(candidates: [AccountName])
  case unknownAccount(reference: String, selectedBy: SelectedBy, candidates: [AccountName])
  case ambiguousAccount(reference: String, candidates: [AccountName])
  /// `switch` without a name, with more than two accounts and nobody to ask.
  case undecidedSwitch(candidates: [AccountName])
  /// `switch -`, and there is no previous account.
  case noPreviousAccount
  case nameTaken(AccountName)

  // Where to.
  /// A DPoP proof is for one method and one URL.
  case urlNeeded(AccountName)
  case methodMalformed(String)
  case malformed(Malformed)
  case refusedOrigin(Origin, account: AccountName, allowed: [Origin])
  /// An origin that the account doesn't have can't be taken back.
  case originNotAllowed(Origin, account: AccountName)

  // With what.
  case signInRequired(account: AccountName, SignInReason)
  case keyring(KeyringFailure, Keyring.Kind)
  case noKeyring(reason: String)
  case unknownKeyring(String)
  case noKey(AccountName)

  // Bad input.
  case handoff(HandoffError)
  case key(JWKError)
  /// No proof could be signed.
  case proof(DPoPProof.Failure)
  /// The key is not the one that the account's tokens are bound to.
  case otherKey(account: AccountName)
  /// What the keyring holds for the account is not what acct writes.
  case damagedItem(AccountName, ItemKind)
  case damagedAccount(AccountID)

  case files(FilesFailure)
  /// What the user named could not be read.
  case input(StreamFailure)
  /// The result could not be written.
  case output(StreamFailure)
  case cancelled
}

/// Why a new sign-in is needed.
package enum SignInReason: Equatable, Sendable {
  /// The token's time is up, and it can't be renewed.
  case expired
  /// The server has ended the session, in these words.
  case ended(reason: String)
  /// The secrets are gone.
  case signedOut(reason: String)
}

/// What chose the account.
package enum SelectedBy: String, Sendable { case option, environment, directory, active }
