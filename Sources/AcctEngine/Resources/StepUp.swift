package import AcctModel
import AcctPorts
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

extension MakeRequest {
  /// What an answer asks of the user, if it does.
  ///
  /// Only an account whose server grants scopes can sign in for more.
  func stepUp(for head: ResponseHead, _ attempt: RequestAttempt) -> EngineError? {
    guard attempt.account.kind == .oauth,
      let challenge = StepUpChallenge(status: head.status, fields: head.fields, redacting: context.world.held.redactor)
    else { return nil }
    return .signIn(
      .stepUp(
        StepUp(
          account: attempt.account,
          origin: attempt.request.url.origin,
          challenge: challenge,
          purpose: attempt.request.purpose
        )
      )
    )
  }
}
