package import AcctPorts
import Secrets
import CLinux
import Glibc

extension Confinement {
  /// The measures of this kernel: memfd_secret(2) and landlock(7).
  ///
  /// - Parameters:
  ///   - folders: acct's own.
  ///   - variable: Returns an environment variable.
  ///   - loading: Loads the libraries that every request needs, before their folder may be closed.
  /// - Returns: The port; nothing is in force yet.
  package static func live(
    _ folders: Folders,
    _ variable: @escaping @Sendable (_ name: String) -> String?,
    loading: @escaping @Sendable () -> Void
  ) -> Confinement {
    Confinement(
      begin: { fence in
        let hasSecretMemory = useSecretMemory()
        guard !fence.needsUnknownFiles else { return Measures(secretMemory: hasSecretMemory, fence: nil) }
        loading()
        let files = FencedFiles(folders, variable, fence)
        let version = files.flatMap { Landlock()?.close(all: $0, butFor: fence.place) }
        return Measures(secretMemory: hasSecretMemory, fence: version)
      },
      available: { Measures(secretMemory: isSecretMemoryThere(), fence: Landlock()?.version) }
    )
  }
}

/// In bytes; only the used part takes memory.
///
/// The first is within the usual limit (RLIMIT_MEMLOCK, 8 MiB), the last within that of older systems (64 KiB).
private let sizes = [4 << 20, 1 << 20, 256 << 10, 32 << 10]

/// Lets secrets lie in memory that no other process can read; returns whether there is any.
private func useSecretMemory() -> Bool {
  for size in sizes {
    guard let memory = unsafe acct_secret_memory(size) else { continue }
    unsafe SecretMemory.use(UnsafeMutableRawBufferPointer(start: memory, count: size))
    return true
  }
  return false
}

private func isSecretMemoryThere() -> Bool {
  let size = sizes[sizes.count - 1]
  guard let memory = unsafe acct_secret_memory(size) else { return false }
  unsafe munmap(memory, size)
  return true
}
