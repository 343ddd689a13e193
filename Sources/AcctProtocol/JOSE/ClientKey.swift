package import AcctModel

/// The private key that a client signs its assertions with (RFC 7523).
package struct ClientKey: Sendable {
  private let key: DPoPKey

  /// Reads what ``privateJWK`` wrote; it is checked again, since it comes from outside.
  ///
  /// - Throws: ``JWKError``.
  package init(privateJWK: Secret) throws(JWKError) { key = try DPoPKey(privateJWK: privateJWK) }

  /// The key as a JWK.
  package var privateJWK: Secret { key.privateJWK }
}
