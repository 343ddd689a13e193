package import AcctModel

extension RetryStateMachine {
  /// What the decision needs to know of an answer.
  package struct Response: Equatable, Sendable {
    package var status: Int
    /// Whose answer it is.
    package var origin: Origin
    /// The codes of a refusal of the proof (RFC 9449, sections 5 to 9).
    package var refusalCodes: Set<String> = []
    /// Whether the server's clock is known to differ from ours by more than a minute.
    package var isClockOff = false
    /// Seconds until the server takes another request, by its own clock; `nil` where it names none.
    package var retryAfter: Int64?
    /// The URL that it redirects to, or why that URL is not asked.
    package var redirect: Result<HTTPURL, EngineError>?
    /// What acct failed to do about the answer, has ended because of it, or can't do without the user.
    package var cause: EngineError?
    /// Whether the whole body can still be sent.
    package var canRepeat = true

    package init(status: Int, origin: Origin) {
      self.status = status
      self.origin = origin
    }
  }
}
