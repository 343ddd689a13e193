package import Secrets
import COpenSSL

/// The scrypt key derivation function (RFC 7914).
package enum Scrypt {
  /// The most memory that parameters may ask for, in bytes.
  ///
  /// They come from a file, and a modified file must not exhaust the machine.
  package static let memoryLimit: UInt64 = 1 << 30

  /// Derives a key from a passphrase.
  ///
  /// - Parameters:
  ///   - passphrase: The passphrase, in bytes.
  ///   - salt: Random bytes, stored beside the protected data.
  ///   - n: The cost of time and memory: a power of 2, greater than 1.
  ///   - r: The block size; memory is about `128 * n * r` bytes.
  ///   - p: The parallelization; time grows with it.
  ///   - length: The number of bytes wanted.
  /// - Returns: The key.
  /// - Throws: ``CryptoError/unsuitableParameters``, ``CryptoError/notConfigured`` or
  ///   ``CryptoError/libraryFailed``.
  package static func deriveKey(
    passphrase: Secret,
    salt: [UInt8],
    n: UInt64,
    r: UInt64,
    p: UInt64,
    length: Int
  ) throws(CryptoError) -> Secret {
    guard let memory = memory(n: n, r: r, p: p), length > 0 else { throw .unsuitableParameters }
    guard Library.isConfigured else { throw .notConfigured }
    var key = [UInt8](repeating: 0, count: length)
    defer { wipe(&key) }
    let done = passphrase.withBytes { passphrase in
      unsafe passphrase.withUnsafeBytes { passphrase in
        unsafe EVP_PBE_scrypt(passphrase.baseAddress, passphrase.count, salt, salt.count, n, r, p, memory, &key, length)
      }
    }
    guard done == 1 else { throw .libraryFailed }
    return Secret(consuming: &key)
  }

  /// Derives the key that a passphrase stands for in a file that says its parameters.
  ///
  /// - Parameters:
  ///   - passphrase: The passphrase, in bytes.
  ///   - salt: The file's random bytes.
  ///   - parameters: The cost of the key.
  /// - Returns: A key for ``AESGCM``.
  /// - Throws: As ``deriveKey(passphrase:salt:n:r:p:length:)``.
  package static func deriveKey(
    passphrase: Secret,
    salt: [UInt8],
    parameters: KDFParameters
  ) throws(CryptoError) -> Secret {
    try deriveKey(
      passphrase: passphrase,
      salt: salt,
      n: parameters.n,
      r: parameters.r,
      p: parameters.p,
      length: AESGCM.keyCount
    )
  }

  /// The memory that OpenSSL will allocate, in bytes, or `nil` for parameters that cannot be used.
  private static func memory(n: UInt64, r: UInt64, p: UInt64) -> UInt64? {
    // Each below 2^31 keeps the products within 64 bits.
    guard n > 1, n & (n - 1) == 0, n < 1 << 31, (1..<1 << 24).contains(r), (1..<1 << 24).contains(p), r * p < 1 << 30
    else { return nil }
    let needed = 128 * r * (n + 2 + p)
    return needed <= memoryLimit ? needed : nil
  }
}

/// The cost of one guess at a passphrase with scrypt (RFC 7914).
package struct KDFParameters: Equatable, Sendable {
  /// The cost of time and memory, a power of 2; memory is `128 * n * r` bytes.
  package let n: UInt64
  /// The block size.
  package let r: UInt64
  /// The parallelization; time grows with it.
  package let p: UInt64

  /// Creates parameters, or `nil` for those that scrypt does not define or that no file of ours asks for.
  ///
  /// They are read from a file, and a modified file must not block or exhaust the machine: at most
  /// 256 MiB, and about twenty times the work of ``standard``.
  package init?(n: UInt64, r: UInt64, p: UInt64) {
    guard (2...1 << 20).contains(n), n & (n - 1) == 0, (1...32).contains(r), (1...32).contains(p),
      n * r <= 1 << 21, n * r * p <= 1 << 24
    else { return nil }
    self.init(checked: n, r, p)
  }

  private init(checked n: UInt64, _ r: UInt64, _ p: UInt64) {
    self.n = n
    self.r = r
    self.p = p
  }

  /// 32 MiB and a fifth of a second: one of the settings that OWASP's cheat sheet on password
  /// storage holds equal, chosen for the machines with little memory among the servers acct runs on.
  package static let standard = KDFParameters(checked: 1 << 15, 8, 3)

  /// 128 MiB and half a second: the first of the same settings, for a file that leaves the machine
  /// and is open to guessing wherever it is found.
  package static let travelling = KDFParameters(checked: 1 << 17, 8, 1)
}
