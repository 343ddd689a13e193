package import AcctModel
import AcctPorts

/// Implements `vault reset`: the vault goes with its secrets, and the accounts stay.
///
/// Accounts whose secrets are in another keyring are not touched.
package struct ResetVault: Sendable {
  private let context: EngineContext

  package init(_ context: EngineContext) { self.context = context }

  /// The contents of the vault, as the names of its items tell.
  package struct Contents: Sendable {
    /// The accounts with items in it, by name.
    package let accounts: [Account]
    /// `true` if this machine's key for a shared keyring is in it.
    package let hasMachineKey: Bool
  }

  /// - Throws: ``KeyringError/failed(_:_:)``.
  package func contents() async throws(EngineError) -> Contents {
    let listed: [AccountID: Set<ItemKind>]
    do { listed = try await context.world.vaultKeyring.list() } catch { throw .keyring(.failed(error, .vault)) }
    let accounts = try context.accountStore.listing().accounts.filter { listed[$0.id] != nil }
    let machineKey = context.fleet?.ownItem()
    return Contents(accounts: accounts, hasMachineKey: machineKey.map { listed[$0] != nil } ?? false)
  }

  /// Deletes the vault, and records of its accounts that their secrets are gone.
  ///
  /// In this order: an account whose record is not changed yet is told by its missing secrets.
  ///
  /// - Throws: ``KeyringError/failed(_:_:)``, ``FilesError``.
  package func reset(_ contents: Contents) async throws(EngineError) {
    do { try await context.world.vault.reset() } catch { throw .keyring(.failed(error, .vault)) }
    let accountStore = context.accountStore
    for account in contents.accounts {
      try await accountStore.exclusively(account.id) { () throws(EngineError) in
        guard var current = try accountStore.account(account.id) else { return }
        current.recordedState = .signedOut(reason: StateReason.secretsMissing.text)
        current.incoming = nil
        try accountStore.save(current)
      }
    }
  }
}
