import AcctModel
import AcctPorts
import PrivateFiles

/// Locks across this user's processes: modules of one token in two processes disturb each other.
struct TokenLocks: Sendable {
  let folder: PrivateFolder
  /// Takes the lock of a module, for a moment.
  func module(_ path: String, _ patience: DeviceTimeout) async throws(HardwareKeyFailure) -> FolderLock {
    try await lock("module-\(fingerprint(path))", patience)
  }

  /// Takes the lock of a token, for as long as a person needs to touch it.
  func token(_ token: Token, _ patience: DeviceTimeout) async throws(HardwareKeyFailure) -> FolderLock {
    let parts = [token.manufacturer, token.model, token.serial, token.label]
    return try await lock("token-\(fingerprint(parts.joined(separator: "\n")))", patience)
  }

  private func lock(_ name: String, _ patience: DeviceTimeout) async throws(HardwareKeyFailure) -> FolderLock {
    do throws(PrivateFilesError) {
      return try await folder.lock(name, seconds: Self.seconds(patience))
    } catch {
      switch error {
      case .busy where Task.isCancelled: throw .cancelled
      case .busy: throw .busy
      case .failed(let path, let reason), .unsafe(let path, let reason):
        throw .failed(reason: "the lock \(path): \(reason)")
      }
    }
  }

  private static func seconds(_ patience: DeviceTimeout) -> Int {
    switch patience {
    // Longer than a touch is waited for.
    case .full: 150
    case .brief: 3
    }
  }
}

/// FNV-1a with 64 bits, as a file's name: two tokens that got the same would only wait for each other.
private func fingerprint(_ text: String) -> String {
  let hash = text.utf8.reduce(0xcbf2_9ce4_8422_2325 as UInt64) { hash, byte in
    (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01b3
  }
  return String(hash, radix: 16)
}
