import AcctModel
import COpenSSL

/// A P-256 key in OpenSSL's own form, checked when it was made.
///
/// It never changes after that, and what does not change may be used from several threads at once
/// (openssl-threads(7)); that is why it may be shared.
@safe final class ECKey: Sendable {
  private nonisolated(unsafe) let pointer: OpaquePointer

  /// Makes a key pair of a private scalar, and computes its point in constant time.
  ///
  /// - Throws: ``CryptoError/wrongLength``, ``CryptoError/scalarOutOfRange`` unless 0 < d < n, or
  ///   ``CryptoError/libraryFailed``.
  init(scalar: Secret) throws(CryptoError) {
    guard scalar.count == P256.coordinateCount else { throw .wrongLength }
    try unsafe pointer = Self.empty()
    guard let number = unsafe BN_secure_new() else { throw .libraryFailed }
    defer { unsafe BN_clear_free(number) }
    unsafe BN_set_flags(number, BN_FLG_CONSTTIME)
    let isRead = scalar.withBytes { bytes in
      unsafe bytes.withUnsafeBufferPointer { bytes in
        unsafe BN_bin2bn(bytes.baseAddress, Int32(bytes.count), number) != nil
      }
    }
    guard isRead else { throw .libraryFailed }
    let group = unsafe EC_KEY_get0_group(pointer)
    guard unsafe BN_is_zero(number) == 0, unsafe BN_cmp(number, EC_GROUP_get0_order(group)) < 0
    else { throw .scalarOutOfRange }

    guard let point = unsafe EC_POINT_new(group) else { throw .libraryFailed }
    defer { unsafe EC_POINT_free(point) }
    guard unsafe EC_POINT_mul(group, point, number, nil, nil, nil) == 1,
      unsafe EC_KEY_set_private_key(pointer, number) == 1,
      unsafe EC_KEY_set_public_key(pointer, point) == 1
    else { throw .libraryFailed }
  }

  /// Makes a public key of an uncompressed point.
  ///
  /// - Throws: ``CryptoError/notOnCurve``; the cofactor is 1, so a point of the curve is all that
  ///   it has to be. ``CryptoError/libraryFailed``.
  init(point bytes: [UInt8]) throws(CryptoError) {
    try unsafe pointer = Self.empty()
    let group = unsafe EC_KEY_get0_group(pointer)
    guard let point = unsafe EC_POINT_new(group) else { throw .libraryFailed }
    defer { unsafe EC_POINT_free(point) }
    guard unsafe EC_POINT_oct2point(group, point, bytes, bytes.count, nil) == 1 else {
      throw .notOnCurve
    }
    guard unsafe EC_KEY_set_public_key(pointer, point) == 1 else { throw .libraryFailed }
  }

  deinit { unsafe EC_KEY_free(pointer) }

  private static func empty() throws(CryptoError) -> OpaquePointer {
    guard Library.isStarted, let key = unsafe EC_KEY_new_by_curve_name(NID_X9_62_prime256v1) else {
      throw .libraryFailed
    }
    return unsafe key
  }

  /// Draws a scalar that a key can be made of.
  static func randomScalar() throws(CryptoError) -> Secret {
    let curve = try unsafe empty()
    defer { unsafe EC_KEY_free(curve) }
    guard let number = unsafe BN_secure_new() else { throw .libraryFailed }
    defer { unsafe BN_clear_free(number) }
    var bytes = [UInt8](repeating: 0, count: P256.coordinateCount)
    defer { wipe(&bytes) }
    guard unsafe BN_priv_rand_range(number, EC_GROUP_get0_order(EC_KEY_get0_group(curve))) == 1,
      unsafe BN_bn2binpad(number, &bytes, Int32(bytes.count)) == bytes.count
    else { throw .libraryFailed }
    return Secret(consuming: &bytes)
  }

  /// The uncompressed point.
  func point() throws(CryptoError) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: P256.pointCount)
    let written = unsafe EC_POINT_point2oct(
      EC_KEY_get0_group(pointer),
      EC_KEY_get0_public_key(pointer),
      POINT_CONVERSION_UNCOMPRESSED,
      &bytes,
      bytes.count,
      nil
    )
    guard written == bytes.count else { throw .libraryFailed }
    return bytes
  }

  /// Signs a digest.
  ///
  /// The nonce is drawn beforehand, from the kernel alone: left to itself, OpenSSL mixes in the key
  /// and the digest by SHA-512, and has to list all algorithms of its providers to find that.
  func sign(_ digest: [UInt8]) throws(CryptoError) -> ECDSASignature {
    var (inverse, r): (OpaquePointer?, OpaquePointer?) = (nil, nil)
    defer {
      unsafe BN_clear_free(inverse)
      unsafe BN_clear_free(r)
    }
    guard unsafe ECDSA_sign_setup(pointer, nil, &inverse, &r) == 1 else { throw .libraryFailed }
    return try unsafe ECDSASignature(
      owning: ECDSA_do_sign_ex(digest, Int32(digest.count), inverse, r, pointer)
    )
  }

  /// Whether a signature is one of this digest by this key.
  func isValid(_ signature: borrowing ECDSASignature, of digest: [UInt8]) -> Bool {
    unsafe ECDSA_do_verify(digest, Int32(digest.count), signature.pointer, pointer) == 1
  }
}
