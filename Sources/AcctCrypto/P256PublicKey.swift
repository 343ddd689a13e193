import COpenSSL
import Secrets

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

/// A number of a private key as OpenSSL holds it; wiped at its end.
@safe final class BigNumber {
  let pointer: OpaquePointer

  init(_ number: Secret) throws(CryptoError) {
    // A copy of such a number is wiped with the parameters that it stands in; that of any other is not.
    guard let pointer = unsafe BN_secure_new() else { throw .libraryFailed }
    unsafe self.pointer = pointer
    // What it is multiplied by does not tell it by the time that takes.
    unsafe BN_set_flags(pointer, BN_FLG_CONSTTIME)
    let isRead = number.withBytes { bytes in
      unsafe bytes.withUnsafeBufferPointer { bytes in
        unsafe BN_bin2bn(bytes.baseAddress, Int32(clamping: bytes.count), pointer) != nil
      }
    }
    guard isRead else { throw .libraryFailed }
  }

  deinit { unsafe BN_clear_free(pointer) }
}

/// The curve P-256, for the points that EVP does not compute.
@safe struct P256Curve: @unchecked Sendable {
  private let group: OpaquePointer
  private let library: OpaquePointer

  /// The one of this process, in the context of proofs; `nil` without memory.
  static let shared = P256Curve()

  private init?() {
    guard let context = ProofContext.shared,
      let group = unsafe EC_GROUP_new_by_curve_name_ex(context.library, nil, NID_X9_62_prime256v1)
    else { return nil }
    unsafe self.group = group
    unsafe library = context.library
  }

  /// `true` if a private scalar d is in the range 0 < d < n.
  func contains(scalar: BigNumber) -> Bool {
    unsafe BN_is_zero(scalar.pointer) == 0 && BN_cmp(scalar.pointer, EC_GROUP_get0_order(group)) < 0
  }

  /// The public point that a private scalar in range yields, uncompressed (SEC 1, section 2.3.3).
  ///
  /// - Throws: ``CryptoError/libraryFailed``.
  func point(of scalar: BigNumber) throws(CryptoError) -> [UInt8] {
    defer { ERR_clear_error() }
    guard let point = unsafe EC_POINT_new(group) else { throw .libraryFailed }
    defer { unsafe EC_POINT_free(point) }
    guard let room = unsafe BN_CTX_secure_new_ex(library) else { throw .libraryFailed }
    defer { unsafe BN_CTX_free(room) }
    var bytes = [UInt8](repeating: 0, count: P256PublicKey.pointCount)
    guard unsafe EC_POINT_mul(group, point, scalar.pointer, nil, nil, room) == 1,
      unsafe EC_POINT_point2oct(group, point, POINT_CONVERSION_UNCOMPRESSED, &bytes, bytes.count, nil) == bytes.count
    else { throw .libraryFailed }
    return bytes
  }

  /// Signs a digest by ECDSA with a private scalar in range.
  ///
  /// - Throws: ``CryptoError/libraryFailed``.
  func sign(_ digest: [UInt8], by scalar: BigNumber) throws(CryptoError) -> ECDSASignature {
    defer { ERR_clear_error() }
    guard
      let signature = unsafe acct_ecdsa_sign(library, group, scalar.pointer, digest, Int32(clamping: digest.count))
    else { throw .libraryFailed }
    return unsafe ECDSASignature(taking: signature)
  }

  /// `true` if the bytes are an uncompressed point of the curve.
  func contains(point bytes: [UInt8]) throws(CryptoError) -> Bool {
    defer { ERR_clear_error() }
    guard let point = unsafe EC_POINT_new(group) else { throw .libraryFailed }
    defer { unsafe EC_POINT_free(point) }
    return unsafe EC_POINT_oct2point(group, point, bytes, bytes.count, nil) == 1
  }
}
