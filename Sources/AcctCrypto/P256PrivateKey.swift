package import Secrets
import Crypto

/// A private key on the curve P-256, checked when it was made and ready to sign.
package struct P256PrivateKey: Sendable {
  /// The bytes of a scalar, and of each coordinate of a point.
  static let coordinateCount = 32

  /// The scalar d, 32 bytes, big-endian.
  package let rawScalar: Secret
  /// The point that the scalar yields; it is always computed, never taken on trust.
  package let publicKey: P256PublicKey
  /// The library's own form, which has the scalar in memory of the heap; `nil` for a key at rest.
  private let key: P256.Signing.PrivateKey?

  /// Generates a key.
  package static func generate() -> P256PrivateKey {
    // The compact form, which JOSE does not have, would cost half of all keys.
    let key = P256.Signing.PrivateKey(compactRepresentable: false)
    var scalar = Array(key.rawRepresentation)
    return P256PrivateKey(key, rawScalar: Secret(consuming: &scalar))
  }

  /// Makes a key of a scalar.
  ///
  /// - Parameter rawScalar: d, 32 bytes, big-endian, with 0 < d < n.
  /// - Throws: ``CryptoError/wrongLength`` or ``CryptoError/scalarOutOfRange``.
  package init(rawScalar: Secret) throws(CryptoError) {
    guard rawScalar.count == Self.coordinateCount else { throw .wrongLength }
    self.init(try Self.key(of: rawScalar), rawScalar: rawScalar)
  }

  private static func key(of rawScalar: Secret) throws(CryptoError) -> P256.Signing.PrivateKey {
    try rawScalar.withBytes { scalar throws(CryptoError) in
      // Lent, not copied: the library reads the bytes into a number of its own, which it wipes.
      do {
        return try unsafe scalar.withUnsafeBytes { try unsafe P256.Signing.PrivateKey(rawRepresentation: $0) }
      } catch { throw .scalarOutOfRange }
    }
  }

  /// This key at rest: only ``rawScalar`` has the scalar, and the library gets it for each signature anew.
  package var resting: P256PrivateKey { P256PrivateKey(nil, rawScalar: rawScalar, publicKey: publicKey) }

  private init(_ key: P256.Signing.PrivateKey?, rawScalar: Secret, publicKey: P256PublicKey) {
    self.key = key
    self.rawScalar = rawScalar
    self.publicKey = publicKey
  }

  private init(_ key: P256.Signing.PrivateKey, rawScalar: Secret) {
    self.init(key, rawScalar: rawScalar, publicKey: P256PublicKey(key.publicKey))
  }

  /// Signs with ECDSA and SHA-256 (RFC 7518, section 3.4).
  ///
  /// The signature's nonce is hedged: the library derives it from random numbers, the key and the
  /// message, so that two messages do not share one where random numbers repeat.
  ///
  /// - Parameter message: The bytes to sign; they are hashed here.
  /// - Returns: r and s, 32 bytes each. Two signatures of one message differ.
  /// - Throws: ``CryptoError/libraryFailed``.
  package func sign(_ message: Span<UInt8>) throws(CryptoError) -> [UInt8] {
    let key = if let key { key } else { try Self.key(of: rawScalar) }
    do {
      return Array(try key.signature(for: SHA256.digest(of: message)).rawRepresentation)
    } catch { throw .libraryFailed }
  }
}
