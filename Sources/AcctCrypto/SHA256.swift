import COpenSSL

/// SHA-256 (FIPS 180-4).
package enum SHA256 {
  /// The number of bytes in a digest.
  package static let count = 32

  /// Hashes `message`.
  ///
  /// - Returns: The 32 bytes of its digest.
  package static func hash(_ message: Span<UInt8>) -> [UInt8] {
    var digest = [UInt8](repeating: 0, count: count)
    let done = unsafe message.withUnsafeBytes { message in
      unsafe EVP_Digest(message.baseAddress, message.count, &digest, nil, EVP_sha256(), nil)
    }
    // No input makes this fail; a libcrypto without SHA-256 could do nothing for acct.
    precondition(done == 1, "libcrypto has no SHA-256")
    return digest
  }
}
