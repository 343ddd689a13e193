import AcctModel
import AcctPorts
import AcctProtocol

/// Whether an answer is the last word.
extension MakeRequest {
  /// Does what an answer asks for.
  ///
  /// - Parameters:
  ///   - response: The answer; what had to be read of it comes again.
  ///   - attempt: What is left to be tried.
  ///   - authorization: What the request carried.
  /// - Returns: Seconds after which the request is to be made once more; `nil` if the answer is the
  ///   last word.
  /// - Throws: ``EngineError``: what keeps the request from being made once more, where it should be.
  func repetition(
    after response: inout StreamedResponse,
    _ attempt: inout RequestAttempt,
    _ authorization: Authorize.Authorization
  ) async throws(EngineError) -> Int64? {
    // First of all: a backend may take no other session from now on.
    try await RotatedSession(context)
      .keep(
        from: &response,
        to: attempt.request.target,
        insteadOf: authorization.token,
        for: attempt.account
      )
    guard let seconds = try await pause(after: &response, &attempt, authorization) else {
      return nil
    }
    guard await attempt.canRepeat else {
      throw .request(.bodyGone(status: response.head.status, attempt.request.url.origin))
    }
    return seconds
  }

  private func pause(
    after response: inout StreamedResponse,
    _ attempt: inout RequestAttempt,
    _ authorization: Authorize.Authorization
  ) async throws(EngineError) -> Int64? {
    let origin = attempt.request.url.origin
    let status = response.head.status
    if try await challenges(&response, &attempt) { return 0 }
    if status == 417, attempt.asksFirst {
      attempt.asksFirst = false
      return 0
    }
    if status == 401, attempt.mayRenew {
      attempt.mayRenew = false
      // Even where the body is gone: the next run then has what was missing.
      try await renew(&attempt.account, insteadOf: authorization)
      return 0
    }
    if attempt.account.kind == .guest, origin == attempt.account.service {
      try await meet(&response, asGuest: attempt.account)
    }
    return attempt.policy.wait(after: response.head, now: NonceCache(context.world).now(at: origin))
  }

  /// Whether the server wants a nonce, or the right time, in a proof that had neither.
  private func challenges(
    _ response: inout StreamedResponse,
    _ attempt: inout RequestAttempt
  ) async throws(EngineError) -> Bool {
    guard attempt.mayChallenge else { return false }
    let codes = await response.refusalCodes()
    let isClockOff = NonceCache(context.world).isClockOff(at: attempt.request.url.origin)
    guard codes.contains("use_dpop_nonce") || codes.contains("invalid_dpop_proof") && isClockOff
    else { return false }
    attempt.mayChallenge = false
    return true
  }
}
