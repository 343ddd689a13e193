import AcctModel
import AcctPorts

extension SharedRecords {
  /// Brings here what other machines have added and changed, and deletes the files of what they have removed; the caller
  /// holds no lock.
  ///
  /// Each file is written under its account's lock, which is not waited for. An account that can't be read or written hides
  /// none of the others.
  ///
  /// - Returns: How many accounts the keyring has.
  /// - Throws: Why the engine could not be asked, and then the accounts here stay as they were last seen; why the first of
  ///   the files could not be written.
  @discardableResult
  func bring() async throws(EngineError) -> Int {
    // Listed first: an account that another process adds meanwhile has its file only after the engine has it.
    let known = try files()
    let changes: SharedChanges
    do { changes = try accounts.fetchAll(context.interaction) } catch { throw .keyring(.failed(error, kind)) }
    // From now on there are accounts here that belong to this keyring.
    if known.isEmpty, !changes.accounts.isEmpty { try KeyringChoice(context.world).settle(on: kind) }
    // An account whose copy came with another call may still lack its file.
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
    // What was not written here is told of again the next time.
    if isWhole { changes.confirm() }
    if let failure { throw failure }
    for id in namesakes.intersection(known) {
      _ = try await unlessBusy(id, waiting: 0) { () throws(EngineError) in try await context.forget(id) }
    }
    let gone = known.subtracting(changes.accounts)
    guard !gone.isEmpty, try mayForget else { return changes.accounts.count }
    for id in gone.sorted(by: { $0.description < $1.description }) {
      // The file of one that is in use stays, and so is gone the next time.
      _ = try await unlessBusy(id, waiting: 0) { () throws(EngineError) in try await forget(id) }
    }
    return changes.accounts.count
  }

  /// Does `body` under an account's lock, unless another process holds it: that one may be at a server, and writes the
  /// file itself.
  ///
  /// - Returns: Whether it was done.
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
  /// The file of one with a keyring of its own is not this keyring's, although both have one identifier.
  private func bring(_ id: AccountID, _ record: [UInt8]?, wasKnown: Bool) throws(EngineError) {
    let file = try context.accountStore.contents(of: id)
    if let file, context.accountStore.account(id, in: file)?.keptIn != nil { return }
    // One that had a file was removed by another process of this machine meanwhile.
    let wasRemoved = file == nil && wasKnown
    if let record, !wasRemoved, file == nil || file == record { return try context.accountStore.take(record, of: id) }
    // Another process of this machine may have stored something newer since the engine was asked.
    let current: [UInt8]?
    do throws(KeyringFailure) { current = try accounts.fetch(id, context.interaction) } catch {
      // What is damaged or was put back is not brought; an engine that has failed since may be asked later.
      guard case .engine = error else { return }
      current = wasRemoved ? nil : record
    }
    guard let current, try !isNamesake(id, current) else { return }
    try context.accountStore.take(current, of: id)
  }

  /// Deletes the file of an account that is not there any more; the caller holds its lock.
  ///
  /// One with a keyring of its own never was there, and what is damaged may be such a one.
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
