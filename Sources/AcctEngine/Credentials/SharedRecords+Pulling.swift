import AcctModel
package import AcctPorts

extension SharedRecords {
  /// Fetches the changes of other machines, and deletes the files of accounts that they have removed; the caller holds
  /// no lock.
  ///
  /// Each file is written under its account's lock, without waiting for it. An account that can't be read or written
  /// hides none of the others.
  ///
  /// - Returns: The accounts that there are, and whether the engine was older than this machine has seen it.
  /// - Throws: The failure of the engine, and then the accounts here stay in their last known state; the failure of
  ///   the first file that could not be written.
  @discardableResult
  package func pull() async throws(EngineError) -> SharedChanges {
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
  fileprivate func unlessBusy(
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

extension EngineContext {
  /// An account as the engine of a shared keyring has it now, stored here as well.
  ///
  /// It stays as it is if its keyring is this machine's own, or while another process of this machine changes it.
  ///
  /// - Throws: As ``SharedRecords/fetch(_:)``.
  func latest(_ account: Account) async throws(EngineError) -> Account {
    guard account.keptIn == nil, let shared = try sharedRecords() else { return account }
    let isFetched = try await shared.unlessBusy(account.id, waiting: 0) { () throws(EngineError) in
      try await shared.fetch(account)
    }
    guard isFetched else { return account }
    return try accountStore.account(account.id) ?? account
  }
}
