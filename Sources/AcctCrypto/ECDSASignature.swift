import COpenSSL

/// An ECDSA signature in OpenSSL's form, and in JOSE's: r and s side by side.
@safe struct ECDSASignature: ~Copyable {
  /// The bytes of r and s, 32 each (RFC 7518, section 3.4).
  static let rawCount = 2 * P256.coordinateCount

  let pointer: OpaquePointer

  /// Takes over what OpenSSL made.
  init(owning pointer: OpaquePointer?) throws(CryptoError) {
    guard let pointer = unsafe pointer else { throw .libraryFailed }
    unsafe self.pointer = pointer
  }

  /// Reads r and s, ``rawCount`` bytes.
  static func of(raw: [UInt8]) throws(CryptoError) -> ECDSASignature {
    let signature = try unsafe ECDSASignature(owning: ECDSA_SIG_new())
    let count = P256.coordinateCount
    let (r, s) = unsafe (
      BN_bin2bn(Array(raw[..<count]), Int32(count), nil),
      BN_bin2bn(Array(raw[count...]), Int32(count), nil)
    )
    // On success the signature owns both numbers; before that, they have no owner.
    guard unsafe ECDSA_SIG_set0(signature.pointer, r, s) == 1 else {
      unsafe BN_free(r)
      unsafe BN_free(s)
      throw .libraryFailed
    }
    return signature
  }

  deinit { unsafe ECDSA_SIG_free(pointer) }

  /// Writes r and s, with their leading zeros.
  func raw() throws(CryptoError) -> [UInt8] {
    let count = P256.coordinateCount
    var (r, s) = ([UInt8](repeating: 0, count: count), [UInt8](repeating: 0, count: count))
    guard unsafe BN_bn2binpad(ECDSA_SIG_get0_r(pointer), &r, Int32(count)) == count,
      unsafe BN_bn2binpad(ECDSA_SIG_get0_s(pointer), &s, Int32(count)) == count
    else { throw .libraryFailed }
    return r + s
  }
}
