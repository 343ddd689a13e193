import AcctCrypto
import AcctModel

/// A vault key as it is stored, with a trace of the passphrase that opened it.
///
/// A wrong passphrase must not open the vault because the key is still stored from before. So a
/// trace is stored with it: two bytes of a digest of key and passphrase. A wrong passphrase passes
/// once in 65,536 times, and then for minutes at most. A whole digest would always detect one, but
/// would let an attacker try passphrases at the speed of SHA-256 instead of scrypt's; two bytes fit
/// so many passphrases that they reveal none.
struct CachedVaultKey {
  let vaultKey: Secret
  private let trace: [UInt8]

  private static let traceCount = 2

  /// A vault key that was just opened by `passphrase`.
  init(_ vaultKey: Secret, openedBy passphrase: Secret) {
    self.vaultKey = vaultKey
    trace = Self.trace(vaultKey, passphrase)
  }

  /// The key that ``payload`` was made of, or `nil` if these bytes are nothing of the kind.
  init?(payload: Secret) {
    guard payload.count == AESGCM.keyCount + Self.traceCount else { return nil }
    vaultKey = payload.withBytes { Secret($0.extracting(first: AESGCM.keyCount)) }
    trace = payload.withBytes { bytes in (AESGCM.keyCount..<bytes.count).map { bytes[$0] } }
  }

  /// The bytes that the kernel keeps.
  var payload: Secret { Secret(joining: [vaultKey, Secret(trace)]) }

  /// Whether a passphrase can be the one that opened it.
  func isPlausible(_ passphrase: Secret) -> Bool { Self.trace(vaultKey, passphrase) == trace }

  private static func trace(_ vaultKey: Secret, _ passphrase: Secret) -> [UInt8] {
    Secret(joining: [vaultKey, passphrase]).withBytes { Array(SHA256.hash($0).prefix(traceCount)) }
  }
}
