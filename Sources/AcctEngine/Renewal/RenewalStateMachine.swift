package import AcctModel
import AcctPorts
package import AcctProtocol
package import Release

/// Decides what an answer to a renewal means for the account, and what is sent or stored next (RFC 6749, section 6).
///
/// It sends and stores nothing itself. The account has the note of a renewal in flight from the start; it is taken back
/// unless the refresh token may have been spent.
///
/// | answer | step | the account |
/// | --- | --- | --- |
/// | the request is rejected, and there is another form | send it | |
/// | tokens, however blemished the answer is | store them | |
/// | tokens that can't be used, such as those of another type | store the refresh token, fail | |
/// | another user's tokens | fail | its session has ended |
/// | tokens with an ID token that is rejected | store the refresh token, fail | |
/// | a refusal for good, such as `invalid_grant` | fail | its session has ended; a grant that renews itself has none, and a second token's refusal is not the account's |
/// | a refusal of the client, the scope or the resource | fail | notes it |
/// | any other refusal | fail | notes it; the same one a minute later ends its session |
/// | any other answer, or none | fail | keeps the note if the token may have been spent, now or by an earlier renewal |
package struct RenewalStateMachine<Form> {
  /// The next step of the caller.
  package indirect enum Step {
    case send(Form)
    /// Store the tokens with the account.
    case store(TokenResponse)
    /// Store the refresh token, if there is one, with the account; then fail.
    case storeRefreshToken(RefreshToken?, EngineError)
    /// Save the account, and fail.
    case fail(EngineError)
  }

  package var account: Account
  private var forms: ArraySlice<Form>
  private let asked: RequestRefusal.Asked
  private let origin: Origin
  private let redact: (String) -> String
  /// The request of an earlier renewal, or of the one in flight before, had no answer that was stored.
  private let wasInterrupted: Bool
  /// It was answered, with nothing that could be stored.
  private let wasAnswered: Bool
  /// `false` for a grant that is requested anew each time: an answer that is lost loses nothing.
  private let usesToken: Bool
  /// The stored ID token.
  package var idToken: IDToken?
  /// Seconds by which the server's clock is ahead.
  package var clockOffset: Int64 = 0

  /// - Parameters:
  ///   - account: As it is stored.
  ///   - forms: The requests; each is sent only if the server rejects what the one before asks for.
  ///   - asked: What they ask for; the refusal of a second token is not the account's.
  ///   - origin: The token endpoint's.
  ///   - now: When the renewal begins.
  ///   - redact: Hides secrets in the server's words, those of the answer too: it is called when that is there.
  package init(
    _ account: Account,
    _ forms: [Form],
    asking asked: RequestRefusal.Asked,
    at origin: Origin,
    since now: Timestamp,
    redacting redact: @escaping (String) -> String
  ) {
    self.account = account
    self.forms = forms[...]
    self.asked = asked
    self.origin = origin
    self.redact = redact
    wasInterrupted = account.renewalStartedAt != nil
    wasAnswered = account.marks.contains(.answered)
    usesToken = !account.client.grant.renewsItself
    self.account.renewalStartedAt = now
    self.account.marks.remove(.answered)
  }

  /// The first step.
  package mutating func begin() -> Step {
    guard let form = forms.popFirst() else { return fail(.server(.oauth(.malformedAnswer(member: "body"), origin))) }
    return .send(form)
  }

  /// The step after an answer.
  package mutating func take(_ answer: TokenOutcome, at now: Timestamp) -> Step {
    let outcome = answer.requiring(account.tokenType)
    let isOther = asked.isSecondToken ? outcome.rejectsScope : outcome.rejectsRequest
    if isOther, let form = forms.popFirst() { return .send(form) }
    switch outcome {
    case .granted(let response): return granted(response, at: now)
    // The access token is of no use; the session goes on with the refresh token that came with it.
    case .unusable(let refreshToken, let error) where usesToken:
      account.renewalStartedAt = nil
      return .storeRefreshToken(refreshToken, .server(.oauth(error, origin)))
    // It has no session that could end: the key, the clock or the client's registration is wrong.
    case .ended(SessionEnds.standard, _, _) where !usesToken: return fail(EngineError(outcome, origin))
    // Some servers refuse an audience in the words of a session's end: only the account's own renewal can tell.
    case .ended(let code, let description, let status) where asked.isSecondToken:
      let refusal = RequestRefusal(secondToken: asked, code, description, status: status, at: origin)
      return fail(.signIn(.requestRefused(refusal)), mayHaveSpentTheToken: false, isAnswered: true)
    case .ended(SessionEnds.standard, let description, _):
      return ended(description ?? StateReason.refreshTokenInvalid.text, at: now)
    case .ended(let code, let description, _) where usesToken:
      return ended([code, description].compactMap(\.self).joined(separator: ": "), at: now)
    case .ended, .unusable, .unanswered:
      let error = EngineError(outcome, origin).refusing(asked)
      if !asked.isSecondToken {
        if case .signIn(.requestRefused(let refusal)) = error {
          account.noteRefusedRenewal(refusal.reason)
        } else if case .server(.oauth(let refusal, _)) = error, let doubt = refusal.doubt(at: now),
          account.noteRefusedRenewal(doubt, refusal.words)
        {
          return ended(refusal.words, at: now)
        }
      }
      return fail(error, mayHaveSpentTheToken: outcome.mayHaveSpentTheToken, isAnswered: true)
    }
  }

  /// The step after a request without an answer.
  package mutating func take(_ error: EngineError) -> Step {
    fail(error, mayHaveSpentTheToken: error.mayHaveReachedTheServer, isAnswered: false)
  }

  private mutating func granted(_ response: TokenResponse, at now: Timestamp) -> Step {
    account.renewalStartedAt = nil
    if let other = account.otherUser(in: response, showing: redact) {
      // The refresh token is spent; the access token from before is still the user's own.
      account.take(.otherUser, reason: other.reason, at: now)
      return .fail(.server(.otherUser(other, origin)))
    }
    if let flaw = flaw(of: response.idToken, at: now) {
      return .storeRefreshToken(response.refreshToken, .server(.oauth(.idToken(flaw), origin)))
    }
    account.subjectStatements.idToken = response.idTokenSubject ?? account.subjectStatements.idToken
    return .store(response)
  }

  /// Why the ID token of an answer is rejected (OpenID Connect Core 1.0, section 12.2).
  private func flaw(of reading: Result<IDToken, IDToken.Flaw>?, at now: Timestamp) -> IDToken.Flaw? {
    // That of an exchange may be for another audience than the client.
    guard let reading, account.mayHaveIDToken, !account.client.grant.renewsItself else { return nil }
    // One that can't be read says nothing of anyone, and this account has not asked for it.
    if case .failure(.unreadable) = reading, idToken == nil, !account.requestedIDToken { return nil }
    do throws(IDToken.Flaw) {
      let time = now.adding(seconds: clockOffset)
      try reading.get().check(after: idToken, for: account.identity.clientID, at: time)
      return nil
    } catch {
      return error
    }
  }

  /// Fails where the refresh token was not spent.
  private mutating func fail(_ error: EngineError) -> Step {
    account.renewalStartedAt = nil
    return .fail(error)
  }

  private mutating func fail(
    _ error: EngineError,
    mayHaveSpentTheToken isUncertain: Bool,
    isAnswered: Bool
  ) -> Step {
    guard usesToken else { return fail(error) }
    if !isUncertain, !wasInterrupted { account.renewalStartedAt = nil }
    if isUncertain ? isAnswered && (wasAnswered || !wasInterrupted) : wasAnswered { account.marks.insert(.answered) }
    if isUncertain, case .server(.oauth(let flaw, let origin)) = error {
      return .fail(.server(.renewalUnread(flaw, origin)))
    }
    return .fail(error.ofRenewal(inDoubt: wasInterrupted))
  }

  private mutating func ended(_ words: String, at now: Timestamp) -> Step {
    let reason =
      !wasInterrupted ? words : wasAnswered ? StateReason.unstored(words).text : StateReason.interrupted(words).text
    account.take(.ended, reason: reason, at: now)
    return fail(.signIn(.required(account: account.name, .ended(reason: reason))))
  }
}

extension OAuthError {
  /// The refusal as one that may be the end of a session; `nil` for any other error.
  fileprivate func doubt(at now: Timestamp) -> Doubt? {
    guard mayBeEnd else { return nil }
    return switch self {
    // A sentence in place of a code may have the time or a number in it.
    case .refused(let code, _, let status): Doubt(status: status, code: code.contains(" ") ? nil : code, at: now)
    case .unexplained(let status): Doubt(status: status, code: nil, at: now)
    case .noMetadata, .metadata, .unsupported, .notJSON, .malformedAnswer, .userUnnamed, .tokenType, .idToken,
      .redirected:
      nil
    }
  }

  /// The server's words, as a reason has them.
  fileprivate var words: String {
    switch self {
    case .refused(let code, let description, _): [code, description].compactMap(\.self).joined(separator: ": ")
    case .unexplained(let status): StateReason.answered(status: status).text
    case .noMetadata, .metadata, .unsupported, .notJSON, .malformedAnswer, .userUnnamed, .tokenType, .idToken,
      .redirected:
      ""
    }
  }
}
