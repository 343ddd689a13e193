import AcctEngine
import AcctModel
import AcctPorts
import AcctProtocol
import Secrets
import Synchronization

/// Finds the accounts that a move takes, and every reason against the move.
///
/// Nothing in either keyring changes. In this machine's files, an interrupted replacement of credentials is completed, a
/// shared source's accounts are brought up to date, and an account that names the source as its own keyring is one of all.
struct MoveSurvey: Sendable {
  let context: EngineContext
  @Boxed var source: Keyring
  @Boxed var target: Keyring

  /// Takes the locks of all accounts of both keyrings, and reads them.
  ///
  /// - Parameter locks: Take the locks; the caller releases them.
  /// - Returns: The plan.
  /// - Throws: ``KeyringSharingError``, ``KeyringError``, ``FilesError``: a reason against the move.
  func plan(holding locks: MovingLocks) async throws(EngineError) -> MovePlan {
    let before = try everything(in: source)
    let there = try everything(in: target)
    try await locks.take(try context.world.accountIDs().union(before ?? []).union(there ?? []))

    // Read again under the locks: any of them may have been added or removed since.
    var plan = if let before { try sharedAccounts(before) } else { try await ownAccounts() }
    plan.accounts.sort { $0.name.description < $1.name.description }
    if source.accounts != nil { try await checkItems(plan) }
    for id in there ?? [] {
      if let record = try record(of: id, in: target) { plan.inTarget[id] = record }
    }
    if target.kind.isShared { try plan.requireFit(context.accountStore) }
    return plan
  }

  /// The accounts of a shared source, with this machine's files brought up to date.
  private func sharedAccounts(_ sharedIDs: Set<AccountID>) throws(EngineError) -> MovePlan {
    let ids = try context.world.accountIDs()
    var plan = MovePlan()
    let others = ids.subtracting(sharedIDs)
    for id in others {
      guard let account = try context.accountStore.account(id), account.keptIn != nil else { continue }
      plan.keptElsewhere.append(account)
    }
    plan.removedElsewhere = others.subtracting(plan.keptElsewhere.map(\.id)).sorted { $0.description < $1.description }
    for id in sharedIDs {
      // Another account was imported with its identifier, and goes nowhere; nor does this one.
      if let file = try context.accountStore.contents(of: id),
        let account = context.accountStore.account(id, in: file), account.keptIn != nil
      {
        plan.keptElsewhere.append(account)
        continue
      }
      guard let record = try record(of: id, in: source) else {
        if ids.contains(id) { plan.removedElsewhere.append(id) }
        continue
      }
      try context.accountStore.take(record, of: id)
      guard let account = context.accountStore.account(id, in: record) else { continue }
      plan.accounts.append(account)
    }
    return plan
  }

  /// The accounts of this machine's own keyring, each with its credentials in their own place.
  private func ownAccounts() async throws(EngineError) -> MovePlan {
    var plan = MovePlan()
    let (accounts, damaged) = try context.accountStore.listing()
    if let first = damaged.first { throw .files(.skipped(context.accountStore.skipped(first))) }
    for var account in accounts {
      guard account.keptIn == nil || account.keptIn == source.kind.rawValue else {
        plan.keptElsewhere.append(account)
        continue
      }
      if account.keptIn != nil {
        // It is that of all accounts by now, and goes with them.
        account.keptIn = nil
        try context.accountStore.save(account)
      }
      plan.accounts.append(try await ReplaceCredentials(context).settled(account))
    }
    return plan
  }

  /// Checks each item again before the first write: outside of the shared keyring no rule forbids a key in a device,
  /// and acct loads the module that such a key names.
  ///
  /// - Throws: ``KeyringSharingError/damaged(_:_:)``.
  private func checkItems(_ plan: MovePlan) async throws(EngineError) {
    var names: Set<AccountName> = Set(plan.keptElsewhere.map(\.name))
    for account in plan.accounts {
      guard names.insert(account.name).inserted else { throw .sharing(.damaged(account.name, .nameTaken)) }
      let items: [ItemKind: Secret]
      do { items = try await source.read(account.id, ItemKind.allCases, context.interaction) } catch {
        throw failure(error, of: account.name, source.kind)
      }
      var stored = StoredAccount(account: account, items: items)
      if let second = stored.items.removeValue(forKey: .secondTokens), (try? SecondTokens(second)) == nil {
        throw .sharing(.damaged(account.name, .item(.secondTokens)))
      }
      if let keys = stored.items.removeValue(forKey: .roleKeys), !ItemKind.roleKeys.isWellFormed(keys) {
        throw .sharing(.damaged(account.name, .item(.roleKeys)))
      }
      guard account.deviceStorage == nil else { throw .sharing(.damaged(account.name, .keyInDevice)) }
      if let kind = stored.unsoundItem { throw .sharing(.damaged(account.name, .item(kind))) }
    }
  }

