import AcctModel
import AcctPorts
import AcctProtocol

/// What an answer does to the account's credentials.
extension MakeRequest {
  /// Does at once what an answer asks of acct, whatever becomes of the request.
  ///
  /// - Parameters:
  ///   - response: The answer; what had to be read of it comes again.
  ///   - attempt: What was sent.
  ///   - authorization: What it carried.
  /// - Returns: What failed, or was ended; the answer is delivered with it.
  func react(
    to response: inout StreamedResponse,
    _ attempt: RequestAttempt,
    _ authorization: Authorize.Authorization
  ) async -> EngineError? {
    let account = attempt.account
    do throws(EngineError) {
      if account.kind == .session {
        // A backend may take no other session from now on.
        try await RotatedSession(context)
          .keep(
            from: &response,
            to: attempt.request.method,
            attempt.request.url,
            insteadOf: authorization.token,
            for: account
          )
      }
      if account.kind == .guest, attempt.request.url.origin == account.service {
        try await meet(&response, asGuest: account)
      }
      // It can't be renewed: the user hears at once which command stores a new one.
      if response.head.status == 401, let replacement = account.replacement {
        throw .request(.tokenRejected(replacement, attempt.request.url.origin))
      }
      return nil
    } catch {
      return error
    }
  }

  /// Renews what a 401 has refused, or has its backend say whether it goes on.
  ///
  /// - Parameters:
  ///   - attempt: Whose credentials; afterwards with the account as it is then, and its token.
  ///   - sent: What the request carried. Another process may have put something else in its
  ///     place since; that has not been refused, and is renewed only if it is.
  /// - Returns: Whether it worked; the credentials are kept in every case.
  func renewal(of attempt: inout RequestAttempt, after sent: Sent) async -> RetryStateMachine.Event {
    var byAnother = false
    do throws(EngineError) {
      if let purpose = try attempt.purpose {
        attempt.grant = try await Renewal(context)
          .secondToken(for: purpose, of: attempt.account, because: .refused(sent.authorization.token))
      } else {
        let outcome = try await Renewal(context).renew(attempt.account, because: .refused(sent.authorization.token))
        attempt.account = outcome.credentials.account
        attempt.grant = try outcome.grant(at: context.world.clock.now())
        byAnother = !outcome.wasDue
      }
    } catch {
      return .notRenewed(error)
    }
    let canRepeat = await attempt.canRepeat
    return .renewed(attempt.request.url.origin, canRepeat: canRepeat, byAnother: byAnother)
  }

  /// Does what a guest's backend asks for by refusing, and says what only a guest must know.
  private func meet(_ response: inout StreamedResponse, asGuest account: Account) async throws(EngineError) {
    switch response.head.status {
    case 401: if let end = try await GuestTokenEnd(context).refused(account) { throw end }
    case 400:
      guard let origin = account.service, await response.fault(redacting: context.world.held.redactor).namesDeviceID
      else { return }
      throw .request(.deviceIDMissing(origin))
    default: return
    }
  }
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
