package import AcctModel
package import AcctPorts
import AcctProtocol
package import AcctEngine

/// Decides what follows each attempt at a request.
///
/// It does no I/O and reads no clock: ``MakeRequest`` passes it the events and carries out the action that it returns.
/// Its state is the set of attempts that remain: a new proof, a request without `Expect`, a renewal, so many retries
/// and so many redirects. The first row that matches is the transition:
///
///     event                       while                          action          state afterwards
///     answered, with a cause                                     deliver(cause)
///     answered 4xx, wants a proof a new proof is left            challenge (b)   no new proof
///     answered 417                `Expect` is sent               challenge (b)   no `Expect`
///     answered 401                a renewal is left              renew           no renewal
///     answered 429, or 403 by     a retry is left                wait(s) (b)     a retry less, a longer pause
///     a limit
///     answered 5xx                … and it is idempotent         wait(s) (b)     a retry less, a longer pause
///     answered 3xx, to a target   it follows, fewer than 10      follow(target)  a redirect more, a new proof
///                                 it follows, after 10           deliver(tooManyRedirects)
///     answered 3xx, to nowhere    it follows                     deliver(error)
///     answered otherwise                                         deliver(nil)
///     renewed                     by another process, once       wait(0) (b)     a renewal is left
///     renewed                     otherwise                      wait(0) (b)
///     not renewed                                                deliver(error)
///     unanswered, nothing sent    a retry is left, body whole    wait(s)         a retry less, a longer pause
///     unanswered, maybe sent      … and it is idempotent         wait(s)         a retry less, a longer pause
///     unanswered otherwise                                       fail(http)
///
/// (b): deliver(bodyGone) instead if the body cannot be sent again.
package struct RetryStateMachine: Sendable {
  /// An event of a request.
  package indirect enum Event: Equatable, Sendable {
    case answered(Response)
    /// There is no response.
    case unanswered(HTTPFailure, Origin, canRepeat: Bool)
    /// The credentials that a 401 rejected were renewed; if `byAnother`, another process had replaced them, by ones
    /// that no server has been asked about.
    case renewed(Origin, canRepeat: Bool, byAnother: Bool)
    case notRenewed(EngineError)
  }

  /// The next action for a request.
  package enum Action: Equatable, Sendable {
    /// Deliver the response, with the failure that prevented more.
    case deliver(because: EngineError?)
    /// Send the request again with the hint from the response.
    case challenge
    /// Renew the credentials, and report the result.
    case renew
    /// Send the request again after so many seconds.
    case wait(Int64)
    /// Send the request to the URL that the response redirects to.
    case follow(HTTPURL)
    case fail(EngineError)
  }

  /// The most redirects of one request that are followed.
  private static let mostRedirects = 10

  private let follows: Bool
  private let usesProofs: Bool
  private var policy: RetryPolicy
  /// `true` as long as a rejected token would be renewed.
  private(set) var mayRenew: Bool
  private var mayTakeAnothers = true
  private var isProofRepeated = false
  private var redirects = 0
  /// `true` if a body that cannot be read twice is announced before it is sent.
  private(set) package var announcesBody = true

  /// - Parameters:
  ///   - method: The method of the request.
  ///   - retries: The number of retries of a request that was limited or failed.
  ///   - follows: `true` to follow redirects; only those of GET and HEAD, without a body, since only these mean the
  ///     same everywhere.
  ///   - hasBody: `true` if a body is sent.
  ///   - usesProofs: `true` if the account's requests carry DPoP proofs.
  ///   - canRenew: `true` if its token can be renewed.
  package init(method: String, retries: Int, follows: Bool, hasBody: Bool, usesProofs: Bool, canRenew: Bool) {
    policy = RetryPolicy(retries, method: method)
    self.follows = follows && !hasBody && ["GET", "HEAD"].contains(method)
    self.usesProofs = usesProofs
    mayRenew = canRenew
  }

  /// `true` if the error codes of a rejection matter; reading them takes the beginning of the body.
  var wantsRefusalCodes: Bool { usesProofs && !isProofRepeated }

  /// Takes the transition for an event.
  package mutating func next(after event: Event) -> Action {
    switch event {
    case .answered(let response): return next(after: response)
    case .renewed(let origin, let canRepeat, let byAnother):
      if byAnother, mayTakeAnothers { (mayRenew, mayTakeAnothers) = (true, false) }
      return canRepeat
        ? .wait(0) : .deliver(because: .request(.bodyGone(status: 401, origin)))
    case .notRenewed(let error): return .deliver(because: error)
    case .unanswered(let failure, let origin, let canRepeat):
      guard canRepeat, let seconds = policy.wait(after: failure) else { return .fail(.network(.http(failure, origin))) }
      return .wait(seconds)
    }
  }

  private mutating func next(after response: Response) -> Action {
    if let cause = response.cause { return .deliver(because: cause) }
    guard let action = repetition(after: response) else { return redirection(by: response) }
    // A renewal is useful even if the body is no longer available: the next run needs it.
    guard response.canRepeat || action == .renew else {
      return .deliver(because: .request(.bodyGone(status: response.meaning, response.origin)))
    }
    return action
  }

  /// The action that repeats the same request; `nil` if nothing requires that.
  private mutating func repetition(after response: Response) -> Action? {
    if usesProofs,
      DPoPRefusal.wantsNewProof(
        response.refusalCodes,
        isCorrected: response.isProofCorrected,
        isRepeated: isProofRepeated
      )
    {
      isProofRepeated = true
      return .challenge
    }
    switch response.status {
    case 417 where announcesBody:
      announcesBody = false
      return .challenge
    case 401 where mayRenew:
      mayRenew = false
      return .renew
    default: return policy.wait(after: response.meaning, response.retryAfter).map(Action.wait)
    }
  }

  private mutating func redirection(by response: Response) -> Action {
    guard follows, let redirect = response.redirect else { return .deliver(because: nil) }
    switch redirect {
    case .failure(let error): return .deliver(because: error)
    case .success where redirects == Self.mostRedirects:
      let error = RequestError.tooManyRedirects(limit: Self.mostRedirects, response.origin)
      return .deliver(because: .request(error))
    case .success(let target):
      redirects += 1
      // Each server may require its own nonce; the token stays the same.
      isProofRepeated = false
      return .follow(target)
    }
  }
}
