/// A public key on the curve P-256; one that exists is a point of the curve.
package struct P256PublicKey: Equatable, Sendable {
  /// The bytes of an uncompressed point (SEC 1, section 2.3.3): 4, x, y.
  static let pointCount = 1 + 2 * P256PrivateKey.coordinateCount

  /// The coordinates, 32 bytes each, big-endian.
  package let x, y: [UInt8]

  /// Makes a key of two coordinates.
  ///
  /// - Throws: ``CryptoError/wrongLength``, ``CryptoError/notOnCurve`` or ``CryptoError/libraryFailed``.
  package init(x: [UInt8], y: [UInt8]) throws(CryptoError) {
    let count = P256PrivateKey.coordinateCount
    guard x.count == count, y.count == count else { throw .wrongLength }
    guard let curve = P256Curve.shared else { throw .libraryFailed }
    guard try curve.contains(point: [4] + x + y) else { throw .notOnCurve }
    self.x = x
    self.y = y
  }

  /// Takes over an uncompressed point that was computed, not received.
  init(computed point: [UInt8]) {
    let middle = 1 + P256PrivateKey.coordinateCount
    x = Array(point[1..<middle])
    y = Array(point[middle...])
  }

  /// `true` if `signature` is one of `message` by this key: ECDSA with SHA-256 (RFC 7518, section 3.4).
  ///
  /// - Parameters:
  ///   - signature: r and s, 32 bytes each. Anything else is no signature.
  ///   - message: The signed bytes.
  /// - Returns: `true` if the signature is valid.
  package func isValidSignature(_ signature: [UInt8], of message: Span<UInt8>) -> Bool {
    let point = [4] + x + y
    guard let signature = ECDSASignature(raw: signature), let key = try? EVPKey(p256Point: point.span) else {
      return false
    }
    return key.isValidSignature(signature.der, of: message)
  }
}
