package import AcctModel
package import AcctPorts
package import AcctProtocol

/// A sign-in is needed, or did not succeed.
package enum SignInError: Error, Equatable, Sendable {
  case required(account: AccountName, SignInReason)
  /// There is no refresh token.
  case notRenewable(account: AccountName)
  /// It is a static token.
  case tokenFixed(TokenReplacement)
  /// No server is known that renews the account.
  case issuerUnknown(account: AccountName)
  /// The DID's own document now leads to another server than the one that granted the tokens.
  case moved(account: AccountName, to: Origin)
  /// The server, or the user there, said no.
  case refused(code: String, description: String?)
  /// The server refuses the client, the scope or the resource.
  indirect case requestRefused(RequestRefusal)
  case untrustedCallback(AuthorizationResponse.Distrust)
  case deviceCodeExpired
  /// No callback came in this time, to an address that was valid for so many seconds, where it had an end.
  case callbackTimedOut(seconds: Int64, addressValidFor: Int64? = nil)
  /// Nothing tells this server's codes from another's, and the user can't be asked where the browser was.
  case hostUnconfirmed(Origin)
  /// `--no-input` does not allow the browser that is needed.
  case browserNeeded
  /// The server needs a client identifier.
  case clientIDNeeded(Issuer)
  /// The same where the server is named by its endpoints.
  case clientIDMissing
  /// The client's method, or its grant, needs a secret or a key that was not given.
  case clientSecretNeeded(Grant, ClientAuthentication)
  /// What the account's client authenticates itself with is not in the keyring.
  case clientSecretMissing(account: AccountName)
  /// Neither an issuer nor a token endpoint was named.
  case tokenEndpointNeeded
  case listen(ListenFailure)
  /// The account's own token is for another resource, and it has no refresh token that could bring one for this.
  indirect case noTokenForResource(Account, ResourceIndicator)
  /// A request needs what only a new sign-in can bring.
  indirect case stepUp(StepUp)
}

/// Why a new sign-in is needed.
package enum SignInReason: Equatable, Sendable {
  /// The token has expired, and can't be renewed.
  case expired
  /// The token has too little time left to be used, in these words.
  case ending(reason: String)
  /// The token has expired, and `--offline` does not allow renewing it.
  case unrenewed
  /// The server has ended the session, in these words.
  case ended(reason: String)
  /// A guest's token has expired or was rejected, in these words; a backend can give a new one.
  case guestOver(reason: String, Origin?)
  /// The secrets are gone.
  case signedOut(reason: String)
  /// A static token is not used any more; only the user can bring a new one.
  case tokenOver(StaticTokenEnd, TokenReplacement)
}

/// Why a backend of an app did not sign the user in.
package enum BackendError: Error, Equatable, Sendable {
  /// `--callback` is not where a callback can end.
  case callbackPrefix(String, CallbackFlaw)
  /// It refused, with its own reason if it gave one.
  case refused(status: Int, reason: String?, Origin)
  case malformedAnswer(member: String, Origin)
  /// The credentials that it returned can't be used.
  case handoff(HandoffError, Origin)
  /// It signed in another identity than the requested one, which it names, or returned another identity's token.
  case otherPerson(asked: String, found: String?, Origin)
  /// No sign-in waits for the callback that the desktop opened, or it could not be delivered.
  case undelivered(SchemeHandlerFailure)
  /// The process that waits wants another callback.
  case unexpectedCallback
}

/// A request whose answer asks for a new sign-in with more than the account has.
package struct StepUp: Equatable, Sendable {
  /// The account as it was when it made the request.
  package var account: Account
  /// Whose answer it is.
  package var origin: Origin
  package var challenge: StepUpChallenge
  /// What the request's token was for, where that was not the account's own.
  package var purpose: TokenPurpose?
}
