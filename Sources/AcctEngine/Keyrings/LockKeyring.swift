package import AcctModel
package import AcctPorts

/// Implements `keyring unlock` and `keyring lock`, for whichever keyring is used.
package struct LockKeyring: Sendable {
  private let context: EngineContext

  package init(_ context: EngineContext) { self.context = context }

  /// The keyring in use, else the one that the first account would go to.
  package func keyring() async throws(EngineError) -> Keyring { try await KeyringChoice(context.world).proposed() }

  /// Has a person unlock it: by the desktop's prompt, or by a passphrase, which is then kept for a while.
  ///
  /// - Returns: The number of seconds for which the kernel keeps the key after its last use; `nil` for a desktop's
  ///   keyring, and where the keyring opens without a person.
  /// - Throws: ``KeyringError/stillLocked(_:_:)``, ``KeyringError/failed(_:_:)``.
  package func unlock(_ keyring: Keyring) async throws(EngineError) -> Int? {
    let accounts: [AccountID]
    do { accounts = try context.world.files.accounts() } catch { throw .files(.failed(error)) }
    do throws(KeyringFailure) {
      if keyring.kind == .vault { return try await context.world.vault.unlock(context.interaction) }
      if let unlock = keyring.unlock { return try await unlock(context.interaction) }
      try await keyring.prepare(context.interaction)
      try await unlockParts(of: keyring, for: accounts)
      return nil
    } catch {
      throw .keyring(
        error.isLocked && error != .cancelled ? .stillLocked(error, keyring.kind) : .failed(error, keyring.kind)
      )
    }
  }

  /// Has a person unlock each part that is locked beside it, also after one that stays locked.
  private func unlockParts(of keyring: Keyring, for accounts: [AccountID]) async throws(KeyringFailure) {
    var failure: KeyringFailure?
    var asked: Set<AccountID> = []
    for part in try await keyring.lockedParts(accounts) {
      // An account with items in two of them had both asked for.
      guard let account = part.accounts.first, asked.insert(account).inserted else { continue }
      do { _ = try await keyring.read(account, ItemKind.allCases, context.interaction) } catch {
        failure = failure ?? error
      }
    }
    if let failure { throw failure }
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

/// Implements `vault` for a shared keyring in use, which a passphrase opens like the vault.
package struct UnlockShared: Sendable {
  private let context: EngineContext

  package init(_ context: EngineContext) { self.context = context }

  /// The shared keyring in use; `nil` if it is another one, or none was chosen.
  package func kind() throws(EngineError) -> Keyring.Kind? {
    guard let kind = try KeyringChoice(context.world).chosen(), kind.isShared else { return nil }
    return kind
  }

  /// Asks for the passphrase once; its key is kept for a while, like the vault's.
  ///
  /// - Returns: As ``LockKeyring/unlock(_:)``.
  package func unlock(_ kind: Keyring.Kind) async throws(EngineError) -> Int? {
    try await LockKeyring(context).unlock(KeyringChoice(context.world).keyring(kind))
  }
}

extension EngineContext {
  /// Returns `true` if a change to an account applies to all machines.
  package func isShared(_ account: Account) throws(EngineError) -> Bool {
    guard account.keptIn == nil else { return false }
    return try KeyringChoice(world).shared() != nil
  }
}
