package import AcctModel
import AcctPorts
import AcctProtocol
package import Release

extension TokenProvider {
  /// Returns a token of the account for another purpose than its own, requested if there is none or too little time is
  /// left.
  ///
  /// - Parameters:
  ///   - account: The account.
  ///   - purpose: The purpose of the token.
  ///   - minimum: Seconds that must be left; the skew buffer if not given.
  /// - Returns: The token, and the key that it is bound to.
  /// - Throws: ``AuthorizationError/noSecondToken(_:)`` for an account without a refresh token, and the errors of
  ///   ``grant(to:leaving:)``.
  package func grant(
    to account: Account,
    for purpose: TokenPurpose,
    leaving minimum: Int64? = nil
  ) async throws(EngineError) -> AccessGrant {
    guard account.canHaveSecondTokens else { throw .authorization(.noSecondToken(account.name)) }
    try account.requireNotEnded(at: context.world.clock.now())
    let known = try await stored(purpose, of: account)
    let now = context.world.clock.now()
    if let known, known.token.lifetime.state(at: now, leaving: minimum) == .valid {
      context.tell(.use(account.name, purpose, secondsLeft: known.token.lifetime.secondsLeft(at: now)))
      return known.grant(of: account)
    }
    do throws(EngineError) {
      guard network == .allowed else { throw .network(.offline) }
      return try await Renewal(context).secondToken(for: purpose, of: account, because: .due(leaving: minimum))
    } catch {
      return try unrenewed(known?.grant(of: account), of: account.name, until: known?.token.lifetime, because: error)
    }
  }

  /// The stored token for a purpose; a replacement of credentials in progress is waited for.
  private func stored(_ purpose: TokenPurpose, of account: Account) async throws(EngineError) -> KnownSecondToken? {
    try await CredentialStore.readingWhole(account, in: context) { credentialStore throws(EngineError) in
      KnownSecondToken(try await credentialStore.secondTokensWithKey(), purpose, of: credentialStore.account)
    }
  }
}

/// A stored second token, and the key that it is bound to.
private struct KnownSecondToken: Sendable {
  var token: SecondToken
  var key: DPoPKey?

  /// - Returns: `nil` if there is none that could be used.
  init?(_ stored: (tokens: SecondTokens, key: DPoPKey?), _ purpose: TokenPurpose, of account: Account) {
    guard let token = stored.tokens[purpose], account.tokenType != .dpop || stored.key != nil else { return nil }
    self.token = token
    key = stored.key
  }

  func grant(of account: Account) -> AccessGrant { AccessGrant(token, of: account, boundTo: key) }
}

extension AccessGrant {
  init(_ token: SecondToken, of account: Account, boundTo key: DPoPKey?) {
    self.init(
      own: AccountToken(token.token, of: account.id, for: token.purpose),
      key: key,
      identity: nil,
      expiresAt: token.lifetime.expiresAt,
      notices: []
    )
  }
}
