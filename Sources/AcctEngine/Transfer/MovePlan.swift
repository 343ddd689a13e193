import AcctModel
import AcctPorts

/// What a move takes where, with everything that speaks against it looked for.
struct MovePlan: Sendable {
  /// The accounts of the source, by name.
  private(set) var accounts: [Account] = []
  /// The records of the accounts that a shared target has already.
  private(set) var inTarget: [AccountID: [UInt8]] = [:]
  /// Accounts of this machine's files that a shared source does not have any more.
  private(set) var removedElsewhere: [AccountID] = []
  /// Accounts with a keyring of their own, which is not the source.
  private(set) var keptElsewhere: [Account] = []

  /// Looks at both keyrings, and changes nothing but this machine's hints; the locks of all accounts of both are held
  /// from then on.
  init(
    from source: Keyring,
    to target: Keyring,
    _ context: EngineContext,
    _ locks: MovingLocks
  ) async throws(EngineError) {
    var ids = try Self.files(context)
    let before = try Self.everything(in: source, context)
    let there = try Self.everything(in: target, context)
    try await locks.take(ids.union(before ?? []).union(there ?? []))

    // Read again under the locks: any of them may have been added or removed since.
    ids = try Self.files(context)
    if let sharedIDs = before {
      let others = ids.subtracting(sharedIDs)
      for id in others {
        guard let account = try context.accountStore.account(id), account.keptIn != nil else { continue }
        keptElsewhere.append(account)
      }
      removedElsewhere = others.subtracting(keptElsewhere.map(\.id)).sorted { $0.description < $1.description }
      for id in sharedIDs {
        // Another account was imported with its identifier, and goes nowhere; nor does this one.
        if let file = try context.accountStore.contents(of: id),
          let account = context.accountStore.account(id, in: file), account.keptIn != nil
        {
          keptElsewhere.append(account)
          continue
        }
        guard let record = try record(of: id, in: source, context) else {
          if ids.contains(id) { removedElsewhere.append(id) }
          continue
        }
        try context.accountStore.take(record, of: id)
        guard let account = context.accountStore.account(id, in: record) else { continue }
        accounts.append(account)
      }
    } else {
      let (accounts, damaged) = try context.accountStore.listing()
      if let first = damaged.first { throw .files(.damagedAccount(first)) }
      for var account in accounts {
        guard account.keptIn == nil || account.keptIn == source.kind.rawValue else {
          keptElsewhere.append(account)
          continue
        }
        if account.keptIn != nil {
          // It is that of all accounts by now, and goes with them.
          account.keptIn = nil
          try context.accountStore.save(account)
        }
        self.accounts.append(try await ReplaceCredentials(context).settled(account))
      }
    }
    accounts.sort { $0.name.description < $1.name.description }
    if source.accounts != nil { try await checkItems(in: source, context) }
    for id in there ?? [] {
      if let record = try record(of: id, in: target, context) { inTarget[id] = record }
    }
    if target.kind.isShared { try check(context.accountStore) }
  }

  /// Whether no account has been added to this machine's files since; the caller holds the book's lock.
  func isWhole(_ context: EngineContext) throws(EngineError) -> Bool {
    let known = Set(accounts.map(\.id)).union(removedElsewhere).union(keptElsewhere.map(\.id))
    return try Self.files(context).isSubset(of: known)
  }

  private func check(_ accountStore: AccountStore) throws(EngineError) {
    let guests = accounts.filter { $0.kind == .guest }.map(\.name)
    guard guests.isEmpty else { throw .sharing(.guests(guests)) }
    let inDevices = accounts.filter { $0.keyStorage != .software }.map(\.name)
    guard inDevices.isEmpty else { throw .sharing(.keysInDevices(inDevices)) }
    var owners: [AccountName: AccountID] = [:]
    var others: [AccountName] = []
    for (id, record) in inTarget {
      guard let known = accountStore.account(id, in: record) else { throw .files(.damagedAccount(id)) }
      owners[known.name] = id
      if let account = accounts.first(where: { $0.id == id }), !account.isSame(as: known) {
        others.append(account.name)
      }
    }
    guard others.isEmpty else { throw .sharing(.otherIdentities(others)) }
    let taken = (accounts + keptElsewhere).filter { account in owners[account.name].map { $0 != account.id } ?? false }
    guard taken.isEmpty else { throw .sharing(.namesTaken(taken.map(\.name))) }
  }

  private static func files(_ context: EngineContext) throws(EngineError) -> Set<AccountID> {
    do { return Set(try context.world.files.accounts()) } catch { throw .files(.failed(error)) }
  }

  /// The accounts of a shared keyring; `nil` for one of this machine alone, whose accounts are its files.
  private static func everything(in keyring: Keyring, _ context: EngineContext) throws(EngineError) -> Set<AccountID>? {
    guard let accounts = keyring.accounts else { return nil }
    do { return try accounts.fetchAll(context.interaction).accounts } catch {
      throw .keyring(.failed(error, keyring.kind))
    }
  }
}

extension Account {
  /// Whether both, which have one identifier, are of one identity at one server.
  fileprivate func isSame(as other: Account) -> Bool {
    kind == other.kind && tokenType == other.tokenType && identity == other.identity && service == other.service
  }
}
