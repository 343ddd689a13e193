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
  /// A token that is bound to a key is no bearer token.
  case noBearer(AccountName)
  case methodMalformed(String)
  case malformed(ParseError)
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
  /// Its key is not the one that its file tells of: an older acct was interrupted when it replaced
  /// credentials.
  case halfReplaced(AccountName)
  case damagedAccount(AccountID)

  // The network.
  /// There was no answer.
  case http(HTTPFailure, Origin)
  /// There was no answer to a renewal, which the server may have made all the same.
  case renewalUnanswered(HTTPFailure, Origin)
  case oauth(OAuthError, Origin)
  /// 429; `Retry-After` if it can be read.
  case rateLimited(retryAfter: RetryAfter?, Origin)
  /// 5xx; `Retry-After` if it can be read.
  case serverFailed(status: Int, retryAfter: RetryAfter?, Origin)
  /// A renewal would be needed, and `--offline` forbids it.
  case offline
  /// There is no refresh token.
  case notRenewable(account: AccountName)
  /// Nothing says which server renews the account.
  case issuerUnknown(account: AccountName)

  // AT Protocol.
  case atproto(ATProtoError)
  case dns(DNSFailure, name: String)
  /// The DID's own document now leads to another server than the one that granted the tokens.
  case moved(account: AccountName, to: Origin)

  // Signing in.
  /// The server, or the user there, said no.
  case authorizationRefused(code: String, description: String?)
  case untrustedCallback(AuthorizationResponse.Distrust)
  case deviceCodeExpired
  /// No callback came in this time.
  case callbackTimedOut(seconds: Int64)
  /// `--no-input` does not allow the browser that is needed.
  case browserNeeded
  /// A server without a client identifier.
  case clientIDNeeded(Issuer)
  case listen(ListenFailure)
  case keyGeneration
  case backend(BackendError)

  // A backend's sealed session.
  case session(SessionError)

  /// What was given to observe is no response's head.
  case nothingObserved
  case guest(GuestError)

  /// A request that the user makes.
  case request(RequestError)

  case files(FilesFailure)
  /// What the user named could not be read.
  case input(StreamFailure)
  /// The result could not be written.
  case output(StreamFailure)
  case cancelled
  /// Accounts could not be exported, or an export not be taken.
  case transfer(TransferError)
  /// A program could not be run.
  case exec(ExecFailure)
}

/// Why a new sign-in is needed.
package enum SignInReason: Equatable, Sendable {
  /// The token's time is up, and it can't be renewed.
  case expired
  /// The token has too little time left to be used, in these words.
  case ending(reason: String)
  /// The token's time is up, and `--offline` forbids to renew it.
  case unrenewed
  /// The server has ended the session, in these words.
  case ended(reason: String)
  /// A guest's token is past or was refused, in these words; a backend can give a new one.
  case guestOver(reason: String, Origin?)
  /// The secrets are gone.
  case signedOut(reason: String)
}

/// What chose the account.
package enum SelectedBy: String, Sendable { case option, environment, directory, active }
