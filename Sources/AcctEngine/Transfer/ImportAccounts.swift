import AcctModel
package import Secrets
import AcctPorts
package import AcctProtocol

/// Imports the accounts of an export: all of them, or none.
package struct ImportAccounts: Sendable {
  private let context: EngineContext
  private let accountStore: AccountStore

  package init(_ context: EngineContext) {
    self.context = context
    accountStore = context.accountStore
  }

  /// Opens an export and stores its accounts.
  ///
  /// An account keeps its identifier and its name if they are free; one whose identity is known
  /// here gets the credentials and keeps its name here. The first becomes active.
  ///
  /// - Parameters:
  ///   - export: The file.
  ///   - passphrases: Those of which one opens it.
  ///   - options: The options of a new account; a name is for one account alone.
  /// - Returns: The accounts, in the file's order.
  /// - Throws: ``EngineError``; then everything is unchanged.
  package func importAll(
    _ export: SealedExport,
    openedBy passphrases: [Secret],
    _ options: AddAccount.Options
  ) async throws(EngineError) -> [AddAccount.Added] {
    let storedAccounts: [StoredAccount]
    do throws(TransferError) { storedAccounts = try opened(export, passphrases) } catch { throw .transfer(error) }
    guard options.name == nil || storedAccounts.count == 1 else { throw .transfer(.oneNameForSeveral) }
    if options.replacement == .unlessNewer { try await requireNewer(storedAccounts) }
    let active = try accountStore.active()
    let held = context.world.signals.holdBack()
    defer { held.release() }
    var added: [AddAccount.Added] = []
    do throws(EngineError) {
      for storedAccount in storedAccounts {
        var options = options
        options.activates = options.activates && added.isEmpty
        added.append(try await AddAccount(context).add(IncomingAccount(storedAccount), options))
      }
    } catch {
      for done in added.reversed() { await undo(done, active) }
      throw error
    }
    return added
  }

  /// Checks all of them before the first is stored, so that the message names each that is newer here.
  private func requireNewer(_ storedAccounts: [StoredAccount]) async throws(EngineError) {
    var newer: [AccountName] = []
    for storedAccount in storedAccounts {
      do throws(EngineError) { try await AddAccount(context).requireNewer(IncomingAccount(storedAccount)) } catch {
        guard case .transfer(.newerHere(let names)) = error else { throw error }
        newer += names
      }
    }
    guard newer.isEmpty else { throw .transfer(.newerHere(newer)) }
  }

  private func opened(_ export: SealedExport, _ passphrases: [Secret]) throws(TransferError) -> [StoredAccount] {
    var failure = SealedExportError.notOpened
    for passphrase in passphrases {
      let contents: Secret
      do { contents = try export.opened(with: passphrase) } catch {
        failure = error
        continue
      }
      return try ExportContents.decode(contents)
    }
    throw .sealed(failure)
  }

  /// Restores the state before an account was added, as far as possible; the failure that led here is the one to
  /// report.
  private func undo(_ added: AddAccount.Added, _ active: ActiveAccounts) async {
    try? await context.withExclusiveAccess(to: added.account) {
      (current, credentialStore) throws(EngineError) in
      if let before = added.before {
        var account = before.account
        account.name = current.name
        try await ReplaceCredentials(context).replace(
          current,
          with: account,
          before.orderedItems,
          in: credentialStore.keyring,
          waits: false,
          activates: false
        )
      }
      try await accountStore.exclusively { () throws(EngineError) in
        if try accountStore.active() == active.switched(to: current.id) { try accountStore.setActive(active) }
        guard added.before == nil else { return }
        try await credentialStore.removeAll()
        try accountStore.delete(current.id)
      }
    }
  }
}
