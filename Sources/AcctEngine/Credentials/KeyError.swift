package import AcctModel
package import AcctProtocol

/// The DPoP key of an account, or its client's key, can't be used.
package enum KeyError: Error, Equatable, Sendable {
  /// The account's tokens are not bound to a key.
  case missing(AccountName)
  case unusable(JWKError)
  /// No proof could be signed.
  case proof(DPoPProof.Failure)
  /// The key is not the one that the account's tokens are bound to.
  case other(account: AccountName)
  /// The client's assertion could not be signed.
  case clientKey(ClientKeyError)
}
