package import AcctModel
package import AcctPorts

/// Replaces an account's credentials; whenever that is interrupted, either the old or the new ones are complete.
///
/// A keyring writes one item after the other, and a new key makes the old token useless at once. So the new ones are
/// first written beside the old, under a separate identifier:
///
/// 1. The account's file notes their place, so that no secret is left without a trace.
/// 2. They are written there. Up to here the old ones are complete, and the account's.
/// 3. The file is replaced by the new account's, with the note that its credentials are complete there. It is one
///    atomic write; from then on the new ones are the account's.
/// 4. They are copied over the old ones, and old items without a new one are removed.
/// 5. The note is changed to incomplete, the items there are removed, and the note is deleted.
///
/// The note does not block readers of the old credentials. A process that reads or writes an account with the note of
/// step 3 finishes steps 4 and 5 first, under the account's lock; so does one that begins another change.
///
/// A shared keyring takes the account and all its items in one step, and needs no second place.
package struct ReplaceCredentials: Sendable {
  private let context: EngineContext
  private let accountStore: AccountStore

  package init(_ context: EngineContext) {
    self.context = context
    accountStore = context.accountStore
  }

  /// Replaces an account; the caller holds its lock, and not the book's.
  ///
  /// - Parameters:
  ///   - known: The account as it is, settled.
  ///   - account: The account with its changes, perhaps under another name.
  ///   - items: Its credentials.
  ///   - keyring: The keyring that holds them.
  ///   - waits: `true` to wait for a keyring that can't store them now.
  ///   - activates: `true` to make it the active account.
  /// - Throws: ``EngineError``; then the account is unchanged.
  func replace(
    _ known: Account,
    with account: Account,
    _ items: [Keyring.Item],
    in keyring: Keyring,
    waits: Bool,
    activates: Bool
  ) async throws(EngineError) {
    let credentialStore = CredentialStore(of: account, in: keyring, context)
    if credentialStore.shared != nil { return try await exchangeAtOnce(items, in: credentialStore, waits, activates) }
    let place = context.world.entropy.accountID()
    let noted = known.noting(place, isWhole: false)
    do throws(EngineError) {
      try accountStore.save(noted)
      let beside = CredentialStore(of: account.renumbered(place), in: keyring, context)
      if waits {
        try await KeyringRetry(context).write(items, with: beside.account, to: beside)
      } else {
        try await beside.write(items)
      }
      try await exchange(known, for: account.noting(place, isWhole: true), activates)
    } catch {
      // The file may hold the new account after all: a write that fails may have been done. A change that can't be
      // reverted now is reverted by the next one; the first failure is the one to report.
      try? await takeBack(noted)
      throw error
    }
    // Nothing is lost by a failure from here on: the next use of the credentials finishes this.
    _ = try? await settled(account.noting(place, isWhole: true))
  }

  /// Finishes an interrupted replacement; the caller holds the account's lock.
  ///
  /// - Parameter account: The account as its file has it now.
  /// - Returns: The account, with its credentials in their own place.
  /// - Throws: ``EngineError`` if the keyring or the file can't be written now.
  package func settled(_ account: Account) async throws(EngineError) -> Account {
    guard let incoming = account.incoming else { return account }
    let keyring = try KeyringChoice(context.world).keyring(of: account)
    if incoming.isWhole {
      let items = try await CredentialStore(of: account.renumbered(incoming.place), in: keyring, context)
        .items(ItemKind.allCases)
      // If another program has removed them, the rest of the old ones is still of use.
      if !items.isEmpty {
        try await CredentialStore(of: account, in: keyring, context)
          .replaceAll(with: StoredAccount(account: account, items: items).orderedItems)
      }
      // The note first: half-removed items must not be taken for complete ones.
      try accountStore.save(account.noting(incoming.place, isWhole: false))
    }
    try await CredentialStore.removeAll(of: incoming.place, in: keyring, context)
    var account = account
    account.incoming = nil
    try accountStore.save(account)
    return account
  }

  /// Exchanges everything in one step, which a shared keyring supports.
  private func exchangeAtOnce(
    _ items: [Keyring.Item],
    in credentialStore: CredentialStore,
    _ waits: Bool,
    _ activates: Bool
  ) async throws(EngineError) {
    let account = credentialStore.account
    let active = try accountStore.active()
    // First, as below: a failure after the decisive step would have to be undone.
    if activates {
      try await accountStore.exclusively { () throws(EngineError) in
        try accountStore.setActive(accountStore.active().switched(to: account.id))
      }
    }
    do throws(EngineError) {
      guard waits else { return try await credentialStore.replaceAll(with: items) }
      try await KeyringRetry(context).run(for: account.name.description) {
        (interaction) async throws(EngineError) in
        var credentialStore = credentialStore
        credentialStore.context.interaction = interaction
        try await credentialStore.replaceAll(with: items)
      }
    } catch {
      guard activates else { throw error }
      try? await accountStore.exclusively { () throws(EngineError) in
        guard try accountStore.active() == active.switched(to: account.id) else { return }
        try accountStore.setActive(active)
      }
      throw error
    }
  }

  /// Makes the new account the valid one.
  private func exchange(_ known: Account, for account: Account, _ activates: Bool) async throws(EngineError) {
    try await accountStore.exclusively { () throws(EngineError) in
      if account.name != known.name { try accountStore.requireFree(account.name) }
      let active = try accountStore.active()
      // Before the decisive write, since a failure after it would have to undo it.
      if activates { try accountStore.setActive(active.switched(to: account.id)) }
      do throws(EngineError) { try accountStore.save(account) } catch {
        if activates { try? accountStore.setActive(active) }
        throw error
      }
    }
  }

  private func takeBack(_ noted: Account) async throws(EngineError) {
    try accountStore.save(noted)
    _ = try await settled(noted)
  }
}

