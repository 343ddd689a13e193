package import AcctModel

/// A private key on the curve P-256, checked when it was made and ready to sign.
package struct P256PrivateKey: Sendable {
  /// The scalar d, 32 bytes, big-endian.
  package let rawScalar: Secret
  /// The point that the scalar yields; it is always computed, never taken on trust.
  package let publicKey: P256PublicKey
  private let key: ECKey

  /// Generates a key from the kernel's random numbers.
  ///
  /// - Throws: ``CryptoError/libraryFailed``.
  package static func generate() throws(CryptoError) -> P256PrivateKey {
    try P256PrivateKey(rawScalar: try ECKey.randomScalar())
  }

  /// Makes a key of a scalar.
  ///
  /// - Parameter rawScalar: d, 32 bytes, big-endian, with 0 < d < n.
  /// - Throws: ``CryptoError/wrongLength``, ``CryptoError/scalarOutOfRange`` or
  ///   ``CryptoError/libraryFailed``.
  package init(rawScalar: Secret) throws(CryptoError) {
    key = try ECKey(scalar: rawScalar)
    publicKey = P256PublicKey(computed: try key.point())
    self.rawScalar = rawScalar
  }

  /// Signs with ECDSA and SHA-256 (RFC 7518, section 3.4).
  ///
  /// - Parameter message: What to sign; it is hashed here.
  /// - Returns: r and s, 32 bytes each. Two signatures of one message differ.
  /// - Throws: ``CryptoError/libraryFailed``.
  package func sign(_ message: Span<UInt8>) throws(CryptoError) -> [UInt8] {
    try key.sign(SHA256.hash(message)).raw()
  }
}
