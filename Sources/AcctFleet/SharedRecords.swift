import AcctEngine
import AcctModel
import AcctPorts

/// The accounts of a keyring that several machines share, and this machine's files of them.
///
/// The engine has the valid version of an account. The file is the version that this machine last saw: enough to
/// select, list and use it. So the engine is written first, and the file after it; and before an account is changed,
/// it is fetched.
final class SharedRecords: AccountPlace {
  let accounts: SharedAccounts
  let kind: Keyring.Kind
  let context: EngineContext

  /// `nil` for a keyring of this machine alone.
  init?(in keyring: Keyring, _ context: EngineContext) {
    guard let accounts = keyring.accounts else { return nil }
    self.accounts = accounts
    kind = keyring.kind
    self.context = context
  }

  func fetch(_ account: Account) async throws(EngineError) {
    let record: [UInt8]?
    do { record = try accounts.fetch(account.id, context.interaction) } catch { throw .keyring(.failed(error, kind)) }
    guard let record else {
      if try mayForget { try await context.forget(account.id) }
      throw .removed(account)
    }
    // Another machine may rename an account, but not to the name of an account that is here.
    if let name = context.accountStore.account(account.id, in: record)?.name, name != account.name,
      let other = try context.accountStore.account(named: name.description), other.id != account.id,
      other.keptIn == nil
    {
      throw .keyring(.failed(.damagedAccount(account.id, .nameTaken), kind))
    }
    try context.accountStore.take(record, of: account.id)
  }

  func store(_ account: Account, _ items: SharedAccount.Items) throws(EngineError) {
    let account = account.withoutFiles
    let stored = SharedAccount(id: account.id, name: account.name, record: AccountFile.encode(account), items: items)
    do throws(SharedAccountFailure) { try accounts.store(stored, context.interaction) } catch {
      switch error {
      case .keyring(let failure): throw .keyring(.failed(failure, kind))
      case .nameTaken: throw .selection(.nameTaken(account.name))
      // The next command that looks for it removes its file.
      case .removed: throw .removed(account)
      case .superseded: throw .keyring(.changedElsewhere(account.name))
      }
    }
    try context.accountStore.save(account)
  }

  func has(_ id: AccountID) throws(EngineError) -> Bool {
    do { return try accounts.fetchAll(context.interaction).accounts.contains(id) } catch {
      throw .keyring(.failed(error, kind))
    }
  }

  func remove(_ id: AccountID) throws(EngineError) {
    do { try accounts.remove(id, context.event(.removed), context.interaction) } catch {
      throw .keyring(.failed(error, kind))
    }
  }

  func claim(_ account: Account) async throws(EngineError) -> @Sendable () -> Bool {
    let intent = RenewalIntent(
      account: account.id,
      record: AccountFile.encode(account.withoutFiles),
      timeout: context.timeout
    )
    let claim: RenewalClaim?
    do { claim = try await accounts.claim(intent, context.interaction) } catch { throw .keyring(.failed(error, kind)) }
    guard let claim else { throw .keyring(.changedElsewhere(account.name)) }
    return claim.maySend
  }

  func removals() throws(EngineError) -> [RemovedAccount] {
    do { return try accounts.removals(.forbidden) } catch { throw .keyring(.failed(error, kind)) }
  }

  /// `true` if a file is deleted with its account: not if only `ACCT_KEYRING` names this keyring, and the files are
  /// those of another one's accounts.
  var mayForget: Bool { get throws(EngineError) { try KeyringChoice(context.world).isSettled(on: kind) } }
}

/// Accounts of a shared keyring with the same name: only the one that holds the name gets a file here.
///
/// The name's own object on the engine states its account. An account of this machine alone may have the same name:
/// then the two are distinguished by their identifiers.
extension SharedRecords {
  /// The accounts whose name belongs to another account, as the name's own object states.
  func namesakes(in changes: SharedChanges, beside known: Set<AccountID>) throws(EngineError) -> Set<AccountID> {
    guard !changes.records.isEmpty else { return [] }
    var names: [AccountID: AccountName] = [:]
    for (id, record) in changes.records { names[id] = context.accountStore.account(id, in: record)?.name }
    for account in try context.accountStore.listing().accounts {
      if account.keptIn != nil {
        names[account.id] = nil
      } else if changes.accounts.contains(account.id), names[account.id] == nil {
        names[account.id] = account.name
      }
    }
    var namesakes: Set<AccountID> = []
    for (name, ids) in Dictionary(grouping: names.keys, by: { names[$0] }) where ids.count > 1 {
      guard let name else { continue }
      let holder = try holder(of: name, among: ids, known)
      namesakes.formUnion(ids.filter { $0 != holder })
    }
    return namesakes
  }

  /// The account that keeps a name which several have.
  private func holder(
    of name: AccountName,
    among ids: [AccountID],
    _ known: Set<AccountID>
  ) throws(EngineError) -> AccountID? {
    do throws(KeyringFailure) {
      if let id = try accounts.holder(name, context.interaction) { return id }
    } catch {
      throw .keyring(.failed(error, kind))
    }
    return ids.filter(known.contains).min { $0.description < $1.description }
  }

