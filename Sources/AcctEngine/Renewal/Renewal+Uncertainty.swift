import AcctModel
import AcctPorts
import AcctProtocol

// The effects of a failed renewal that the server may have carried out all the same.

extension TokenOutcome {
  /// `true` if the server may reject the request's parameters, and not the client or the session.
  ///
  /// Servers have their own codes for a scope or an audience that they do not know, and some have none. Any other
  /// status without a code is not about the parameters: 401 is the client's, and the rest may be a gateway's.
  var rejectsRequest: Bool {
    switch self {
    case .unanswered(.failed(.refused(let code, _, _))): code != "invalid_client"
    case .unanswered(.failed(.unexplained(let status))): status == 400 || status == 403
    case .ended(let code, _, _): code != SessionEnds.standard
    case .unanswered(.failed), .unanswered(.limited), .unanswered(.serverFailed), .granted, .unusable: false
    }
  }

  /// `true` if the server refuses the scope of the request.
  var rejectsScope: Bool {
    if case .unanswered(.failed(.refused(RefusedPart.scope.rawValue, _, _))) = self { true } else { false }
  }

  /// `true` if the server may have used up the refresh token although it sent no tokens.
  var mayHaveSpentTheToken: Bool {
    switch self {
    case .unanswered(.serverFailed), .unanswered(.failed(.notJSON)),
      .unanswered(.failed(.malformedAnswer)), .unanswered(.failed(.tokenType)), .unusable,
      // The server gave up waiting, or so says a proxy for it.
      .unanswered(.failed(.unexplained(status: 408))), .unanswered(.failed(.refused(_, _, 408))):
      true
    case .unanswered(.failed), .unanswered(.limited), .granted, .ended: false
    }
  }
}

extension EngineError {
  /// Returns the error for a renewal, which the server may have granted although there is no answer, or before it
  /// failed.
  ///
  /// - Parameter isInDoubt: `true` if an earlier one may have been granted, too: no answer to it was ever stored.
  /// - Returns: The error of a renewal whose result is unknown, or this error.
  func ofRenewal(inDoubt isInDoubt: Bool) -> EngineError {
    switch self {
    // It was never sent, and is sent again: an earlier one that was in doubt still is.
    case .network(.http(.withheld, _)): self
    case .network(.http(let failure, let origin)) where isInDoubt || mayHaveReachedTheServer:
      .network(.renewalUnanswered(failure, origin))
    case .server(.failed(let status, let retryAfter, let origin)):
      .server(.renewalFailed(status: status, retryAfter: retryAfter, origin))
    case .selection, .authorization, .input, .inputToken, .keyring, .sharing, .key, .network, .server, .signIn,
      .atproto, .provider, .backend, .session, .guest, .transfer, .told, .files, .cancelled:
      self
    }
  }

  /// `true` if the server may have received a request although no answer came.
  var mayHaveReachedTheServer: Bool {
    // A proof or an assertion that can't be made belongs to a request that was not sent.
    if case .key = self { return false }
    guard case .network(.http(let failure, _)) = self else { return true }
    return failure.wasSent
  }
}
