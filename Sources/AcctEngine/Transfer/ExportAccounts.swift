package import AcctModel
import AcctPorts
package import AcctProtocol
package import Secrets
import StrictJSON

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
    let export: SealedExport
    do throws(TransferError) { export = try sealed(storedAccounts, passphrase) } catch { throw .transfer(error) }
    switch target {
    case .standardOutput: do { try context.world.streams.output(export.file) } catch { throw .files(.output(error)) }
    case .file(let path, let replacing):
      do { try context.world.secretFiles.write(path, export.file, replacing) } catch { throw .transfer(.file(error)) }
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

  private func sealed(_ storedAccounts: [StoredAccount], _ passphrase: Secret) throws(TransferError) -> SealedExport {
    let contents = try ExportContents(storedAccounts)
    let export: SealedExport
    do { export = try contents.sealed(under: passphrase, context.world.entropy) } catch { throw .sealed(error) }
    guard export.file.count <= ImportFile.limit else { throw .tooLarge(limit: ImportFile.limit) }
    return export
  }
}

/// The contents of an export: accounts as their files describe them, and their keyring items by the keys that storage
/// uses.
///
/// They leave it sealed, or as accounts.
///
/// `Documentation/export-format.md` describes the format. A machine's own data is not in it: the device id of guests,
/// hints, the keyring of an account, its history but for when its tokens were stored, and the active account. An account that names a file, a program or a
/// device is refused: one that comes from elsewhere must not choose what is read, run or printed here.
package struct ExportContents {
  private let plain: Secret

  /// Takes what was sealed.
  package init(_ plain: Secret) { self.plain = plain }

  /// Serializes accounts.
  package init(_ storedAccounts: [StoredAccount]) throws(TransferError) {
    var accounts: [JSON] = []
    for storedAccount in storedAccounts {
      var exported = storedAccount.account.withoutFiles
      exported.keptIn = nil
      exported.history =
        exported.credentialsStoredAt.map { AccountHistory([AccountEvent(.added, at: $0, on: nil, for: nil)]) }
        ?? .init()
      guard let account = try? JSON(parsing: AccountFile.encode(exported)) else {
        throw .unsound(storedAccount.account.name)
      }
      var items = JSONObject()
      for item in storedAccount.orderedItems {
        items[item.kind.key(for: storedAccount.account.id)] = .string(item.secret.shownText)
      }
      accounts.append(["account": account, "items": .object(items)])
    }
    var bytes = (["accounts": .array(accounts)] as JSON).serialized()
    plain = Secret(consuming: &bytes)
  }

  fileprivate func sealed(under passphrase: Secret, _ entropy: Entropy) throws(SealedExportError) -> SealedExport {
    try SealedExport(sealing: plain, under: passphrase, random: entropy.bytes(SealedExport.randomCount))
  }

  /// Parses accounts, each of which is sound.
  ///
  /// - Throws: ``TransferError/notAccounts``, ``TransferError/local(_:)``, ``TransferError/unsound(_:)``, or
  ///   ``SealedExportError/unknownVersion`` for an account of a later version of acct.
  package func accounts() throws(TransferError) -> [StoredAccount] {
    let json = plain.withBytes { bytes in try? JSON(parsing: bytes) }
    guard let entries = json?.objectValue?["accounts"]?.arrayValue, !entries.isEmpty else { throw .notAccounts }
    var storedAccounts: [StoredAccount] = []
    for entry in entries {
      guard let storedAccount = Self.storedAccount(entry) else {
        let isNewer = entry.objectValue?["account"].map { AccountFile.isNewer($0.serialized()) } ?? false
        throw isNewer ? .sealed(.unknownVersion) : .notAccounts
      }
      guard !storedAccounts.contains(where: { $0.isTwin(of: storedAccount) }) else { throw .notAccounts }
      let account = storedAccount.account
      guard !account.namesFilesOrPrograms, account.deviceStorage == nil else { throw .local(account.name) }
      guard storedAccount.isSound else { throw .unsound(storedAccount.account.name) }
      storedAccounts.append(storedAccount)
    }
    return storedAccounts
  }

  private static func storedAccount(_ entry: JSON) -> StoredAccount? {
    guard let object = entry.objectValue, let file = object["account"],
      let account = AccountFile.decode(file.serialized()),
      let items = object["items"]?.objectValue
    else { return nil }
    var storedAccount = StoredAccount(account: account, items: [:])
    for (key, value) in items {
      guard let (owner, kind) = ItemKind.parse(key), owner == account.id, let text = value.stringValue
      else { return nil }
      storedAccount.items[kind] = Secret(text)
    }
    return storedAccount
  }
}

extension StoredAccount {
  /// Returns `true` if both can't come from one acct.
  fileprivate func isTwin(of other: StoredAccount) -> Bool {
    account.id == other.account.id || account.name == other.account.name
  }
}

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
      let contents: ExportContents
      do { contents = ExportContents(try export.opened(with: passphrase)) } catch {
        failure = error
        continue
      }
      return try contents.accounts()
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
