package import AcctPorts

/// Implements `keyring unlock` and `keyring lock`, for whichever keyring is used.
package struct LockKeyring: Sendable {
  private let context: EngineContext

  package init(_ context: EngineContext) { self.context = context }

  /// The keyring in use, else the one that the first account would go to.
  package func keyring() async throws(EngineError) -> Keyring { try await KeyringChoice(context.world).proposed() }

  /// Has a person unlock it: by the desktop's prompt, or by a passphrase, which is then kept for a while.
  ///
  /// - Returns: The number of seconds for which the kernel keeps a vault's key after its last use; `nil` for another
  ///   keyring, or where the kernel keeps none.
  /// - Throws: ``KeyringError/stillLocked(_:_:)``, ``KeyringError/failed(_:_:)``.
  package func unlock(_ keyring: Keyring) async throws(EngineError) -> Int? {
    do throws(KeyringFailure) {
      if keyring.kind == .vault { return try await context.world.vault.unlock(context.interaction) }
      try await keyring.prepare(context.interaction)
      return nil
    } catch {
      throw .keyring(
        error.isLocked && error != .cancelled ? .stillLocked(error, keyring.kind) : .failed(error, keyring.kind)
      )
    }
  }

  /// Locks it, and forgets the passphrase.
  ///
  /// - Throws: ``KeyringError/failed(_:_:)``.
  package func lock(_ keyring: Keyring) async throws(EngineError) {
    do throws(KeyringFailure) {
      if keyring.kind == .vault { try await context.world.vault.lock() } else { try await keyring.lock() }
    } catch { throw .keyring(.failed(error, keyring.kind)) }
  }
}
