import AcctEngine
import AcctModel
import AcctPorts
import FleetPorts
import Secrets
import Synchronization

/// Moves all accounts from the keyring in use to another one, completely or not at all.
///
/// 1. The locks of all accounts, here and in the target, are taken: nothing is renewed meanwhile.
/// 2. All obstacles to the move are checked, before anything is written.
/// 3. The decision notes the target. Each account is copied, and read back.
/// 4. One atomic write of the decision makes the target the keyring in use.
/// 5. They are removed from the source, and the note is deleted.
///
/// A process that is killed before step 4 leaves them in the source, after it in the target. The same move can then be
/// repeated.
struct MoveKeyring: Sendable {
  let context: EngineContext
  let choice: KeyringChoice

  init(_ context: EngineContext) {
    self.context = context
    choice = KeyringChoice(context.world)
  }

  /// The result.
  struct Outcome: Sendable {
    /// The accounts that were copied.
    var moved: [AccountName] = []
    /// Their former keyring; `nil` if they were in the target already.
    var source: Keyring.Kind?
    /// The accounts that were removed from a shared keyring, after an earlier move had copied them.
    var removed: [AccountName] = []
    /// The accounts that are still on the shared keyring, too: if they were to be removed, because their credentials
    /// there differ; otherwise those that can be renewed.
    var staying: [AccountName] = []
  }

  /// Moves the accounts.
  ///
  /// - Parameters:
  ///   - kind: The target; a shared keyring is one that this machine has made or joined.
  ///   - removing: `true` to remove accounts also from a shared keyring, which other machines may use.
  /// - Returns: The result.
  /// - Throws: ``EngineError``; the accounts are then still in the source, except for
  ///   ``KeyringSharingError/notRemoved(_:from:to:)``.
  func move(to kind: Keyring.Kind, removingShared removing: Bool) async throws(EngineError) -> Outcome {
    if let demanded = try choice.demanded() { throw .keyring(.demanded(demanded)) }
    let target = choice.keyring(kind)
    do { try await target.prepare(context.interaction) } catch { throw .keyring(.failed(error, kind)) }
    guard let decision = try choice.recorded() else {
      // Without a decision there is no account, or it was lost.
      guard try context.world.accountIDs().isEmpty else {
        throw .keyring(.notChosen(.missing))
      }
      try choice.record(KeyringDecision(kind: kind))
      try await SharedRecords(in: target, context)?.pull()
      return Outcome()
    }
    // The remains of an earlier move are removed first: they might be in this one's target.
    if case .from(let source) = decision.move { try await finish(from: source, in: decision.kind) }
    guard decision.kind != kind else {
      if case .to = decision.move { try choice.record(KeyringDecision(kind: kind)) }
      try await SharedRecords(in: target, context)?.pull()
      return removing ? try await cleanedUp(in: target) : Outcome()
    }
    let source = choice.keyring(decision.kind)
    var written = WrittenCopies()
    if decision.move == .to(kind) { written = decision.written }
    return try await moved(from: source, to: target, removing || !decision.kind.isShared, written)
  }

  private func moved(
    from source: Keyring,
    to target: Keyring,
    _ removes: Bool,
    _ earlier: WrittenCopies
  ) async throws(EngineError) -> Outcome {
    let locks = MovingLocks(context.world.files)
    defer { locks.release() }
    let survey = MoveSurvey(context: context, source: source, target: target)
    var plan = try await survey.plan(holding: locks).noted(by: context)
    let held = context.world.signals.holdBack()
    defer { held.release() }
    var written = earlier
    let copy = CopyAccounts(context, from: source, to: target)
    do throws(EngineError) {
      try await copyAll(of: plan, besides: [], by: copy, &written)
      // An account that was added meanwhile is there under the book's lock, or nowhere yet.
      while true {
        let done = try await context.accountStore.exclusively { () throws(EngineError) -> Bool in
          guard try plan.isWhole(context) else { return false }
          let move = removes ? KeyringDecision.Move.from(source.kind) : nil
          try choice.record(KeyringDecision(kind: target.kind, move: move))
          return true
        }
        if done { break }
        let known = Set(plan.accounts.map(\.id))
        plan = try await survey.plan(holding: locks).noted(by: context)
        try await copyAll(of: plan, besides: known, by: copy, &written)
      }
    } catch {
      // The first failure is the one to report; a note that stays shows that the move can be repeated.
      if await copy.undo() { try? choice.record(KeyringDecision(kind: source.kind)) }
      throw error
    }
    try await settleFiles(plan, in: target)
    var outcome = Outcome(moved: plan.accounts.map(\.name), source: source.kind)
    let ids = plan.accounts.map(\.id)
    let staying = removes ? try await remove(ids, from: source, in: target.kind) : Set(ids)
    outcome.staying = plan.accounts
      .filter { staying.contains($0.id) && (removes || $0.tokenLifetime.canRenew) }.map(\.name)
    return outcome
  }

