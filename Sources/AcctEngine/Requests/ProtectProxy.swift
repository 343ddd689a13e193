package import AcctModel
package import AcctPorts

/// Protects the secrets of a proxy, and the user's files from it, as far as the kernel can.
package struct ProtectProxy: Sendable {
  private let context: EngineContext

  package init(_ context: EngineContext) { self.context = context }

  /// Begins, for as long as the process runs; what the kernel does not have is left out.
  ///
  /// - Parameters:
  ///   - place: Where it will listen.
  ///   - accounts: Those that requests are made as.
  /// - Returns: Whether no other process can read the secrets.
  package func begin(at place: LocalPlace, for accounts: [Account]) -> Bool {
    // A token's module reads files of its own.
    let loadsModule = accounts.contains { $0.keyStorage == .pkcs11 }
    return context.world.confinement.begin(
      .init(place: place, needsUnknownFiles: loadsModule || usesEngine)
    ).secretMemory
  }

  /// Whether libraries will read files by settings of their own: the engine of a shared keyring is reached with
  /// certificates that libpq looks for.
  private var usesEngine: Bool {
    do throws(EngineError) {
      return try KeyringChoice(context.world).chosen()?.isShared ?? false
    } catch {
      // Requests will tell what is wrong with the choice.
      return true
    }
  }
}
