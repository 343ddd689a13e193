package import AcctModel
package import Secrets
import AcctPorts
import AcctProtocol

/// Exports accounts under a passphrase; they stay here, with a note of the export in their histories.
package struct ExportAccounts: Sendable {
  private let context: EngineContext

  package init(_ context: EngineContext) { self.context = context }

  /// The destination of an export.
  package enum Target: Sendable {
    case standardOutput
    case file(String, replacing: Bool)
  }

  /// Checks that the target can be written, before any prompt.
  ///
  /// - Throws: ``EngineError/transfer(_:)``.
  package func check(_ target: Target) throws(EngineError) {
    switch target {
    case .standardOutput: guard !context.world.streams.outputIsTerminal else { throw .transfer(.terminal) }
    case .file(let path, let replacing):
      guard replacing || !context.world.secretFiles.exists(path) else { throw .transfer(.file(.exists(path: path))) }
    }
  }

  /// Seals accounts and writes them.
  ///
  /// - Parameters:
  ///   - accounts: The accounts, each once.
  ///   - target: The destination.
  ///   - passphrase: The passphrase that seals them.
  /// - Returns: The accounts as they were exported.
  /// - Throws: ``EngineError``; then nothing was written.
  package func export(
    _ accounts: [Account],
    to target: Target,
    under passphrase: Secret
  ) async throws(EngineError) -> [Account] {
    var storedAccounts: [StoredAccount] = []
    for account in accounts { storedAccounts.append(try await storedAccount(account)) }
    let file: Secret
    do throws(TransferError) { file = try sealed(storedAccounts, passphrase) } catch { throw .transfer(error) }
    switch target {
    case .standardOutput: do { try context.world.streams.output(file) } catch { throw .files(.output(error)) }
    case .file(let path, let replacing):
      do { try context.world.secretFiles.write(path, file, replacing) } catch { throw .transfer(.file(error)) }
    }
    return storedAccounts.map(\.account)
  }

  /// Reads an account while no process renews it: half-written, it could not be used elsewhere.
  private func storedAccount(_ account: Account) async throws(EngineError) -> StoredAccount {
    try await context.withExclusiveAccess(to: account) {
      (current, credentialStore) throws(EngineError) in
      if let storage = current.deviceStorage { throw .key(.inDevice(current.name, storage)) }
      guard !current.client.hasInputs else { throw .inputToken(.local(current.name)) }
      let left: [ItemKind] = [.secondTokens, .roleKeys, .registration]
      let items = try await credentialStore.items(ItemKind.allCases.filter { !left.contains($0) })
      let storedAccount = StoredAccount(account: current, items: items)
      guard storedAccount.isUsable else { throw .transfer(.nothingToExport(current.name)) }
      guard storedAccount.isSound else { throw .transfer(.unsound(current.name)) }
      // Before anything is written elsewhere: no export is without its event.
      var noted = current
      context.note(.exported, of: &noted)
      try credentialStore.save(noted)
      return storedAccount
    }
  }

  private func sealed(_ storedAccounts: [StoredAccount], _ passphrase: Secret) throws(TransferError) -> Secret {
    let contents = try ExportContents.encode(storedAccounts)
    let bytes: [UInt8]
    do {
      bytes = try SealedExport(
        sealing: contents,
        under: passphrase,
        random: context.world.entropy.bytes(SealedExport.randomCount)
      ).serialized()
    } catch {
      throw .sealed(error)
    }
    guard bytes.count <= ImportFile.limit else { throw .tooLarge(limit: ImportFile.limit) }
    return Secret(bytes)
  }
}