  /// Notes the copies that are about to be written, and writes them.
  private func copyAll(
    of plan: MovePlan,
    besides known: Set<AccountID>,
    by copy: CopyAccounts,
    _ written: inout WrittenCopies
  ) async throws(EngineError) {
    let accounts = plan.accounts.filter { !known.contains($0.id) }
    let wanted = accounts.filter { account in !copy.staysThere(account, beside: plan.inTarget[account.id], written) }
    if copy.target.kind.isShared {
      for account in wanted {
        written.note(account)
        if let there = copy.account(account.id, in: plan.inTarget) { written.note(there) }
      }
    }
    try choice.record(KeyringDecision(kind: copy.source.kind, move: .to(copy.target.kind), written: written))
    for account in wanted { try await copy.copy(account, beside: plan.inTarget[account.id]) }
  }

  /// Replaces this machine's files by those of the target's accounts; the caller holds their locks.
  private func settleFiles(_ plan: MovePlan, in target: Keyring) async throws(EngineError) {
    for account in plan.accounts {
      try context.accountStore.save(target.kind.isShared ? account.withoutFiles : account)
    }
    for (id, record) in plan.inTarget where target.kind.isShared {
      // The record of a copied account is the same there, or newer.
      guard let accounts = target.accounts else { continue }
      // The file belongs to another account, which was imported with the same identifier.
      if let own = try keptIn(id), own != target.kind.rawValue { continue }
      let current: [UInt8]?
      do { current = try accounts.fetch(id, context.interaction) } catch { throw .keyring(.failed(error, target.kind)) }
      try context.accountStore.take(current ?? record, of: id)
    }
    for id in plan.removedElsewhere { try await context.forget(id) }
    for var account in plan.keptElsewhere where account.keptIn == target.kind.rawValue {
      // Now it is the keyring of all accounts.
      guard !target.kind.isShared else { continue }
      account.keptIn = nil
      try context.accountStore.save(account)
    }
  }

  /// The separate keyring that an account's file names.
  private func keptIn(_ id: AccountID) throws(EngineError) -> String? {
    guard let file = try context.accountStore.contents(of: id) else { return nil }
    return context.accountStore.account(id, in: file)?.keptIn
  }

  /// Removes the remains of an interrupted move from the source.
  private func finish(from kind: Keyring.Kind, in current: Keyring.Kind) async throws(EngineError) {
    let ids = try context.world.accountIDs()
    let locks = MovingLocks(context.world.files)
    defer { locks.release() }
    try await locks.take(ids)
    let source = choice.keyring(kind)
    var left: [AccountID] = []
    for id in ids where try await isLeft(id, in: source, current) { left.append(id) }
    _ = try await remove(left, from: source, in: current)
  }

  /// Returns `true` if a move left the source's copy of an account behind: not if the source is the account's own
  /// keyring, or the only one with its credentials, or its file is missing or damaged.
  private func isLeft(_ id: AccountID, in source: Keyring, _ current: Keyring.Kind) async throws(EngineError) -> Bool {
    guard let file = try context.accountStore.contents(of: id),
      let account = context.accountStore.account(id, in: file), account.keptIn != source.kind.rawValue
    else { return false }
    // The copies of a shared keyring are compared before they are removed.
    guard source.accounts == nil else { return true }
    do throws(KeyringFailure) {
      return try await !choice.keyring(current).read(id, ItemKind.allCases, context.interaction).isEmpty
    } catch {
      throw .sharing(.notRemoved(error, from: source.kind, to: current))
    }
  }