extension Account {
  /// Returns a copy with a note of the place of new credentials.
  fileprivate func noting(_ place: AccountID, isWhole: Bool) -> Account {
    var account = self
    account.incoming = Incoming(place: place, isWhole: isWhole)
    return account
  }
}

extension EngineContext {
  /// Runs `body` with an account's credentials while no other process changes either.
  ///
  /// The caller's copy of the account may be outdated, so it is read again under its lock; and an interrupted
  /// replacement is finished first, so that the credentials are in their own place, and nothing written there is
  /// overwritten later. Changes by other machines that share the keyring are fetched before.
  ///
  /// - Parameters:
  ///   - account: The account.
  ///   - allowingCopy: `true` if this machine's copy suffices when a shared keyring's engine can't be asked.
  ///   - body: The work with the account as it is now, and with its items in the keyring.
  /// - Returns: What `body` returns.
  /// - Throws: What `body` throws; ``SelectionError/unknown(reference:selectedBy:candidates:)`` if the account has
  ///   been removed; the failure of the lock, the file or the keyring.
  package func withExclusiveAccess<Result>(
    to account: Account,
    allowingCopy: Bool = false,
    _ body: (Account, CredentialStore) async throws(EngineError) -> Result
  ) async throws(EngineError) -> Result {
    try await accountStore.exclusively(account.id) {
      () throws(EngineError) -> Result in
      let credentialStore = try await settledCredentials(of: account, allowingCopy: allowingCopy)
      return try await body(credentialStore.account, credentialStore)
    }
  }

  /// Reads the account again and finishes an interrupted replacement; the caller holds the lock.
  package func settledCredentials(
    of account: Account,
    allowingCopy: Bool = false
  ) async throws(EngineError) -> CredentialStore {
    let keyring = try KeyringChoice(world).keyring(of: try asInFile(account))
    if let shared = place(in: keyring) {
      do throws(EngineError) { try await shared.fetch(account) } catch let error {
        guard allowingCopy, case .keyring(.failed) = error else { throw error }
      }
    }
    guard let current = try accountStore.account(account.id) else { throw .removed(account) }
    return CredentialStore(of: try await ReplaceCredentials(self).settled(current), in: keyring, self)
  }

