import AcctModel
package import AcctPorts
import Synchronization

/// Where an opened vault key is stored between two calls: in the kernel, else in this process.
///
/// The process itself is used only if the kernel refuses, so that one command asks for the
/// passphrase once and not at every step; the key ends with it.
package final class VaultKeyCache: Sendable {
  private let kernel: KernelKey
  /// The name of the key that was asked for last.
  private let last = Mutex<String?>(nil)
  private let remembered = Mutex<(name: String, key: CachedVaultKey)?>(nil)

  /// In seconds, from the last use on.
  static let time: UInt32 = 900

  /// What the names of all vaults' keys begin with.
  private static let prefix = "acct:vault:"

  init(_ kernel: KernelKey) { self.kernel = kernel }

  /// The key of the vault with this header, if it is stored.
  func key(of header: VaultHeader) -> CachedVaultKey? {
    let name = name(of: header)
    last.withLock { $0 = name }
    if let cached = kernel.read(name).flatMap(CachedVaultKey.init(payload:)) { return cached }
    return remembered.withLock { $0?.name == name ? $0?.key : nil }
  }

  /// A mark that is another one after the key that was asked for last was locked, or has expired; `nil` where
  /// the kernel does not keep it.
  package var mark: ChangeMark? {
    last.withLock(\.self).flatMap(kernel.serial).map { ChangeMark(UInt64(UInt32(bitPattern: $0))) }
  }

  /// Restarts the time of a stored key; returns for how many seconds the kernel keeps it.
  package func extend(_ header: VaultHeader) -> Int? {
    kernel.extend(name(of: header), Self.time) ? Int(Self.time) : nil
  }

  /// Stores a key; returns for how many seconds the kernel keeps it, `nil` if it refuses.
  func keep(_ key: CachedVaultKey, of header: VaultHeader) -> Int? {
    let name = name(of: header)
    if kernel.keep(name, key.payload, Self.time) { return Int(Self.time) }
    remembered.withLock { $0 = (name, key) }
    return nil
  }

  /// Deletes a key; returns whether it is stored nowhere any more.
  package func forget(_ header: VaultHeader) -> Bool {
    remembered.withLock { $0 = nil }
    return kernel.forget(name(of: header))
  }

  /// Deletes the keys of all of the user's vaults; returns whether none is stored any more.
  package func forgetAll() -> Bool {
    remembered.withLock { $0 = nil }
    return kernel.forgetAll(Self.prefix)
  }

  /// Deletes the keys in this process; those in the kernel stay.
  package func end() { remembered.withLock { $0 = nil } }

  private func name(of header: VaultHeader) -> String { "\(Self.prefix)\(header.fingerprint)" }
}
