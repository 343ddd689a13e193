import COpenSSL
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
    guard let curve = P256Curve.shared else { throw .libraryFailed }
    return try curve.sign(SHA256.hash(message), by: BigNumber(rawScalar)).raw
  }
}

/// A signature by ECDSA on P-256 in its two forms: r and s side by side, as JOSE has it (RFC 7518, section 3.4), and DER,
/// as OpenSSL has it (RFC 3279, section 2.2.3).
@safe struct ECDSASignature: ~Copyable {
  private let signature: OpaquePointer

  deinit { unsafe ECDSA_SIG_free(signature) }

  /// Takes a signature of OpenSSL's, and frees it at the end.
  init(taking signature: OpaquePointer) { unsafe self.signature = signature }

  /// Reads r and s, 32 bytes each; `nil` for any other number of bytes.
  init?(raw: [UInt8]) {
    let half = P256PrivateKey.coordinateCount
    guard raw.count == 2 * half, let signature = unsafe ECDSA_SIG_new() else { return nil }
    let (r, s) = unsafe (number(raw.span.extracting(..<half)), number(raw.span.extracting(half...)))
    guard unsafe ECDSA_SIG_set0(signature, r, s) == 1 else {
      unsafe BN_free(r)
      unsafe BN_free(s)
      unsafe ECDSA_SIG_free(signature)
      return nil
    }
    unsafe self.signature = signature
  }

  /// r and s, 32 bytes each.
  var raw: [UInt8] {
    let half = P256PrivateKey.coordinateCount
    var r = [UInt8](repeating: 0, count: half)
    var s = r
    unsafe BN_bn2binpad(ECDSA_SIG_get0_r(signature), &r, Int32(half))
    unsafe BN_bn2binpad(ECDSA_SIG_get0_s(signature), &s, Int32(half))
    return r + s
  }

  /// DER; empty if there is no memory for it.
  var der: [UInt8] {
    var start: UnsafeMutablePointer<UInt8>?
    let count = unsafe i2d_ECDSA_SIG(signature, &start)
    guard count > 0, let start = unsafe start else { return [] }
    defer { unsafe CRYPTO_free(start, nil, 0) }
    return unsafe Array(UnsafeBufferPointer(start: start, count: Int(count)))
  }
}

private func number(_ bytes: Span<UInt8>) -> OpaquePointer? {
  unsafe bytes.withUnsafeBufferPointer { unsafe BN_bin2bn($0.baseAddress, Int32(clamping: $0.count), nil) }
}

/// The context for SHA-256, HMAC and P-256, with settings of acct's own.
///
/// No configuration governs it, so that a proof costs no reading of files, and the same key signs on every machine. Its
/// generator of random numbers is a Hash_DRBG (NIST SP 800-90A): OpenSSL's usual one, of a cipher, would first list
/// every cipher there is. The generator is seeded by the kernel.
@safe struct ProofContext: @unchecked Sendable {
  let library: OpaquePointer

  /// The one of this process; `nil` without memory alone, since all of it is in the program itself.
  static let shared = ProofContext()

  private init?() {
    guard Library.isStarted, let library = unsafe OSSL_LIB_CTX_new(),
      unsafe RAND_set_DRBG_type(library, "HASH-DRBG", nil, nil, "SHA2-256") == 1
    else { return nil }
    unsafe self.library = library
  }
}
