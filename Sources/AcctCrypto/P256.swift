import AcctModel
import COpenSSL

/// The arithmetic of the curve P-256 (FIPS 186-4, D.1.2.3) that keys are checked with.
///
/// It lives only while a key is being made: OpenSSL's key objects sign and verify without it.
@safe struct P256: ~Copyable {
  static let coordinateCount = 32

  private let group: OpaquePointer

  init() throws(CryptoError) {
    guard usesKernelRandomness else { throw .libraryFailed }
    guard let group = unsafe EC_GROUP_new_by_curve_name(NID_X9_62_prime256v1) else {
      throw .libraryFailed
    }
    unsafe self.group = group
  }

  deinit { unsafe EC_GROUP_free(group) }

  /// Draws a scalar.
  func randomScalar() throws(CryptoError) -> Secret {
    guard let number = unsafe BN_secure_new() else { throw .libraryFailed }
    defer { unsafe BN_clear_free(number) }
    guard unsafe BN_priv_rand_range(number, EC_GROUP_get0_order(group)) == 1 else {
      throw .libraryFailed
    }
    var bytes = [UInt8](repeating: 0, count: Self.coordinateCount)
    defer { wipe(&bytes) }
    guard unsafe BN_bn2binpad(number, &bytes, Int32(bytes.count)) == bytes.count else {
      throw .libraryFailed
    }
    return Secret(consuming: &bytes)
  }

  /// Multiplies the generator by a private scalar, in constant time.
  ///
  /// - Returns: The uncompressed point, 65 bytes (SEC 1, section 2.3.3).
  /// - Throws: ``CryptoError/wrongLength``, ``CryptoError/scalarOutOfRange`` unless 0 < d < n, or
  ///   ``CryptoError/libraryFailed``.
  func publicPoint(of scalar: Secret) throws(CryptoError) -> [UInt8] {
    guard scalar.count == Self.coordinateCount else { throw .wrongLength }
    guard let number = unsafe BN_secure_new() else { throw .libraryFailed }
    defer { unsafe BN_clear_free(number) }
    unsafe BN_set_flags(number, BN_FLG_CONSTTIME)
    let isRead = scalar.withBytes { bytes in
      unsafe bytes.withUnsafeBufferPointer { bytes in
        unsafe BN_bin2bn(bytes.baseAddress, Int32(bytes.count), number) != nil
      }
    }
    guard isRead else { throw .libraryFailed }
    guard unsafe BN_is_zero(number) == 0, unsafe BN_cmp(number, EC_GROUP_get0_order(group)) < 0
    else { throw .scalarOutOfRange }

    guard let point = unsafe EC_POINT_new(group) else { throw .libraryFailed }
    defer { unsafe EC_POINT_free(point) }
    guard unsafe EC_POINT_mul(group, point, number, nil, nil, nil) == 1 else {
      throw .libraryFailed
    }
    var bytes = [UInt8](repeating: 0, count: 1 + 2 * Self.coordinateCount)
    guard
      unsafe EC_POINT_point2oct(
        group,
        point,
        POINT_CONVERSION_UNCOMPRESSED,
        &bytes,
        bytes.count,
        nil
      ) == bytes.count
    else { throw .libraryFailed }
    return bytes
  }

  /// Whether an uncompressed point lies on the curve; the cofactor is 1, so that is all.
  func contains(_ point: [UInt8]) throws(CryptoError) -> Bool {
    guard let parsed = unsafe EC_POINT_new(group) else { throw .libraryFailed }
    defer { unsafe EC_POINT_free(parsed) }
    return unsafe EC_POINT_oct2point(group, parsed, point, point.count, nil) == 1
  }
}

/// Whether keys and the numbers in signatures are drawn from the kernel, as they must be.
///
/// OpenSSL's own generator is seeded from there as well, and takes a third of the time of a first
/// signature to set up.
private let usesKernelRandomness = copenssl_use_kernel_randomness() == 1
