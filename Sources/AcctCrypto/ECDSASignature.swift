import COpenSSL

/// A signature by ECDSA on P-256 in its two forms: r and s side by side, as JOSE has it (RFC 7518, section 3.4), and DER,
/// as OpenSSL has it (RFC 3279, section 2.2.3).
@safe struct ECDSASignature: ~Copyable {
  private let signature: OpaquePointer

  deinit { unsafe ECDSA_SIG_free(signature) }

  /// Reads DER.
  ///
  /// - Throws: ``CryptoError/libraryFailed``.
  init(der: [UInt8]) throws(CryptoError) {
    defer { ERR_clear_error() }
    let signature = unsafe der.withUnsafeBufferPointer { der in
      var next = der.baseAddress
      return unsafe d2i_ECDSA_SIG(nil, &next, der.count)
    }
    guard let signature = unsafe signature else { throw .libraryFailed }
    unsafe self.signature = signature
  }

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
