import COpenSSL
package import Secrets

/// SHA-256 (FIPS 180-4).
package enum SHA256 {
  /// The number of bytes in a digest.
  package static let count = 32

  /// Looked up once; `nil` without memory.
  nonisolated(unsafe) private static let algorithm = unsafe ProofContext.shared.flatMap { context in
    unsafe EVP_MD_fetch(context.library, "SHA2-256", nil)
  }

  /// Hashes `message`.
  ///
  /// - Returns: The 32 bytes of its digest.
  package static func hash(_ message: Span<UInt8>) -> [UInt8] {
    var digest = [UInt8](repeating: 0, count: count)
    let done = unsafe message.withUnsafeBytes { message in
      unsafe EVP_Digest(message.baseAddress, message.count, &digest, nil, algorithm, nil)
    }
    precondition(done == 1, "there is no memory for a digest")
    return digest
  }
}

/// HMAC with SHA-256 (RFC 2104): a keyed digest, and a key derived for one purpose.
package enum HMACSHA256 {
  /// The digest of `message` under a key.
  ///
  /// - Returns: 32 bytes.
  package static func code(_ message: Span<UInt8>, key: Secret) -> [UInt8] {
    var code = [UInt8](repeating: 0, count: SHA256.count)
    var count = 0
    let library = unsafe ProofContext.shared?.library
    let done = key.withBytes { key in
      unsafe library != nil
        && key.withUnsafeBytes { key in
          unsafe message.withUnsafeBytes { message in
            unsafe EVP_Q_mac(
              library,
              "HMAC",
              nil,
              "SHA2-256",
              nil,
              key.baseAddress,
              key.count,
              message.baseAddress,
              message.count,
              &code,
              code.count,
              &count
            ) != nil
          }
        }
    }
    precondition(done && count == code.count, "there is no memory for a keyed digest")
    return code
  }

  /// A key for one purpose, of which the key itself cannot be found again.
  ///
  /// - Parameters:
  ///   - label: The purpose; another one gives an unrelated key.
  ///   - key: The key that it is derived of.
  /// - Returns: 32 bytes.
  package static func derivedKey(_ label: String, from key: Secret) -> Secret {
    var bytes = code(label.utf8Span.span, key: key)
    return Secret(consuming: &bytes)
  }
}

/// Comparison in time that depends on the lengths alone.
package enum ConstantTime {
  /// `true` if both are the same bytes; the time of the comparison does not tell where they differ.
  package static func equal(_ left: Span<UInt8>, _ right: Span<UInt8>) -> Bool {
    guard left.count == right.count else { return false }
    return unsafe left.withUnsafeBytes { left in
      unsafe right.withUnsafeBytes { right in
        unsafe left.isEmpty || CRYPTO_memcmp(left.baseAddress, right.baseAddress, left.count) == 0
      }
    }
  }
}
