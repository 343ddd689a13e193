/// What one guess at a passphrase costs with scrypt (RFC 7914).
package struct KDFParameters: Equatable, Sendable {
  /// The cost of time and memory, a power of 2; memory is `128 * n * r` bytes.
  package let n: UInt64
  /// The block size.
  package let r: UInt64
  /// The parallelization; time grows with it.
  package let p: UInt64

  /// Creates parameters, or `nil` for what scrypt does not define or no file of ours asks for.
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
