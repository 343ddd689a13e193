package import AcctCrypto
package import StrictJSON

extension P256PublicKey {
  /// The public JWK (RFC 7518, section 6.2.1), with exactly the members, in exactly the order,
  /// that RFC 7638 hashes.
  package var jwk: JSON {
    ["crv": "P-256", "kty": "EC", "x": .string(Base64URL.encode(x.span)), "y": .string(Base64URL.encode(y.span))]
  }

  /// The RFC 7638 thumbprint with SHA-256, in base64url.
  package var thumbprint: String {
    let canonical = jwk.serialized()
    return Base64URL.encode(SHA256.hash(canonical.span).span)
  }
}
