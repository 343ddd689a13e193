/// What the command that stores a new token for a static account has to name.
package struct TokenReplacement: Equatable, Sendable {
  package let account: AccountName
  package let sentAs: StaticHeader
  /// Where the token goes; what the user has allowed besides stays by itself.
  package let origins: [Origin]
}

/// Why a static token is not used.
package enum StaticTokenEnd: Equatable, Sendable {
  /// Its end has passed.
  case expired
  /// Less time is left than was asked for, in these words.
  case ending(reason: String)
  /// It is not in the keyring, in these words.
  case missing(reason: String)
}

extension Account {
  /// What a new token needs; `nil` for any account but a static one.
  package var replacement: TokenReplacement? {
    guard kind == .static, let sentAs else { return nil }
    let own = origins.filter { origins.reasons(for: $0).contains(.signIn) }
    return TokenReplacement(
      account: name,
      sentAs: sentAs,
      // Without its file the account was rebuilt: then all that is known is what was allowed since.
      origins: own.isEmpty ? Array(origins) : own
    )
  }
}
