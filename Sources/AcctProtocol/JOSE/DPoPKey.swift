import AcctCrypto
package import AcctModel
package import StrictJSON

/// The key that an account's tokens are bound to (RFC 9449): ES256, checked when it was read.
package struct DPoPKey: Sendable {
  private let key: P256PrivateKey

  /// Generates a key.
  package static func generate() -> DPoPKey { DPoPKey(key: P256PrivateKey.generate()) }

  private init(key: P256PrivateKey) { self.key = key }

  /// Takes a private JWK, bare or within `{"jwk": …}`, if it is right in every respect:
  /// EC and P-256, strict base64url of 32 bytes, 0 < d < n, and the point that d yields is (x, y).
  ///
  /// Members that say nothing against it, such as `kid`, `ext` and `key_ops`, are passed over.
  ///
  /// - Throws: ``JWKError``.
  package init(jwk: JSON) throws(JWKError) { key = try JWK(jwk).privateKey() }

  /// Reads what ``privateJWK`` wrote; it is checked again, since it comes from outside.
  ///
  /// - Throws: ``JWKError``.
  package init(privateJWK: Secret) throws(JWKError) {
    let json: JSON
    do {
      json = try privateJWK.withBytes { bytes throws(JSONError) in try JSON(parsing: bytes) }
    } catch { throw .notJSON(error) }
    try self.init(jwk: json)
  }

  /// The public JWK, with its members in the order of RFC 7638.
  package var publicJWK: JSON { key.publicKey.jwk }

  /// The RFC 7638 thumbprint with SHA-256, in base64url: the `jkt` of a bound token.
  package var thumbprint: String { key.publicKey.thumbprint }

  /// The private JWK with exactly the members `kty`, `crv`, `x`, `y` and `d`, as JSON.
  package var privateJWK: Secret {
    var scalar = key.rawScalar.withBytes { Base64URL.encodedBytes($0) }
    let (x, y) = (Base64URL.encode(key.publicKey.x.span), Base64URL.encode(key.publicKey.y.span))
    return Secret(joining: [
      Secret(#"{"kty":"EC","crv":"P-256","x":"\#(x)","y":"\#(y)","d":""#),
      Secret(consuming: &scalar),
      Secret(#""}"#),
    ])
  }

  /// Signs with ES256 (RFC 7518, section 3.4).
  ///
  /// - Throws: ``JWKError/libraryFailed``.
  func sign(_ message: Span<UInt8>) throws(JWKError) -> [UInt8] {
    do { return try key.sign(message) } catch { throw .libraryFailed }
  }
}