  /// Removes accounts from this machine's shared keyring that an earlier move has copied to the one in use.
  private func cleanedUp(in current: Keyring) async throws(EngineError) -> Outcome {
    guard !current.kind.isShared else { return Outcome() }
    let settings: SharedKeyringSettings?
    do { settings = try context.sharedKeyring.settings() } catch { throw .keyring(.failed(error, current.kind)) }
    guard let shared = settings?.kind else { return Outcome() }
    let source = choice.keyring(shared)
    let locks = MovingLocks(context.world.files)
    defer { locks.release() }
    var outcome = Outcome(source: shared)
    try await locks.take(try context.accountStore.listing().accounts.map(\.id))
    let held = context.world.signals.holdBack()
    defer { held.release() }
    for account in try context.accountStore.listing().accounts where account.keptIn == nil {
      guard let isRemoved = try await remove(account, from: source, in: current) else { continue }
      if isRemoved {
        outcome.removed.append(account.name)
      } else {
        outcome.staying.append(account.name)
      }
    }
    return outcome
  }

  /// Removes an account from a shared keyring, if its credentials in the one in use are the same.
  ///
  /// - Returns: `true` if it was removed; `nil` if it is not there.
  private func remove(
    _ account: Account,
    from source: Keyring,
    in current: Keyring
  ) async throws(EngineError) -> Bool? {
    guard let accounts = source.accounts else { return nil }
    do throws(KeyringFailure) {
      guard try accounts.fetch(account.id, context.interaction) != nil else { return nil }
      let here = try await current.read(account.id, ItemKind.allCases, context.interaction)
      let there = try await source.read(account.id, ItemKind.allCases, context.interaction)
      // Two machines' clocks do not show which ones are newer; and other machines use those there.
      guard !here.isEmpty, here == there else { return false }
      try accounts.remove(account.id, context.event(.removed), context.interaction)
      return true
    } catch {
      throw .sharing(.notRemoved(error, from: source.kind, to: current.kind))
    }
  }

  /// Removes accounts from the source of a move.
  ///
  /// - Returns: The accounts that stay in a shared keyring, since their credentials there differ by now.
  private func remove(
    _ ids: [AccountID],
    from source: Keyring,
    in current: Keyring.Kind
  ) async throws(EngineError) -> Set<AccountID> {
    var staying: Set<AccountID> = []
    do throws(KeyringFailure) {
      for id in ids {
        if let accounts = source.accounts {
          guard try accounts.fetch(id, context.interaction) != nil else { continue }
          let there = try await source.read(id, ItemKind.allCases, context.interaction)
          let here = try await choice.keyring(current).read(id, ItemKind.allCases, context.interaction)
          guard there == here else {
            staying.insert(id)
            continue
          }
          try accounts.remove(id, context.event(.removed), context.interaction)
        } else {
          try await source.remove(id, ItemKind.allCases, context.interaction)
        }
      }
    } catch {
      throw .sharing(.notRemoved(error, from: source.kind, to: current))
    }
    try choice.record(KeyringDecision(kind: current))
    return staying
  }
}

/// Copies accounts to another keyring, one after the other, and reads each back; the caller holds their locks.
final class CopyAccounts: Sendable {
  private let context: EngineContext
  let source: Keyring
  let target: Keyring
  /// The accounts that were written, and were not there before.
  private let copied = Mutex<[SharedAccount]>([])

  init(_ context: EngineContext, from source: Keyring, to target: Keyring) {
    self.context = context
    self.source = source
    self.target = target
  }

  /// Returns `true` if the target has a newer version of an account, which another machine has renewed, and which is
  /// kept.
  ///
  /// - Parameters:
  ///   - account: The account in the source.
  ///   - known: Its record in a shared target.
  ///   - written: The copies that an interrupted move has written there.
  /// - Returns: `true` if the target's version is kept.
  func staysThere(_ account: Account, beside known: [UInt8]?, _ written: WrittenCopies) -> Bool {
    guard let there = known.flatMap({ context.accountStore.account(account.id, in: $0) }) else { return false }
    // Without such a move the two have no known state in common, and only their times decide.
    return written.areOthers(there) ?? there.isNewer(than: account)
  }

