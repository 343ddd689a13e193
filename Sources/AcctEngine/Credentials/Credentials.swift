package import AcctModel
package import AcctProtocol

/// An account and what the keyring holds of it, both of one moment.
struct Credentials: Sendable {
  /// It says when the token expires as the keyring does, where that does: a renewal writes the time
  /// there first.
  var account: Account
  var token: Token?
  /// Read for a renewal alone.
  var refreshToken: Token?
  var key: DPoPKey?
  /// What the client authenticates itself with; read for a renewal alone.
  var clientSecret: Secret?
  var clientKey: ClientKey?
  /// What the user should know of the renewal that brought them.
  var notices: [Notice] = []

  /// Whether a request could be made with them.
  var isUsable: Bool { token != nil && (account.tokenType != .dpop || key != nil) }

  var evidence: Evidence { isUsable ? .present : .missing }

  /// What the keyring and the clock say of the account.
  func assess(at now: Timestamp, leaving minimum: Int64? = nil) -> Assessment {
    account.assess(evidence, at: now, leaving: minimum)
  }

  /// The token as it is, with the key that it is bound to.
  ///
  /// - Throws: ``SignInError/required(account:_:)`` where something is missing.
  func grant(at now: Timestamp) throws(EngineError) -> AccessGrant {
    guard let token, isUsable else { throw account.stateError(assess(at: now)) }
    return AccessGrant(
      token: token,
      key: account.tokenType == .dpop ? key : nil,
      expiresAt: account.tokenLifetime.expiresAt,
      notices: notices + (account.sessionWarning(at: now).map { [$0] } ?? [])
    )
  }
}

extension Account {
  /// Makes sure that no server has ended the session: then the keyring has nothing to add.
  ///
  /// - Throws: ``SignInError/required(account:_:)``.
  func requireNotEnded(at now: Timestamp) throws(EngineError) {
    guard recordedState.state != .reauthRequired else { throw stateError(lastKnownState(at: now)) }
  }
}

/// A token that can be used now, with the key that it is bound to.
package struct AccessGrant: Sendable {
  package var token: Token
  package var key: DPoPKey?
  package var expiresAt: Timestamp?
  package var notices: [Notice]
}
