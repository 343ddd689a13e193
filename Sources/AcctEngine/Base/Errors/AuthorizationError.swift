package import AcctModel

/// The account's credential can't be sent there, or not in that form.
package enum AuthorizationError: Error, Equatable, Sendable {
  /// A DPoP proof is for one method and one URL.
  case urlNeeded(AccountName)
  /// A token that is bound to a key is no bearer token.
  case noBearer(AccountName)
  /// SASL sends a bearer token, and the account has another kind.
  case noBearerToken(AccountName)
  /// Without a refresh token there is one token, for one purpose.
  case noSecondToken(AccountName)
  case originRefused(Origin, account: AccountName, allowed: [Origin])
  /// An origin that the account doesn't have can't be removed.
  case originUnknown(Origin, account: AccountName)
}
