import AcctModel
import AcctProtocol
package import Release

extension Renewal {
  /// The reason for a renewal; with the state of the account under its lock, it decides whether a server is asked at
  /// all.
  ///
  /// |          | an authorization server is asked    | a backend is asked    | the session is then extended |
  /// | ---      | ---                                 | ---                   | ---                          |
  /// | due      | if too little time is left          | the same              | if too little time is left   |
  /// | refused  | if that token is still kept, or due | if it is still kept   | if it is due                 |
  /// | forced   | unless the time has changed         | always                | always                       |
  /// | checked  | if it is due                        | always                | if it is due                 |
  ///
  /// A backend is never asked if another process has obtained its confirmation meanwhile, nor an authorization server for
  /// an ID token after a renewal that brought none.
  package enum Reason: Sendable {
    /// It may have no more than so many seconds left; the skew buffer if none are given.
    case due(leaving: Int64?)
    /// A server rejected a request with this token.
    case refused(Token)
    /// The user requests it.
    case forced
    /// The user asks whether the credentials still work, which an authorization server can answer without a renewal.
    case checked
    /// The ID token may have no more than so many seconds left; the skew buffer if none are given.
    case idToken(leaving: Int64?)
  }
}

extension Renewal.Reason {
  /// Decides whether a server must be asked.
  ///
  /// - Parameters:
  ///   - current: The credentials that are stored now that the account is locked: another process may have renewed
  ///     them while this one waited for the lock.
  ///   - known: The account as this command knows it.
  ///   - now: The time.
  /// - Returns: `true` if the server must be asked; otherwise the stored credentials are current.
  func applies(to current: Credentials, since known: Account, at now: Timestamp) -> Bool {
    let account = current.account
    let isSession = account.kind == .session
    guard !isSession || account.validatedAt == known.validatedAt else { return false }
    switch self {
    case .forced where isSession, .checked where isSession: return true
    case .forced: return account.tokenLifetime.expiresAt == known.tokenLifetime.expiresAt
    case .refused(let token) where isSession: return current.token == token
    case .idToken(let minimum):
      guard account.validatedAt == known.validatedAt else { return false }
      return current.idToken?.state(at: now, leaving: minimum) != .valid
    case .due, .refused, .checked: return applies(to: current.token, account.tokenLifetime, at: now)
    }
  }

  /// `true` if the server must be asked, by a token and its end alone.
  func applies(to token: Token?, _ lifetime: TokenLifetime, at now: Timestamp) -> Bool {
    switch self {
    case .due, .checked: isDue(lifetime, at: now)
    case .refused(let refused): token == refused || isDue(lifetime, at: now)
    case .forced: true
    case .idToken: false
    }
  }

  /// `true` if the server is asked although it has ended the session.
  var insists: Bool { if case .forced = self { true } else { false } }

  /// The reason as it is told.
  func cause(_ token: Token?, _ lifetime: TokenLifetime, at now: Timestamp) -> Decision.Cause {
    switch self {
    case .refused(let refused) where token == refused: .rejected
    case .forced: .forced
    case .checked: .checked
    case .idToken: .idToken
    case .due, .refused: .due(secondsLeft: lifetime.secondsLeft(at: now))
    }
  }

  /// Returns `true` if a session that its backend has just confirmed must be extended.
  func extends(_ account: Account, at now: Timestamp) -> Bool {
    switch self {
    case .forced: true
    case .due, .refused, .checked, .idToken: isDue(account.tokenLifetime, at: now)
    }
  }

  private func isDue(_ lifetime: TokenLifetime, at now: Timestamp) -> Bool {
    var minimum: Int64?
    if case .due(let leaving) = self { minimum = leaving }
    return lifetime.state(at: now, leaving: minimum) != .valid
  }
}
