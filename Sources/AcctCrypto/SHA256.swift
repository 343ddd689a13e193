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
