package import AcctModel
import Secrets
import AcctPorts
package import AcctProtocol
import Release

extension CredentialStore {
  /// Reads the second tokens of the account.
  ///
  /// A damaged item counts as missing: each token can be obtained again, and the next one replaces the item.
  package func secondTokens() async throws(EngineError) -> SecondTokens {
    Self.secondTokens(in: try await items([.secondTokens]))
  }

  /// Reads the second tokens, and the key that they are bound to, in one conversation with the keyring.
  func secondTokensWithKey() async throws(EngineError) -> (tokens: SecondTokens, key: DPoPKey?) {
    let isBound = account.tokenType == .dpop
    let items = try await items(isBound ? [.secondTokens, .keypair] : [.secondTokens])
    var key: DPoPKey?
    if isBound {
      do {
        key = try items[.keypair].map { item throws(JWKError) in try context.key(item, in: keyring)
        }
      } catch { throw .keyring(.damagedItem(account.name, .keypair)) }
      try requireOwn(key)
    }
    return (Self.secondTokens(in: items), key)
  }

  private static func secondTokens(in items: [ItemKind: Secret]) -> SecondTokens {
    do throws(SecondTokens.Damage) {
      return try items[.secondTokens].map { item throws(SecondTokens.Damage) in
        try SecondTokens(item)
      } ?? SecondTokens()
    } catch {
      return SecondTokens()
    }
  }
}

/// The purpose of a second token, and its expiry.
package struct SecondTokenSummary: Equatable, Sendable {
  package var audience: String?
  package var scope: String?
  package var expiresAt: Timestamp?
  /// The scope that was granted; `nil` where the server did not say.
  package var granted: String?
}

extension CredentialStore {
  /// The purposes of an account's second tokens; the keyring is asked only for an account that has had some.
  func summary(for account: Account) async throws(EngineError) -> [SecondTokenSummary] {
    guard account.ownGrant != nil else { return [] }
    return try await secondTokens().tokens.map { token in
      SecondTokenSummary(
        audience: token.purpose.audience,
        scope: token.purpose.scopeText,
        expiresAt: token.lifetime.expiresAt,
        granted: token.granted
      )
    }
  }
}