  /// The account in a record.
  func account(_ id: AccountID, in records: [AccountID: [UInt8]]) -> Account? {
    records[id].flatMap { context.accountStore.account(id, in: $0) }
  }

  /// Copies an account, over the target's if there is one.
  func copy(_ account: Account, beside known: [UInt8]?) async throws(EngineError) {
    let before = known.flatMap { context.accountStore.account(account.id, in: $0) }
    let items = try await read(account.id, in: source)
    // Its credentials are only in the target, as after ACCT_KEYRING for one command: there is nothing to copy.
    if items.isEmpty, try await !read(account.id, in: target).isEmpty { return }
    let stored = StoredAccount(account: account, items: items)
    guard let accounts = target.accounts else {
      noteCopied(SharedAccount(id: account.id, name: account.name, record: [], items: .unchanged))
      try await CredentialStore(of: account, in: target, context).replaceAll(with: stored.orderedItems)
      guard try await read(account.id, in: target) == items else { throw lost(account) }
      return
    }
    let shared = SharedAccount(
      id: account.id,
      name: account.name,
      record: AccountFile.encode(account.withoutFiles),
      items: .replacing(stored.orderedItems)
    )
    if before == nil { noteCopied(shared) }
    do { try accounts.store(shared, context.interaction) } catch {
      switch error {
      case .keyring(let failure): throw .keyring(.failed(failure, target.kind))
      case .nameTaken: throw .sharing(.namesTaken([account.name]))
      // It was added and removed in these moments: the move can be made again.
      case .removed, .superseded: throw lost(account)
      }
    }
    guard try record(of: account.id, accounts) == shared.record, try await read(account.id, in: target) == items
    else { throw lost(account) }
  }

  /// Removes the new copies from the target, as far as that is possible now; returns `true` if none is left.
  ///
  /// An account that another machine has changed since stays there.
  func undo() async -> Bool {
    var isDone = true
    for account in copied.withLock({ $0 }) {
      do throws(EngineError) { try await undo(account) } catch { isDone = false }
    }
    return isDone
  }

  private func undo(_ account: SharedAccount) async throws(EngineError) {
    guard let accounts = target.accounts else {
      return try await CredentialStore.removeAll(of: account.id, in: target, context)
    }
    guard let current = try record(of: account.id, accounts) else { return }
    guard current == account.record, case .replacing(let items) = account.items else {
      throw .sharing(.notKept(account.name))
    }
    let written = Dictionary(items.map { ($0.kind, $0.secret) }) { first, _ in first }
    guard try await read(account.id, in: target) == written else { throw .sharing(.notKept(account.name)) }
    do { try accounts.remove(account.id, nil, context.interaction) } catch {
      throw .keyring(.failed(error, target.kind))
    }
  }

  private func noteCopied(_ account: SharedAccount) {
    // Before the write, which may be made although it fails.
    copied.withLock { $0.append(account) }
  }

  private func lost(_ account: Account) -> EngineError { .sharing(.notKept(account.name)) }

  private func record(of id: AccountID, _ accounts: SharedAccounts) throws(EngineError) -> [UInt8]? {
    do { return try accounts.fetch(id, context.interaction) } catch { throw .keyring(.failed(error, target.kind)) }
  }

  private func read(_ id: AccountID, in keyring: Keyring) async throws(EngineError) -> [ItemKind: Secret] {
    do { return try await keyring.read(id, ItemKind.allCases, context.interaction) } catch {
      throw .keyring(.failed(error, keyring.kind))
    }
  }
}

extension Account {
  /// Returns `true` if a server has confirmed it later, by the clocks of the machines that have asked it.
  func isNewer(than other: Account) -> Bool {
    guard let mine = validatedAt else { return false }
    guard let others = other.validatedAt else { return true }
    return mine.seconds(since: others) > 0
  }
}
