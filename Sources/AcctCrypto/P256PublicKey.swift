/// A public key on the curve P-256; one that exists is a point of the curve.
package struct P256PublicKey: Equatable, Sendable {
  /// The coordinates, 32 bytes each, big-endian.
  package let x, y: [UInt8]

  /// Makes a key of two coordinates.
  ///
  /// - Throws: ``CryptoError/wrongLength``, ``CryptoError/notOnCurve`` or
  ///   ``CryptoError/libraryFailed``.
  package init(x: [UInt8], y: [UInt8]) throws(CryptoError) {
    guard x.count == P256.coordinateCount, y.count == P256.coordinateCount else {
      throw .wrongLength
    }
    self.x = x
    self.y = y
    _ = try ECKey(point: point)
  }

  /// Takes over an uncompressed point that was computed, not received.
  init(computed point: [UInt8]) {
    x = Array(point[1...P256.coordinateCount])
    y = Array(point[(1 + P256.coordinateCount)...])
  }

  /// The uncompressed point (SEC 1, section 2.3.3).
  var point: [UInt8] { [0x04] + x + y }

  /// Whether `signature` is one of `message` by this key: ECDSA with SHA-256 (RFC 7518,
  /// section 3.4).
  ///
  /// - Parameters:
  ///   - signature: r and s, 32 bytes each. Anything else is no signature.
  ///   - message: What was signed.
  /// - Returns: Whether it is.
  /// - Throws: ``CryptoError/libraryFailed``.
  package func isValidSignature(
    _ signature: [UInt8],
    of message: Span<UInt8>
  ) throws(CryptoError) -> Bool {
    guard signature.count == ECDSASignature.rawCount else { return false }
    return try ECKey(point: point).isValid(
      .of(raw: signature),
      of: SHA256.hash(message)
    )
  }
}
