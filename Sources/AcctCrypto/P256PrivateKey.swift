package import AcctModel
import COpenSSL
import Synchronization

/// A private key on the curve P-256, checked when it was made and ready to sign.
package struct P256PrivateKey: Sendable {
  /// The scalar d, 32 bytes, big-endian.
  package let rawScalar: Secret
  /// The point that the scalar yields; it is always computed, never taken on trust.
  package let publicKey: P256PublicKey
  private let signer: Signer

  /// Generates a key from the kernel's random numbers.
  ///
  /// - Throws: ``CryptoError/libraryFailed``.
  package static func generate() throws(CryptoError) -> P256PrivateKey {
    try P256PrivateKey(rawScalar: try P256().randomScalar())
  }

  /// Makes a key of a scalar.
  ///
  /// - Parameter rawScalar: d, 32 bytes, big-endian, with 0 < d < n.
  /// - Throws: ``CryptoError/wrongLength``, ``CryptoError/scalarOutOfRange`` or
  ///   ``CryptoError/libraryFailed``.
  package init(rawScalar: Secret) throws(CryptoError) {
    let point = try P256().publicPoint(of: rawScalar)
    self.rawScalar = rawScalar
    publicKey = P256PublicKey(computed: point)
    signer = Signer(point: point, scalar: rawScalar)
  }

  /// Signs with ECDSA and SHA-256 (RFC 7518, section 3.4).
  ///
  /// - Parameter message: What to sign; it is hashed here.
  /// - Returns: r and s, 32 bytes each. Two signatures of one message differ.
  /// - Throws: ``CryptoError/libraryFailed``.
  package func sign(_ message: Span<UInt8>) throws(CryptoError) -> [UInt8] {
    let key = try signer.key()
    guard let context = unsafe EVP_MD_CTX_new() else { throw .libraryFailed }
    defer { unsafe EVP_MD_CTX_free(context) }
    guard unsafe EVP_DigestSignInit(context, nil, EVP_sha256(), nil, key.pointer) == 1 else {
      throw .libraryFailed
    }
    var encoded = [UInt8](repeating: 0, count: ECDSASignature.maximumDERCount)
    var count = encoded.count
    let done = unsafe message.withUnsafeBufferPointer { message in
      unsafe EVP_DigestSign(context, &encoded, &count, message.baseAddress, message.count)
    }
    guard done == 1 else { throw .libraryFailed }
    return try ECDSASignature.raw(encoded.prefix(count))
  }
}

/// OpenSSL's form of a private key, made when it is first signed with and then kept.
///
/// To make it costs most of OpenSSL's start, and who only looks whether an account has a usable key
/// signs nothing.
private final class Signer: Sendable {
  private let point: [UInt8]
  private let scalar: Secret
  private let made = Mutex<EVPKey?>(nil)

  init(point: [UInt8], scalar: Secret) {
    self.point = point
    self.scalar = scalar
  }

  /// The key.
  ///
  /// - Throws: ``CryptoError/libraryFailed``.
  func key() throws(CryptoError) -> EVPKey {
    try made.withLock { made throws(CryptoError) in
      if let key = made { return key }
      let key = try EVPKey(point: point, scalar: scalar)
      made = key
      return key
    }
  }
}