  /// Returns `true` if an account that has a file here keeps the name, and this one was left out before.
  func isNamesake(_ id: AccountID, _ record: [UInt8]) throws(EngineError) -> Bool {
    guard let name = context.accountStore.account(id, in: record)?.name,
      let other = try context.accountStore.account(named: name.description), other.id != id, other.keptIn == nil
    else { return false }
    return try holder(of: name, among: [id, other.id], [other.id]) != id
  }
}

extension SharedRecords {
  @discardableResult
  func pull() async throws(EngineError) -> SharedChanges {
    // Listed first: an account that another process adds meanwhile has its file only after the engine has it.
    let known = try files()
    let changes: SharedChanges
    do { changes = try accounts.fetchAll(context.interaction) } catch { throw .keyring(.failed(error, kind)) }
    // From now on there are accounts here that belong to this keyring.
    if known.isEmpty, !changes.accounts.isEmpty { try KeyringChoice(context.world).settle(on: kind) }
    // The copy of an account may come from another call, and its file may still be missing.
    let namesakes = try namesakes(in: changes, beside: known)
    let stale = changes.accounts.subtracting(namesakes).filter { changes.records[$0] != nil || !known.contains($0) }
    var isWhole = true
    var failure: EngineError?
    for id in stale.sorted(by: { $0.description < $1.description }) {
      let wasKnown = known.contains(id)
      do throws(EngineError) {
        let isDone = try await unlessBusy(id, waiting: wasKnown ? 0 : 2) {
          () throws(EngineError) in
          try bring(id, changes.records[id], wasKnown: wasKnown)
        }
        if !isDone { isWhole = false }
      } catch {
        isWhole = false
        failure = failure ?? error
      }
    }
    // Changes that were not written here are returned again the next time.
    if isWhole { changes.confirm() }
    if let failure { throw failure }
    for id in namesakes.intersection(known) {
      _ = try await unlessBusy(id, waiting: 0) { () throws(EngineError) in try await context.forget(id) }
    }
    let gone = known.subtracting(changes.accounts)
    guard !gone.isEmpty, try mayForget else { return changes }
    for id in gone.sorted(by: { $0.description < $1.description }) {
      // The file of an account in use stays, and is deleted the next time.
      _ = try await unlessBusy(id, waiting: 0) { () throws(EngineError) in try await forget(id) }
    }
    return changes
  }

  /// Runs `body` under an account's lock, unless another process holds it: that process may be waiting for a server,
  /// and writes the file itself.
  ///
  /// - Returns: `true` if `body` was run.
  private func unlessBusy(
    _ id: AccountID,
    waiting seconds: Int,
    _ body: () async throws(EngineError) -> Void
  ) async throws(EngineError) -> Bool {
    let held: HeldLock
    do { held = try await context.world.files.lock(.account(id), seconds) } catch {
      guard error != .busy else { return false }
      throw .files(.failed(error))
    }
    defer { held.release() }
    try await body()
    return true
  }

  /// Writes the file of an account; the caller holds its lock.
  ///
  /// The file of an account with a separate keyring does not belong to this one, although both accounts have one
  /// identifier.
  private func bring(_ id: AccountID, _ record: [UInt8]?, wasKnown: Bool) throws(EngineError) {
    let file = try context.accountStore.contents(of: id)
    if let file, context.accountStore.account(id, in: file)?.keptIn != nil { return }
    // An account that had a file was removed by another process of this machine meanwhile.
    let wasRemoved = file == nil && wasKnown
    if let record, !wasRemoved, file == nil || file == record { return try context.accountStore.take(record, of: id) }
    // Another process of this machine may have stored something newer since the engine was asked.
    let current: [UInt8]?
    do throws(KeyringFailure) { current = try accounts.fetch(id, context.interaction) } catch {
      // A damaged or restored account is not fetched; an engine that has failed since may be asked later.
      guard case .engine = error else { return }
      current = wasRemoved ? nil : record
    }
    guard let current, try !isNamesake(id, current) else { return }
    try context.accountStore.take(current, of: id)
  }

  /// Deletes the file of an account that no longer exists; the caller holds its lock.
  ///
  /// An account with a separate keyring was never there, and a damaged file may be such an account's.
  private func forget(_ id: AccountID) async throws(EngineError) {
    guard let account = try? context.accountStore.account(id), account.keptIn == nil else { return }
    let record: [UInt8]?
    do throws(KeyringFailure) { record = try accounts.fetch(id, context.interaction) } catch {
      throw .keyring(.failed(error, kind))
    }
    if record == nil { try await context.forget(id) }
  }

  private func files() throws(EngineError) -> Set<AccountID> {
    do { return Set(try context.world.files.accounts()) } catch { throw .files(.failed(error)) }
  }
}

extension SharedRecords {
  func latest(_ account: Account) async throws(EngineError) -> Account {
    let isFetched = try await unlessBusy(account.id, waiting: 0) { () throws(EngineError) in try await fetch(account) }
    guard isFetched else { return account }
    return try context.accountStore.account(account.id) ?? account
  }
}
