import Crypto

/// A public key on the curve P-256; one that exists is a point of the curve.
///
/// It has the coordinates alone. The library's own form, if made from a private key, is a copy of the private key.
package struct P256PublicKey: Equatable, Sendable {
  /// The coordinates, 32 bytes each, big-endian.
  package let x, y: [UInt8]

  /// Makes a key of two coordinates.
  ///
  /// - Throws: ``CryptoError/wrongLength`` or ``CryptoError/notOnCurve``.
  package init(x: [UInt8], y: [UInt8]) throws(CryptoError) {
    let count = P256PrivateKey.coordinateCount
    guard x.count == count, y.count == count else { throw .wrongLength }
    do { _ = try P256.Signing.PublicKey(rawRepresentation: x + y) } catch { throw .notOnCurve }
    self.x = x
    self.y = y
  }

  /// Takes over a key that was computed, not received.
  init(_ key: P256.Signing.PublicKey) {
    let point = Array(key.rawRepresentation)
    x = Array(point[..<P256PrivateKey.coordinateCount])
    y = Array(point[P256PrivateKey.coordinateCount...])
  }

  /// `true` if `signature` is one of `message` by this key: ECDSA with SHA-256 (RFC 7518, section 3.4).
  ///
  /// - Parameters:
  ///   - signature: r and s, 32 bytes each. Anything else is no signature.
  ///   - message: The signed bytes.
  /// - Returns: `true` if the signature is valid.
  package func isValidSignature(_ signature: [UInt8], of message: Span<UInt8>) -> Bool {
    guard let key = try? P256.Signing.PublicKey(rawRepresentation: x + y),
      let signature = try? P256.Signing.ECDSASignature(rawRepresentation: signature)
    else { return false }
    return key.isValidSignature(signature, for: SHA256.digest(of: message))
  }
}
