import AcctModel
import AcctPorts
import AcctProtocol

// What a renewal that brought nothing may have done at the server all the same.

extension TokenOutcome {
  /// Whether the server may reject what the request asks for, and not the client or the session.
  ///
  /// Servers have codes of their own for a scope or an audience that they do not know, and some have none. Any other
  /// status without a code is not about the request: 401 is the client's, and the rest may be a gateway's.
  var rejectsRequest: Bool {
    switch self {
    case .unanswered(.failed(.refused(let code, _, _))): code != "invalid_client"
    case .unanswered(.failed(.unexplained(let status))): status == 400 || status == 403
    case .unanswered(.failed), .unanswered(.limited), .unanswered(.serverFailed), .granted, .ended: false
    }
  }

  /// Whether the server may have taken the refresh token although no tokens came of it.
  var mayHaveSpentTheToken: Bool {
    switch self {
    case .unanswered(.serverFailed), .unanswered(.failed(.notJSON)),
      .unanswered(.failed(.malformedAnswer)), .unanswered(.failed(.tokenType)):
      true
    case .unanswered(.failed), .unanswered(.limited), .granted, .ended: false
    }
  }
}

extension EngineError {
  /// The same where the request was a renewal, which the server may have made although there is no answer, or
  /// before it failed.
  ///
  /// - Parameter isInDoubt: Whether an earlier one may have been made, too: no answer to it was ever stored.
  /// - Returns: The error that says so.
  func ofRenewal(inDoubt isInDoubt: Bool) -> EngineError {
    switch self {
    // It was never sent, and is sent anew: an earlier one that was in doubt still is.
    case .network(.http(.withheld, _)): self
    case .network(.http(let failure, let origin)) where isInDoubt || mayHaveReachedTheServer:
      .network(.renewalUnanswered(failure, origin))
    case .server(.failed(let status, let retryAfter, let origin)):
      .server(.renewalFailed(status: status, retryAfter: retryAfter, origin))
    case .selection, .authorization, .input, .keyring, .sharing, .key, .network, .server, .signIn, .atproto, .provider,
      .backend, .session, .guest, .request, .transfer, .files, .exec, .cancelled:
      self
    }
  }

  /// Whether a request may have been taken although no answer came.
  var mayHaveReachedTheServer: Bool {
    // A proof or an assertion that can't be made is of a request that was not sent.
    if case .key = self { return false }
    guard case .network(.http(let failure, _)) = self else { return true }
    return failure.wasSent
  }
}
