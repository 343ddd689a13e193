package import AcctModel
package import AcctPorts

/// Protects the secrets of a proxy, and the user's files from it, as far as the kernel can.
package struct ProtectProxy: Sendable {
  private let context: EngineContext

  package init(_ context: EngineContext) { self.context = context }

  /// Begins the protection, until the process ends; measures that the kernel does not support are left out.
  ///
  /// - Parameters:
  ///   - place: The address at which it will listen.
  ///   - accounts: The accounts that requests are made as.
  /// - Returns: `true` if no other process can read the secrets.
  package func begin(at place: LocalPlace, for accounts: [Account]) -> Bool {
    // A token's module reads files of its own, and so do programs that print tokens.
    let loadsModule = accounts.contains { account in
      account.deviceStorage == .pkcs11 || account.client.certificate?.isKeyInToken == true || account.client.hasInputs
    }
    return context.world.confinement.begin(
      .init(place: place, needsUnknownFiles: loadsModule || usesEngine)
    ).secretMemory
  }

  /// `true` if libraries will read files by their own settings: the engine of a shared keyring is reached with
  /// certificates that libpq looks for.
  private var usesEngine: Bool {
    do throws(EngineError) {
      return try KeyringChoice(context.world).chosen()?.isShared ?? false
    } catch {
      // Requests will report the error in the choice.
      return true
    }
  }
}
