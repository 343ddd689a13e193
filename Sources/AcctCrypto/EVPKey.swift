import AcctModel
import COpenSSL

/// OpenSSL's own form of a P-256 key, ready to use as often as one likes.
///
/// It never changes after it was made, and OpenSSL allows a key that does not change to be used
/// from several threads at once (openssl-threads(7)); that is why it may be shared.
@safe final class EVPKey: Sendable {
  nonisolated(unsafe) let pointer: OpaquePointer

  /// Makes a key of an uncompressed point and, to sign with, its private scalar.
  init(point: [UInt8], scalar: Secret?) throws(CryptoError) {
    var point = point
    // OSSL_PARAM holds integers in the machine's byte order.
    var number: [UInt8] = []
    number.reserveCapacity(P256.coordinateCount)
    scalar?.withBytes { bytes in
      for index in bytes.indices {
        number.append(bytes[UInt16(1).bigEndian == 1 ? index : bytes.count - 1 - index])
      }
    }
    defer { wipe(&number) }
    guard let made = unsafe Self.make(point: &point, number: &number) else { throw .libraryFailed }
    unsafe pointer = made
  }

  deinit { unsafe EVP_PKEY_free(pointer) }

  private static func make(point: inout [UInt8], number: inout [UInt8]) -> OpaquePointer? {
    guard let context = unsafe EVP_PKEY_CTX_new_from_name(nil, "EC", nil) else { return nil }
    defer { unsafe EVP_PKEY_CTX_free(context) }
    guard unsafe EVP_PKEY_fromdata_init(context) == 1 else { return nil }
    let isPrivate = !number.isEmpty
    var key: OpaquePointer?
    // A parameter holds bare pointers, so all that it points to is pinned around the call.
    let done = unsafe point.withUnsafeMutableBytes { point in
      unsafe number.withUnsafeMutableBufferPointer { number in
        var parameters = unsafe [
          OSSL_PARAM_construct_utf8_string(
            COPENSSL_PARAM_GROUP_NAME,
            UnsafeMutablePointer(mutating: COPENSSL_GROUP_P256),
            0
          ),
          OSSL_PARAM_construct_octet_string(
            COPENSSL_PARAM_PUB_KEY,
            point.baseAddress,
            point.count
          ),
        ]
        if isPrivate {
          unsafe parameters.append(
            OSSL_PARAM_construct_BN(COPENSSL_PARAM_PRIV_KEY, number.baseAddress, number.count)
          )
        }
        unsafe parameters.append(OSSL_PARAM_construct_end())
        return unsafe EVP_PKEY_fromdata(
          context,
          &key,
          isPrivate ? COPENSSL_PKEY_KEYPAIR : COPENSSL_PKEY_PUBLIC_KEY,
          &parameters
        )
      }
    }
    return unsafe done == 1 ? key : nil
  }
}
