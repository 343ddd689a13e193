package import Secrets

/// A private key on the curve P-256, checked when it was made.
///
/// Its scalar is in a ``Secret`` alone: OpenSSL gets it for each operation, and wipes it afterwards.
package struct P256PrivateKey: Sendable {
  /// The bytes of a scalar, and of each coordinate of a point.
  static let coordinateCount = 32

  /// The scalar d, 32 bytes, big-endian.
  package let rawScalar: Secret
  /// The point that the scalar yields; it is always computed, never taken on trust.
  package let publicKey: P256PublicKey

  /// Generates a key.
  ///
  /// - Throws: ``CryptoError/libraryFailed``.
  package static func generate() throws(CryptoError) -> P256PrivateKey {
    guard let scalar = try EVPKey.generated().number("priv") else { throw .libraryFailed }
    return try P256PrivateKey(rawScalar: scalar.padded(to: coordinateCount))
  }

  /// Makes a key of a scalar.
  ///
  /// - Parameter rawScalar: d, 32 bytes, big-endian, with 0 < d < n.
  /// - Throws: ``CryptoError/wrongLength``, ``CryptoError/scalarOutOfRange`` or ``CryptoError/libraryFailed``.
  package init(rawScalar: Secret) throws(CryptoError) {
    guard rawScalar.count == Self.coordinateCount else { throw .wrongLength }
    guard let curve = P256Curve.shared else { throw .libraryFailed }
    let scalar = try BigNumber(rawScalar)
    guard curve.contains(scalar: scalar) else { throw .scalarOutOfRange }
    self.rawScalar = rawScalar
    publicKey = P256PublicKey(computed: try curve.point(of: scalar))
  }

  /// Signs with ECDSA and SHA-256 (RFC 7518, section 3.4).
  ///
  /// The signature's nonce is hedged: OpenSSL derives it from random numbers, the key and the message
  /// (`ossl_bn_gen_dsa_nonce_fixed_top`), so that two messages do not share one where random numbers repeat.
  ///
  /// - Parameter message: The bytes to sign; they are hashed here.
  /// - Returns: r and s, 32 bytes each. Two signatures of one message differ.
  /// - Throws: ``CryptoError/libraryFailed``.
  package func sign(_ message: Span<UInt8>) throws(CryptoError) -> [UInt8] {
    let der = try EVPKey(p256: BigNumber(rawScalar)).sign(message)
    return try ECDSASignature(der: der).raw
  }
}
