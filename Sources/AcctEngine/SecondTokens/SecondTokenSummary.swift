package import AcctModel
import AcctProtocol

/// What a second token is for, and when it expires.
package struct SecondTokenSummary: Equatable, Sendable {
  package var audience: String?
  package var scope: String?
  package var expiresAt: Timestamp?
}

extension CredentialStore {
  /// What an account's second tokens are for; the keyring is asked only of an account that has had some.
  func summary(for account: Account) async throws(EngineError) -> [SecondTokenSummary] {
    guard account.ownGrant != nil else { return [] }
    return try await secondTokens().tokens.map { token in
      SecondTokenSummary(
        audience: token.purpose.audience,
        scope: token.purpose.scopeText,
        expiresAt: token.lifetime.expiresAt
      )
    }
  }
}
