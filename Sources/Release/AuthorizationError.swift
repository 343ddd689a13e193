package import AcctModel

/// A credential can't be sent there, or not in that form.
package enum AuthorizationError: Error, Equatable, Sendable {
  /// A DPoP proof is for one method and one URL.
  case urlNeeded(AccountName)
  /// A token that is bound to a key is no bearer token.
  indirect case noBearer(Account)
  /// SASL sends a bearer token, and the account has another kind.
  indirect case noBearerToken(Account)
  /// The token is of a type that is sent in no header field (RFC 8693, section 2.2.1).
  case notSent(AccountName)
  /// The token is sent in the query of a URL, which no header line has.
  case inQuery(AccountName)
  /// Without a refresh token there is one token, for one purpose.
  case noSecondToken(AccountName)
  /// It comes from no sign-in of a person at an authorization server.
  case noIDToken(AccountName)
  /// The account has no token for one of its resources, and none can be obtained.
  indirect case noTokenForResource(Account, ResourceIndicator)
  case originRefused(Origin, account: AccountName, allowed: [Origin])
  /// An origin that the account doesn't have can't be removed.
  case originUnknown(Place, account: AccountName)
  /// A credential is not for this endpoint of its server, or is another account's; nothing was sent.
  case misdirected(Origin?)
}
