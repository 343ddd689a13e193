package import AcctModel
import Crypto

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
