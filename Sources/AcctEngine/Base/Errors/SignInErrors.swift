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
  /// No server is known that could renew the account.
  case issuerUnknown(account: AccountName)
  /// Nothing tells how the account could be signed in to: it is an import, and names no server.
  case noWay(account: AccountName)
  /// Another person than the account's has signed in.
  indirect case otherPerson(OtherPerson)
  /// The server does not say who has signed in, and did before.
  case personUnknown(account: AccountName)
  /// A new token is needed, and there is no terminal to type it at.
  case tokenNeeded(account: AccountName)
  /// The DID's own document now leads to another server than the one that granted the tokens.
  case moved(account: AccountName, to: Origin)
  /// The server, or the user there, denied the request.
  case refused(code: String, description: String?)
  /// The server rejects the client, the scope or the resource.
  indirect case requestRefused(RequestRefusal)
  /// The server refuses a pushed request with this status, and does not say why.
  indirect case notPushed(status: Int, redirect: String, Origin)
  case untrustedCallback(AuthorizationResponse.Distrust)
  case deviceCodeExpired
  /// No callback arrived in this time, at an address that was valid for so many seconds, where it had an end. A client
  /// that the server registered may be lost there, which only a page in the browser shows.
  case callbackTimedOut(seconds: Int64, addressValidFor: Int64? = nil, isClientRegistered: Bool = false)
  /// Nothing distinguishes this server's codes from another's, and the user can't be asked for the host in the
  /// browser.
  case hostUnconfirmed(Origin)
  /// `--no-input` does not allow the browser that is needed.
  case browserNeeded
  /// The server requires a client identifier.
  case clientIDNeeded(Issuer)
  /// The server is named by its endpoints, and requires a client identifier.
  case clientIDMissing
  /// The client's method, or its grant, needs a secret or a key that was not given.
  case clientSecretNeeded(Grant, ClientAuthentication)
  /// The secret or key of the account's client is not in the keyring.
  case clientSecretMissing(account: AccountName)
  /// Neither an issuer nor a token endpoint was named.
  case tokenEndpointNeeded
  case listen(ListenFailure)
  /// A server answered 401 to a token that only the user can replace.
  case tokenRejected(TokenReplacement, Origin)
}

/// Why a new sign-in is needed.
package enum SignInReason: Equatable, Sendable {
  /// The token has expired, and can't be renewed.
  case expired
  /// The token of a document has expired, whose refresh token is not spent.
  case documentEnded
  /// The token has too little time left to be used, in these words.
  case ending(reason: String)
  /// The token has expired, and `--offline` does not allow renewing it.
  case unrenewed
  /// The server has ended the session, in these words.
  case ended(reason: String)
  /// The certificate of its client is no longer valid, in these words.
  case certificateEnded(reason: String)
  /// A server has rejected the token, which can't be renewed.
  case rejected(Rejection)
  /// A guest's token has expired or was rejected, in these words; a backend can give a new one.
  case guestOver(reason: String, Origin?)
  /// The secrets are gone.
  case signedOut(reason: String)
  /// There is no ID token that is still valid, and the server sends none with a renewal.
  case noIDToken
  /// The sign-in was not for an ID token; the scope that is.
  case idTokenNotRequested(scope: String)
  /// A static token is no longer used; only the user can provide a new one.
  case tokenOver(StaticTokenEnd, TokenReplacement)
}

/// The person who signed in is not the account's.
package struct OtherPerson: Equatable, Sendable {
  package let account: AccountName
  /// Their name, as people know it.
  package let found: String
  /// The server at which they signed in.
  package let origin: Origin?
  /// The account that a sign-in of that person would add.
  package let theirs: Account

  package init(account: AccountName, found: String, origin: Origin?, theirs: Account) {
    self.account = account
    self.found = found
    self.origin = origin
    self.theirs = theirs
  }
}
