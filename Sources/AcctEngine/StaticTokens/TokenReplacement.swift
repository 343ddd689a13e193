package import AcctModel

/// What the command that stores a new token for a static account has to name.
package struct TokenReplacement: Equatable, Sendable {
  package let account: AccountName
  package let sentAs: StaticHeader
  /// One of the account's own origins, if it has any.
  package let origin: Origin?
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
  var replacement: TokenReplacement? {
    guard kind == .static, let sentAs else { return nil }
    return TokenReplacement(account: name, sentAs: sentAs, origin: origins.first)
  }

  /// Why it can't be renewed.
  package var notRenewable: EngineError {
    if let replacement { return .signIn(.tokenFixed(replacement)) }
    return .signIn(.notRenewable(account: name))
  }
}
