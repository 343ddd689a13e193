import AcctModel
import AcctPorts
import AcctProtocol

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