  /// Returns an account as its file has it now, since a move may have changed its keyring; the caller holds its lock.
  ///
  /// If the file is missing or damaged, the account is returned unchanged: the next step reports that.
  private func asInFile(_ account: Account) throws(EngineError) -> Account {
    guard let file = try accountStore.contents(of: account.id) else { return account }
    return accountStore.account(account.id, in: file) ?? account
  }

  /// Changes an account's record alone, while no other process changes it.
  ///
  /// - Parameters:
  ///   - account: The account.
  ///   - body: The change; it gets the shared keyring to save the record in besides its file, reads the record from
  ///     the file, and may be called again if another machine changes it at the same time.
  /// - Returns: What `body` returns.
  /// - Throws: What `body` throws; ``EngineError/removed(_:)``.
  func withExclusiveRecord<Result>(
    of account: Account,
    _ body: ((any AccountPlace)?) async throws(EngineError) -> Result
  ) async throws(EngineError) -> Result {
    try await accountStore.exclusively(account.id) { () throws(EngineError) -> Result in
      guard try asInFile(account).keptIn == nil, let shared = try sharedPlace() else { return try await body(nil) }
      return try await unlessChanged { () throws(EngineError) -> Result in
        try await shared.fetch(account)
        return try await body(shared)
      }
    }
  }
}

extension EngineContext {
  /// The place of the accounts that this machine shares; `nil` if its keyring is its own, or none has been chosen.
  package func sharedPlace() throws(EngineError) -> (any AccountPlace)? {
    try KeyringChoice(world).shared().flatMap { place(in: $0) }
  }

  /// An account as the engine of a shared keyring has it now; as it is, where the keyring is this machine's own.
  ///
  /// - Throws: As ``AccountPlace/fetch(_:)``.
  func latest(_ account: Account) async throws(EngineError) -> Account {
    guard account.keptIn == nil, let shared = try sharedPlace() else { return account }
    return try await shared.latest(account)
  }

  /// Runs `body`, and repeats it if another machine has changed the account since it was read, or if the time to send
  /// had passed when the connection was ready.
  ///
  /// - Parameter body: Reads the account and decides anew each time.
  /// - Returns: What `body` returns.
  /// - Throws: What `body` throws; after a few rounds, also these two errors.
  package func unlessChanged<Result>(_ body: () async throws(EngineError) -> Result) async throws(EngineError) -> Result
  {
    for _ in 1..<Self.rounds {
      do { return try await body() } catch .keyring(.changedElsewhere) {
      } catch .network(.http(.withheld, _)) {}
    }
    return try await body()
  }

  private static let rounds = 5
}

extension AccountStore {
  /// Saves an account: on the engine first, where the keyring is shared.
  func save(_ account: Account, sharing shared: (any AccountPlace)?) throws(EngineError) {
    if let shared { try shared.store(account, .unchanged) } else { try save(account) }
  }
}

extension EngineError {
  /// The error for an account that was removed after the command began.
  package static func removed(_ account: Account) -> EngineError {
    .selection(.unknown(reference: account.name.description, selectedBy: .option, candidates: []))
  }
}

