import AcctModel
import AcctPorts
import AcctProtocol
import AcctEngine

/// What the last answer to a request says about a token that can't be renewed.
extension MakeRequest {
  /// Stores that the server has rejected the token, or accepts it after all.
  ///
  /// Only the account's own token counts: for a second token, and where the server demands a proof or a sign-in of
  /// another kind, a 401 says nothing about it.
  ///
  /// - Parameters:
  ///   - answer: The answer to deliver.
  ///   - sent: The last attempt.
  ///   - attempt: The request.
  /// - Returns: The answer; if a rejection could not be stored, with the reason.
  /// - Throws: ``EngineError``: the account's tokens do not fit the request.
  func settled(_ answer: Answer, _ sent: Sent, _ attempt: RequestAttempt) async throws(EngineError) -> Answer {
    let (account, status) = (attempt.account, answer.response.head.status)
    let isRejected = status == 401 && account.keepsRejection
    let isAccepted = (200..<300).contains(status) && account.recordedState.rejection != nil
    guard isRejected || isAccepted, try attempt.purpose == nil else { return answer }
    var answer = answer
    if isRejected {
      guard answer.cause?.isAboutKind != true,
        await !answer.response.refusalCodes().contains(where: { $0.isAboutProofs })
      else { return answer }
    }
    let verdict = isRejected ? Rejection(by: sent.origin, at: context.world.clock.now()) : nil
    let token = sent.authorization.token
    do throws(EngineError) {
      try await aside { () async throws(EngineError) in
        try await TokenVerdict(context).record(verdict, on: token, of: account)
      }
    } catch {
      // An acceptance that is not stored is stored by the next one.
      if isRejected { answer.cause = answer.cause ?? error }
    }
    return answer
  }
}

extension EngineError {
  /// `true` for a demand for a sign-in, or a token, of another kind.
  fileprivate var isAboutKind: Bool {
    switch request {
    case .stepUp, .bearerOnly: true
    default: false
    }
  }
}

extension String {
  /// `true` for the codes of a proof that was not accepted (RFC 9449, sections 5 and 9).
  fileprivate var isAboutProofs: Bool { self == "use_dpop_nonce" || self == "invalid_dpop_proof" }
}
