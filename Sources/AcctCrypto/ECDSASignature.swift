import COpenSSL

/// The two spellings of a P-256 signature: OpenSSL's DER, and JOSE's r and s side by side.
enum ECDSASignature {
  /// The bytes of r and s, 32 each (RFC 7518, section 3.4).
  static let rawCount = 64
  /// A sequence of two integers of up to 33 bytes, with two bytes before each.
  static let maximumDERCount = 72

  /// Rewrites DER as r and s.
  static func raw(_ encoded: ArraySlice<UInt8>) throws(CryptoError) -> [UInt8] {
    let signature = unsafe encoded.withUnsafeBufferPointer { buffer in
      var next = buffer.baseAddress
      return unsafe d2i_ECDSA_SIG(nil, &next, buffer.count)
    }
    guard let signature = unsafe signature else { throw .libraryFailed }
    defer { unsafe ECDSA_SIG_free(signature) }
    var (r, s) = ([UInt8](repeating: 0, count: 32), [UInt8](repeating: 0, count: 32))
    guard unsafe BN_bn2binpad(ECDSA_SIG_get0_r(signature), &r, 32) == 32,
      unsafe BN_bn2binpad(ECDSA_SIG_get0_s(signature), &s, 32) == 32
    else { throw .libraryFailed }
    return r + s
  }

  /// Rewrites r and s as DER.
  static func derEncoded(_ raw: [UInt8]) throws(CryptoError) -> [UInt8] {
    guard let signature = unsafe ECDSA_SIG_new() else { throw .libraryFailed }
    defer { unsafe ECDSA_SIG_free(signature) }
    let (r, s) = unsafe (
      BN_bin2bn(Array(raw[..<32]), 32, nil), BN_bin2bn(Array(raw[32...]), 32, nil)
    )
    // On success the signature owns both numbers; before that, nobody else does.
    guard unsafe ECDSA_SIG_set0(signature, r, s) == 1 else {
      unsafe BN_free(r)
      unsafe BN_free(s)
      throw .libraryFailed
    }
    var encoded = [UInt8](repeating: 0, count: maximumDERCount)
    let count = unsafe encoded.withUnsafeMutableBufferPointer { buffer in
      var next = buffer.baseAddress
      return unsafe i2d_ECDSA_SIG(signature, &next)
    }
    guard count > 0 else { throw .libraryFailed }
    return Array(encoded.prefix(Int(count)))
  }
}