/// Waits for a keyring that can't store an answer that a server gives only once.
///
/// Before the request, the keyring was writable. If it has been locked since, or its process has ended, the user gets
/// time to restore it: meanwhile the credentials are only in memory, and without them the session may be lost.
package struct KeyringRetry: Sendable {
  private let context: EngineContext

  package init(_ context: EngineContext) { self.context = context }

  /// Runs an operation of the keyring, and repeats it every second if it fails for a temporary reason.
  ///
  /// A person gets 2 minutes, as when the keyring itself prompts. If no person may be asked, or none could be, another
  /// program may still unlock it, and gets 10 seconds.
  ///
  /// - Parameters:
  ///   - owner: The owner of the session, as the user sees it.
  ///   - attempt: The operation; only its first run may ask a person.
  /// - Returns: What `attempt` returns.
  /// - Throws: The error of the first attempt; ``KeyringError/notStored(_:_:)`` if the keyring did not recover in
  ///   time.
  package func run<Value: Sendable>(
    for owner: String,
    _ attempt: (Interaction) async throws(EngineError) -> Value
  ) async throws(EngineError) -> Value {
    let patience = Patience(context, owner)
    defer { patience.finish() }
    while true {
      do throws(EngineError) { return try await attempt(patience.interaction) } catch {
        try await patience.wait(after: error)
      }
    }
  }

  /// Writes items of an account.
  ///
  /// - Parameters:
  ///   - items: In the order in which they are written.
  ///   - account: The account after the write; a shared keyring stores it in the same step.
  ///   - credentialStore: The destination.
  /// - Throws: ``EngineError``, as above.
  package func write(
    _ items: [Keyring.Item],
    with account: Account,
    to credentialStore: CredentialStore
  ) async throws(EngineError) {
    try await run(for: credentialStore.account.name.description) {
      (interaction) async throws(EngineError) in
      var credentialStore = credentialStore
      credentialStore.context.interaction = interaction
      try await credentialStore.write(items, with: account)
    }
  }

  /// Writes items of an account, and saves it: after them, or in the same step.
  ///
  /// - Throws: ``EngineError``, as above.
  package func store(
    _ items: [Keyring.Item],
    with account: Account,
    in credentialStore: CredentialStore
  ) async throws(EngineError) {
    try await write(items, with: account, to: credentialStore)
    try credentialStore.saveWritten(account)
  }
}

/// The waits between the attempts, which are the same for every operation.
private final class Patience {
  private let context: EngineContext
  private let owner: String
  /// When the first attempt began.
  private let started: Timestamp
  /// The first failure is the one to report; `nil` before it.
  private var failure: EngineError?
  /// The end of the wait; `nil` as long as there is none.
  private var deadline: Timestamp?
  /// The most attempts that are left: an upper bound, in case the clock is set back meanwhile.
  private var left: Int64 = 0

  init(_ context: EngineContext, _ owner: String) {
    self.owner = owner
    self.context = context
    started = context.world.clock.now()
  }

  /// Only the first attempt may ask a person.
  var interaction: Interaction { failure == nil ? context.interaction : .forbidden }

  /// Waits a second, if the keyring has to recover before another attempt.
  ///
  /// - Parameter error: The failure of the last attempt.
  /// - Throws: The error to report, if there is no other attempt.
  @inline(never)
  func wait(after error: EngineError) async throws(EngineError) {
    let first = failure ?? error
    guard case .keyring(.failed(let cause, let kind)) = first else { throw first }
    defer { failure = first }
    // A single failure, such as of a disk, need not repeat itself.
    if case .failed = cause, failure == nil { return }
    guard cause.mayPass else { throw first }
    let end = deadline ?? begin(for: cause, kind)
    let isOver = left <= 0 || context.world.clock.now().seconds(since: end) >= 0
    left -= 1
    guard !isOver, await context.world.clock.sleep(1) else { throw .keyring(.notStored(cause, kind)) }
  }

  /// Reports that the wait is over, if there was one.
  func finish() { if deadline != nil { context.report(.over) } }

  /// Begins to wait.
  ///
  /// An attempt may take seconds itself, so the clock counts, and not the attempts. A person's time begins when the
  /// first attempt, in which the keyring may have prompted, has failed.
  private func begin(for cause: KeyringFailure, _ kind: Keyring.Kind) -> Timestamp {
    let mayAsk = context.interaction == .allowed
    let seconds: Int64 = mayAsk && canBeAnswered(cause, kind) ? 120 : 10
    let end = (mayAsk ? context.world.clock.now() : started).adding(seconds: seconds)
    deadline = end
    left = seconds
    context.report(.toStore(owner: owner, kind, seconds: seconds))
    return end
  }

  /// Returns `true` if a person is likely to notice the wait: at the terminal, or, if a provider of the Secret Service
  /// is running and locked, at its own prompt.
  private func canBeAnswered(_ cause: KeyringFailure, _ kind: Keyring.Kind) -> Bool {
    if context.world.terminal.canAsk() { return true }
    return cause.isLocked && kind == .secretService
  }
}
