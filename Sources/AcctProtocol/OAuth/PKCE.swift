import AcctCrypto
package import AcctModel

/// Proof Key for Code Exchange with S256 (RFC 7636), the only method that is ever used.
package struct PKCE: Sendable {
  /// 43 characters from 32 random bytes (section 4.1).
  package let verifier: Secret
  /// `BASE64URL(SHA256(verifier))` (section 4.2).
  package let challenge: String

  /// Makes a verifier from 32 or more random bytes.
  package init(random bytes: [UInt8]) {
    let text = Base64URL.encode(bytes.span)
    verifier = Secret(text)
    challenge = Base64URL.encode(SHA256.hash(Array(text.utf8).span).span)
  }
}
