import COpenSSL
import Secrets

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

  /// `true` if the bytes are an uncompressed point of the curve.
  func contains(point bytes: [UInt8]) throws(CryptoError) -> Bool {
    defer { ERR_clear_error() }
    guard let point = unsafe EC_POINT_new(group) else { throw .libraryFailed }
    defer { unsafe EC_POINT_free(point) }
    return unsafe EC_POINT_oct2point(group, point, bytes, bytes.count, nil) == 1
  }
}
