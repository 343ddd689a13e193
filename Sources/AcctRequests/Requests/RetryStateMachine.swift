package import AcctEngine
package import AcctModel
package import AcctPorts
import AcctProtocol

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

  /// The facts about a response that the decision needs.
  package struct Response: Equatable, Sendable {
    package var status: Int
    /// The origin of the response.
    package var origin: Origin
    /// The error codes of a rejected proof (RFC 9449, sections 5 to 9).
    package var refusalCodes: Set<String> = []
    /// `true` if the refusal of a proof has taught another nonce or the server's time.
    package var isProofCorrected = false
    /// `true` if a rate limit refused the request, which then had no effect.
    package var isLimited = false
    /// Seconds until the server accepts another request, by its own clock; `nil` if it names none.
    package var retryAfter: Int64?
    /// The URL that it redirects to, or the reason why that URL is not requested.
    @Boxed package var redirect: Result<HTTPURL, EngineError>? = nil
    /// A failure to handle the response, a session that ended because of it, or a demand that only the user can meet.
    @Boxed package var cause: EngineError? = nil
    /// `true` if the whole body can still be sent.
    package var canRepeat = true

    /// The status by its meaning: a 403 of a rate limit is a 429.
    var meaning: Int { isLimited ? 429 : status }

    package init(status: Int, origin: Origin) {
      self.status = status
      self.origin = origin
    }
  }
}

/// The rules for repeating a request, and for the wait before that.
struct RetryPolicy: Sendable {
  private let method: String
  private var left: Int
  /// Seconds to wait if the server names none; doubled each time.
  private var pause: Int64 = 1

  /// No wait is longer than this, in seconds.
  private static let longestWait: Int64 = 3600
  private static let longestPause: Int64 = 60

  /// - Parameters:
  ///   - retries: The most repetitions.
  ///   - method: The method of the request.
  init(_ retries: Int, method: String) {
    left = retries
    self.method = method
  }

  /// Uses one of the retries for a response.
  ///
  /// 429 means that nothing was done (RFC 6585, section 4). After a 5xx the request may have had its effect, so that
  /// only an idempotent request is repeated.
  ///
  /// - Parameters:
  ///   - status: The status of the response; 429 for each that a limit refused.
  ///   - retryAfter: The seconds that the server asks for.
  /// - Returns: Seconds to wait; `nil` if the response is final.
  mutating func wait(after status: Int, _ retryAfter: Int64?) -> Int64? {
    guard status == 429 || status >= 500 && isIdempotent else { return nil }
    return take(retryAfter)
  }

  /// Uses one of the retries for a request without a response.
  mutating func wait(after failure: HTTPFailure) -> Int64? {
    // A request that was sent may have had its effect.
    guard failure.mayPass || failure.isOfProxy, !failure.wasSent || isIdempotent else { return nil }
    return take(nil)
  }

  /// Returns `true` if a retry would wait for so many seconds.
  static func waits(_ retryAfter: Int64?) -> Bool { retryAfter ?? 0 <= longestWait }

  private mutating func take(_ seconds: Int64?) -> Int64? {
    guard left > 0, Self.waits(seconds) else { return nil }
    left -= 1
    defer { pause = min(pause * 2, Self.longestPause) }
    return seconds ?? pause
  }

  /// `true` for an idempotent method (RFC 9110, section 9.2.2).
  private var isIdempotent: Bool { ["GET", "HEAD", "OPTIONS", "TRACE", "PUT", "DELETE"].contains(method) }
}

extension HTTPFailure {
  /// `true` if the proxy failed, and not the server: it may forward the next request.
  fileprivate var isOfProxy: Bool { if case .proxy = self { true } else { false } }
}
