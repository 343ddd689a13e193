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
    var context = SHA256_CTX()
    // The last block of the message is still in it.
    defer { unsafe OPENSSL_cleanse(&context, MemoryLayout<SHA256_CTX>.size) }
    let done = unsafe message.withUnsafeBytes { message in
      unsafe SHA256_Init(&context) == 1
        && SHA256_Update(&context, message.baseAddress, message.count) == 1
        && SHA256_Final(&digest, &context) == 1
    }
    precondition(done, "SHA-256 is arithmetic, which has no way to fail")
    return digest
  }
}
