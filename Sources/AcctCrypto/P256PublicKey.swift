import COpenSSL

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
    guard try P256().contains(point) else { throw .notOnCurve }
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
    let encoded = try ECDSASignature.derEncoded(signature)
    let key = try EVPKey(point: point, scalar: nil)
    guard let context = unsafe EVP_MD_CTX_new() else { throw .libraryFailed }
    defer { unsafe EVP_MD_CTX_free(context) }
    guard unsafe EVP_DigestVerifyInit(context, nil, EVP_sha256(), nil, key.pointer) == 1 else {
      throw .libraryFailed
    }
    return unsafe message.withUnsafeBufferPointer { message in
      unsafe EVP_DigestVerify(
        context,
        encoded,
        encoded.count,
        message.baseAddress,
        message.count
      ) == 1
    }
  }
}
