import COpenSSL

/// Comparison in time that depends on the lengths alone.
package enum ConstantTime {
  /// Whether both are the same bytes; how long the answer takes does not tell where they differ.
  package static func equal(_ left: Span<UInt8>, _ right: Span<UInt8>) -> Bool {
    guard left.count == right.count else { return false }
    return unsafe left.withUnsafeBytes { left in
      unsafe right.withUnsafeBytes { right in
        unsafe left.isEmpty || CRYPTO_memcmp(left.baseAddress, right.baseAddress, left.count) == 0
      }
    }
  }
}
