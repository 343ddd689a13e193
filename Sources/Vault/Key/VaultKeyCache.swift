import AcctCrypto
import Secrets
import AcctPorts
import Glibc
import PrivateFiles
import Synchronization

/// The store for an opened vault key between two calls: the kernel, else this process.
///
/// The process itself is used only if the kernel refuses, so that one command asks for the
/// passphrase once and not at every step; the key ends with it.
package final class VaultKeyCache: Sendable {
  private let kernel: KernelKey
  /// The name of the key that was asked for last.
  private let last = Mutex<String?>(nil)
  private let remembered = Mutex<(name: String, key: CachedVaultKey)?>(nil)
  /// Why the kernel did not keep the last key.
  private let refusal = Mutex<FileError?>(nil)

  /// Why the kernel did not keep the last key, in words that follow a colon.
  package var refusalReason: String {
    let refusal = refusal.withLock(\.self)
    if refusal == .system(EDQUOT) { return "its quota of keys for this user is used up" }
    return refusal?.reason ?? "it gives no reason"
  }

  /// In seconds, from the last use on.
  static let time: UInt32 = 900

  /// The prefix of the names of all vaults' keys.
  private static let prefix = "acct:vault:"

  init(_ kernel: KernelKey) { self.kernel = kernel }

  /// The key of the vault with this header, if it is stored.
  func key(of header: VaultHeader) -> CachedVaultKey? { stored(name(of: header)) }

  /// A mark that is another one after the key that was asked for last was locked, or has expired; `nil` where
  /// the kernel does not keep it.
  var mark: ChangeMark? {
    last.withLock(\.self).flatMap(kernel.serial).map { ChangeMark(UInt64(UInt32(bitPattern: $0))) }
  }

  /// Restarts the time of the key that was asked for last; returns for how many seconds the kernel keeps it, `nil` if it
  /// does not.
  package func extendLast() -> Int? {
    last.withLock(\.self).flatMap { kernel.extend($0, Self.time) ? Int(Self.time) : nil }
  }

  /// Restarts the time of a stored key; returns for how many seconds the kernel keeps it.
  func extend(_ header: VaultHeader) -> Int? {
    kernel.extend(name(of: header), Self.time) ? Int(Self.time) : nil
  }

  /// Stores a key; returns for how many seconds the kernel keeps it, `nil` if it refuses.
  func keep(_ key: CachedVaultKey, of header: VaultHeader) -> Int? {
    keep(key, name(of: header)) ? Int(Self.time) : nil
  }

  /// Deletes a key; returns whether it is stored nowhere any more.
  package func forget(_ header: VaultHeader) -> Bool {
    remembered.withLock { $0 = nil }
    return kernel.forget(name(of: header))
  }

  /// The key of a shared keyring's epoch, if it is stored and a given secret can have opened it; its time restarts.
  func key(named suffix: String, openedBy given: Secret?) -> Secret? {
    let name = Self.prefix + suffix
    guard let cached = stored(name), given.map(cached.isPlausible) ?? true else { return nil }
    _ = kernel.extend(name, Self.time)
    return cached.vaultKey
  }

  /// Stores the key of a shared keyring's epoch.
  func keep(_ key: CachedVaultKey, named suffix: String) { _ = keep(key, Self.prefix + suffix) }

  /// Deletes such a key.
  func forget(named suffix: String) -> Bool {
    let name = Self.prefix + suffix
    remembered.withLock { if $0?.name == name { $0 = nil } }
    return kernel.forget(name)
  }

  /// Deletes the keys of all of the user's vaults; returns whether none is stored any more.
  func forgetAll() -> Bool {
    remembered.withLock { $0 = nil }
    return kernel.forgetAll(Self.prefix)
  }

  /// Deletes the keys in this process; those in the kernel stay.
  package func end() { remembered.withLock { $0 = nil } }

  private func stored(_ name: String) -> CachedVaultKey? {
    last.withLock { $0 = name }
    return kernel.read(name).flatMap(CachedVaultKey.init(payload:))
      ?? remembered.withLock { $0?.name == name ? $0?.key : nil }
  }

  /// Returns `false` if the kernel refuses, and this process keeps it.
  private func keep(_ key: CachedVaultKey, _ name: String) -> Bool {
    let error = kernel.keep(name, key.payload, Self.time)
    refusal.withLock { $0 = error }
    if error != nil { remembered.withLock { $0 = (name, key) } }
    return error == nil
  }

  private func name(of header: VaultHeader) -> String { "\(Self.prefix)\(header.fingerprint)" }
}

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

  /// `true` if a passphrase can be the one that opened it.
  func isPlausible(_ passphrase: Secret) -> Bool { Self.trace(vaultKey, passphrase) == trace }

  private static func trace(_ vaultKey: Secret, _ passphrase: Secret) -> [UInt8] {
    Secret(joining: [vaultKey, passphrase]).withBytes { Array(SHA256.hash($0).prefix(traceCount)) }
  }
}
