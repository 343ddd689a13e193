package import AcctModel
import AcctPorts
import AcctProtocol

extension CredentialStore {
  /// Reads the second tokens of the account.
  ///
  /// An item that is damaged counts as missing: each token can be had again, and the next one replaces the item.
  func secondTokens() async throws(EngineError) -> SecondTokens {
    Self.secondTokens(in: try await items([.secondTokens]))
  }

  /// Reads the second tokens, and the key that they are bound to, in one conversation.
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
