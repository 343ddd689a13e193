package import AcctModel
package import AcctPorts
import Secrets
package import AcctProtocol
package import Release

/// An account and its credentials from the keyring, both of one moment.
package struct Credentials: Sendable {
  /// Its expiry is the keyring's, if that has one: a renewal writes the time there first.
  package var account: Account
  package var token: Token?
  /// Read only for a renewal.
  var refreshToken: Token?
  @Boxed package var key: DPoPKey? = nil
  /// The client's secret; read only for a renewal.
  var clientSecret: Secret?
  @Boxed var clientKey: ClientKey? = nil
  /// The client's certificate for TLS, with its key; read only for a renewal, and for requests that acct makes.
  @Boxed package var certificate: CertifiedKey? = nil
  /// The tokens of other issuers that a renewal starts from; read only for one.
  var inputTokens = ReadTokens()
  /// Read only for a renewal.
  @Boxed var idToken: IDToken? = nil
  /// Notices from the renewal that obtained them.
  package var notices: [Notice] = []

  /// `true` if a request could be made with them.
  var isUsable: Bool { token != nil && (account.tokenType != .dpop || key != nil) }

  var evidence: Evidence { isUsable ? .present : .missing }

  /// Determines the account's state from the keyring and the clock.
  package func assess(at now: Timestamp, leaving minimum: Int64? = nil) -> Assessment {
    account.assess(evidence, at: now, leaving: minimum)
  }

  /// The stored token, with the key that it is bound to.
  ///
  /// - Throws: ``SignInError/required(account:_:)`` if one of them is missing.
  package func grant(at now: Timestamp) throws(EngineError) -> AccessGrant {
    guard let token, isUsable else { throw account.stateError(assess(at: now)) }
    return AccessGrant(
      owner: account.id,
      token: token,
      key: account.tokenType == .dpop ? key : nil,
      identity: certificate.map(TLSIdentity.init),
      expiresAt: account.tokenLifetime.expiresAt,
      notices: notices + (account.sessionWarning(at: now).map { [$0] } ?? [])
    )
  }
}

extension Account {
  /// Checks that no server has ended the session, and that its client's certificate is valid: otherwise the keyring
  /// need not be asked.
  ///
  /// - Parameters:
  ///   - now: The time.
  ///   - insists: `true` to ask the server again although it has ended the session; a token that is used to its end
  ///     belongs to a session that is spent.
  /// - Throws: ``SignInError/required(account:_:)``.
  package func requireNotEnded(at now: Timestamp, insisting insists: Bool = false) throws(EngineError) {
    let isAsked = recordedState.state != .reauthRequired || insists && !recordedState.tokenStands
    guard isAsked, client.certificate?.hasEnded(at: now) != true else {
      throw stateError(lastKnownState(at: now))
    }
  }
}

/// A token that can be used now, with the key that it is bound to.
package struct AccessGrant: Sendable {
  /// The account that has it.
  let owner: AccountID
  package var token: Token
  package var key: DPoPKey?
  /// Presented where the token is used, if its client has a certificate and it was read.
  package var identity: TLSIdentity?
  package var expiresAt: Timestamp?
  package var notices: [Notice]
}

extension Permit {
  /// Releases the token of a grant; see ``release(_:of:beside:)``.
  package func release(_ grant: AccessGrant, beside companion: HeaderField? = nil) throws(EngineError) -> Released {
    do { return try release(grant.token, of: grant.owner, beside: companion) } catch { throw .authorization(error) }
  }
}
