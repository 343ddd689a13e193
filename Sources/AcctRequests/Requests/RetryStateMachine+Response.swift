package import AcctModel
package import AcctEngine

extension RetryStateMachine {
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
