import AcctModel
import AcctPorts
import AcctEngine

/// Protects the secrets of a proxy, and the user's files from it, as far as the kernel can.
struct ProtectProxy: Sendable {
  private let context: EngineContext

  init(_ context: EngineContext) { self.context = context }

  /// The protection that is in force.
  struct Protection: Sendable {
    /// `true` if no other process can read the secrets.
    let hidesSecrets: Bool
    /// The reason why the proxy can open all files, though the kernel has a fence.
    let obstacle: ProxyFence.Obstacle?
  }

  /// Begins the protection, until the process ends; measures that the kernel does not support are left out.
  ///
  /// - Parameters:
  ///   - place: The address at which it will listen.
  ///   - accounts: The accounts that requests are made as.
  /// - Returns: The measures that are in force.
  func begin(at place: LocalPlace, for accounts: [Account]) -> Protection {
    let fence = ProxyFence(for: accounts, context)
    let confinement = context.world.confinement
    let measures = confinement.begin(
      .init(place: place, tokenFiles: fence.tokenFiles, needsUnknownFiles: fence.obstacle != nil)
    )
    var obstacle: ProxyFence.Obstacle?
    if measures.fence == nil, confinement.available()?.fence != nil {
      obstacle = fence.obstacle ?? (fence.tokenFiles.isEmpty ? nil : .tokenFile(fence.tokenFiles))
    }
    return Protection(hidesSecrets: measures.secretMemory, obstacle: obstacle)
  }
}
