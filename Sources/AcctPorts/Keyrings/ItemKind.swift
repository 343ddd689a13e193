package import AcctModel

/// The kinds of items in a keyring, and the key of each for an account.
package enum ItemKind: String, Sendable, CaseIterable {
  case accessToken = "oauth.*.accessToken"
  case refreshToken = "oauth.*.refreshToken"
  /// RFC 3339.
  case expiresAt = "oauth.*.expiresAt"
  case handle = "oauth.*.handle"
  case did = "oauth.*.did"
  /// A P-256 private key as a JWK with `kty`, `crv`, `x`, `y` and `d`.
  case keypair = "dpop.keypair.*"
  /// Tokens for other audiences and scopes that the refresh token has obtained, as JSON.
  case secondTokens = "oauth.*.secondTokens"
  /// The secret by which a client authenticates itself, as its server gave it.
  case clientSecret = "oauth.*.clientSecret"
  /// A private key as a JWK, of P-256 or RSA, that signs a client's assertions.
  case clientKey = "oauth.*.clientKey"
  /// A backend's sealed session.
  case session = "session.*.token"
  case guest = "guest.*.token"
  /// A static token, as the user gave it.
  case staticToken = "static.*.token"
  /// A client's certificate for TLS, in PEM, with those that certify it.
  case certificate = "oauth.*.certificate"
  /// The private key of that certificate, in PEM (PKCS #8), or the URI of the token that has it.
  case certificateKey = "oauth.*.certificateKey"
  /// The ID token of the sign-in, or of the last renewal that brought one.
  case idToken = "oauth.*.idToken"
  /// Temporary keys of roles of clouds that a token of the account has obtained, as JSON.
  case roleKeys = "oauth.*.roleKeys"
  /// The access to the registration of its client, as JSON.
  case registration = "oauth.*.registration"

  /// The item's key, such as `oauth.<uuid>.accessToken`.
  package func key(for account: AccountID) -> String {
    let (prefix, suffix) = affixes
    return "\(prefix)\(account)\(suffix)"
  }

  /// The account and the kind that a key names, if it is one of acct's.
  package static func parse(_ key: String) -> (account: AccountID, kind: ItemKind)? {
    for kind in allCases {
      let (prefix, suffix) = kind.affixes
      guard key.hasPrefix(prefix), key.hasSuffix(suffix),
        let account = try? AccountID(
          String(key.dropFirst(prefix.utf8.count).dropLast(suffix.utf8.count))
        ), kind.key(for: account) == key
      else { continue }
      return (account, kind)
    }
    return nil
  }

  private var affixes: (prefix: Substring, suffix: Substring) {
    let parts = rawValue.split(separator: "*", omittingEmptySubsequences: false)
    return (parts[0], parts[1])
  }
}
