import AcctModel
import AcctPorts
import AcctProtocol
import Release
import AcctEngine

/// The effects of a response on the account's credentials.
extension MakeRequest {
  /// Applies the response's effect on the account, even if the request then fails.
  ///
  /// - Parameters:
  ///   - response: The response; the part of its body that had to be read is returned again.
  ///   - attempt: The request that was sent.
  ///   - authorization: The authorization that it carried.
  /// - Returns: The failure, or the end of a session; the response is delivered with it.
  func react(
    to response: inout StreamedResponse,
    _ attempt: RequestAttempt,
    _ authorization: Authorize.Authorization
  ) async -> EngineError? {
    let account = attempt.account
    do throws(EngineError) {
      if account.kind == .session {
        // From now on a backend may accept no other session.
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
      // It can't be renewed: the message names the command that stores a new one.
      if response.head.status == 401, let replacement = account.replacement {
        throw .signIn(.tokenRejected(replacement, attempt.request.url.origin))
      }
      return nil
    } catch {
      return error
    }
  }

  /// Renews a rejected token, or has a session's backend confirm it.
  ///
  /// - Parameters:
  ///   - attempt: The request; afterwards with the updated account and its token.
  ///   - sent: The rejected attempt. Another process may have replaced its token since; the new one has not been
  ///     rejected, and is renewed only if it is.
  /// - Returns: The result as an event; the credentials are kept in every case.
  func renewal(of attempt: inout RequestAttempt, after sent: Sent) async -> RetryStateMachine.Event {
    var byAnother = false
    do throws(EngineError) {
      if let purpose = try attempt.purpose {
        attempt.grant = try await Renewal(context)
          .secondToken(for: purpose, of: attempt.account, because: .refused(sent.authorization.token))
      } else if attempt.account.sendsIDToken(to: attempt.request.url) {
        attempt.grant = try await TokenProvider(context, .allowed).idToken(of: attempt.account, leaving: .max)
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

  /// Handles a rejection by a guest's backend, and throws the errors that only a guest can have.
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
  /// The step-up that a response requires from the user, if it does.
  ///
  /// Only an account whose server grants scopes can sign in for more.
  func stepUp(for head: ResponseHead, _ attempt: RequestAttempt) async -> EngineError? {
    guard attempt.account.kind == .oauth,
      let challenge = StepUpChallenge(status: head.status, fields: head.fields, redacting: context.world.held.redactor)
    else { return nil }
    var stepUp = StepUp(
      account: attempt.account,
      origin: attempt.request.url.origin,
      challenge: challenge,
      purpose: attempt.request.purpose,
      granted: attempt.account.scope
    )
    if let purpose = try? attempt.purpose, attempt.account.hasResource(of: purpose) {
      // What each resource's token has is kept apart. An item that can't be read now leaves the scope unknown.
      let tokens = try? await CredentialStore(of: attempt.account, in: context).secondTokens()
      stepUp.isSecondToken = true
      stepUp.granted = tokens?[purpose]?.granted
    }
    return .request(.stepUp(stepUp))
  }

  /// The demand of a resource server for a bearer token where the account's are bound to a key.
  ///
  /// A renewal would bring another bound one. `invalid_token` alone may be about a token that was read, so the renewed
  /// one is tried before that is taken for such a demand; no error at all is the answer to a request in which the server
  /// finds no token (RFC 6750, section 3.1).
  func bearerDemand(by head: ResponseHead, _ attempt: RequestAttempt) -> EngineError? {
    guard attempt.account.tokenType == .dpop, !attempt.account.sendsIDToken(to: attempt.request.url),
      let challenge = DPoPRefusal.bearerChallenge(status: head.status, headers: head.fields),
      challenge.parameters["error"] != "invalid_token" || !attempt.retry.mayRenew
    else { return nil }
    return .request(.bearerOnly(attempt.account, attempt.request.url.origin))
  }
}
