package import AcctModel
package import AcctProtocol

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