  /// The record of an account in a shared keyring; `nil` if it has none.
  ///
  /// - Throws: ``KeyringSharingError/damaged(_:_:)`` for an account that this machine knows by its name.
  private func record(of id: AccountID, in keyring: Keyring) throws(EngineError) -> [UInt8]? {
    do { return try keyring.accounts?.fetch(id, context.interaction) } catch {
      throw failure(error, of: try context.accountStore.account(id)?.name, keyring.kind)
    }
  }

  private func failure(_ failure: KeyringFailure, of name: AccountName?, _ kind: Keyring.Kind) -> EngineError {
    guard case .damagedAccount(_, let damage) = failure, let name else { return .keyring(.failed(failure, kind)) }
    return .sharing(.damaged(name, damage))
  }

  /// The accounts of a shared keyring; `nil` for one of this machine alone, whose accounts are its files.
  private func everything(in keyring: Keyring) throws(EngineError) -> Set<AccountID>? {
    guard let accounts = keyring.accounts else { return nil }
    do { return try accounts.fetchAll(context.interaction).accounts } catch {
      throw .keyring(.failed(error, keyring.kind))
    }
  }
}

/// The accounts of a move, and where each lies.
///
/// ``MoveSurvey`` makes it.
struct MovePlan: Sendable {
  /// The accounts of the source, by name.
  var accounts: [Account] = []
  /// The records of the accounts that a shared target has already.
  var inTarget: [AccountID: [UInt8]] = [:]
  /// Accounts of this machine's files that a shared source does not have any more.
  var removedElsewhere: [AccountID] = []
  /// Accounts with a keyring of their own, which is not the source.
  var keptElsewhere: [Account] = []

  /// `true` if no account has been added to this machine's files since; the caller holds the book's lock.
  func isWhole(_ context: EngineContext) throws(EngineError) -> Bool {
    let known = Set(accounts.map(\.id)).union(removedElsewhere).union(keptElsewhere.map(\.id))
    return try context.world.accountIDs().isSubset(of: known)
  }

  /// Returns the plan with the move in the histories of its accounts.
  func noted(by context: EngineContext) -> MovePlan {
    var plan = self
    for index in plan.accounts.indices { context.note(.moved, of: &plan.accounts[index]) }
    return plan
  }

  /// Checks that a shared keyring can take all accounts beside those that it has.
  ///
  /// - Throws: ``KeyringSharingError``, ``InputTokenError/local(_:)``.
  func requireFit(_ accountStore: AccountStore) throws(EngineError) {
    let guests = accounts.filter { $0.kind == .guest }.map(\.name)
    guard guests.isEmpty else { throw .sharing(.guests(guests)) }
    let inDevices = accounts.filter { $0.deviceStorage != nil }.map(\.name)
    guard inDevices.isEmpty else { throw .sharing(.keysInDevices(inDevices)) }
    if let account = accounts.first(where: \.client.hasInputs) { throw .inputToken(.local(account.name)) }
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
}

extension World {
  /// The identifiers of this machine's account files.
  func accountIDs() throws(EngineError) -> Set<AccountID> {
    do { return Set(try files.accounts()) } catch { throw .files(.failed(error)) }
  }
}

extension Account {
  /// `true` if both, which have one identifier, are of one identity at one server.
  fileprivate func isSame(as other: Account) -> Bool {
    kind == other.kind && tokenType == other.tokenType && identity == other.identity && service == other.service
  }
}

/// The locks of several accounts at once, taken in the order of their identifiers: two moves can't wait for each other,
/// and every other command takes one account's lock alone.
final class MovingLocks: Sendable {
  private let files: Files
  private let held = Mutex<[AccountID: HeldLock]>([:])

  init(_ files: Files) { self.files = files }

  /// Takes the locks that are not held yet.
  func take(_ ids: some Sequence<AccountID>) async throws(EngineError) {
    let missing = Set(ids).subtracting(held.withLock { Set($0.keys) })
    for id in missing.sorted(by: { $0.description < $1.description }) {
      let lock: HeldLock
      do { lock = try await files.lock(.account(id), 120) } catch { throw .files(.failed(error)) }
      held.withLock { $0[id] = lock }
    }
  }

  /// Releases all of them.
  func release() {
    let locks = held.withLock { held in
      defer { held = [:] }
      return Array(held.values)
    }
    for lock in locks { lock.release() }
  }
}
