package import Secrets
import COpenSSL
import Crypto

/// SHA-256 (FIPS 180-4).
package enum SHA256 {
  /// The number of bytes in a digest.
  package static let count = 32

  /// Hashes `message`.
  ///
  /// - Returns: The 32 bytes of its digest.
  package static func hash(_ message: Span<UInt8>) -> [UInt8] { Array(digest(of: message)) }

  /// Hashes `message`, for a signature.
  static func digest(of message: Span<UInt8>) -> Crypto.SHA256.Digest {
    var hash = Crypto.SHA256()
    unsafe message.withUnsafeBytes { unsafe hash.update(bufferPointer: $0) }
    return hash.finalize()
  }
}

/// HMAC with SHA-256 (RFC 2104): a keyed digest, and a key derived for one purpose.
package enum HMACSHA256 {
  /// The digest of `message` under a key.
  ///
  /// - Returns: 32 bytes.
  package static func code(_ message: Span<UInt8>, key: Secret) -> [UInt8] {
    key.withBytes { key in
      unsafe key.withUnsafeBytes { key in
        var hmac = unsafe HMAC<Crypto.SHA256>(key: SymmetricKey(data: key))
        unsafe message.withUnsafeBytes { unsafe hmac.update(data: $0) }
        return Array(hmac.finalize())
      }
    }
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
