package import AcctModel
package import AcctPorts

/// The accounts, read from their files: works offline, and while the keyring is locked.
package struct AccountStore: Sendable {
  let world: World

  init(_ world: World) { self.world = world }

  /// The account with an identifier, or `nil` if there is none.
  package func account(_ id: AccountID) throws(EngineError) -> Account? {
    do throws(EngineError) {
      guard let bytes = try read(.account(id)) else { return nil }
      if let account = account(id, in: bytes) { return account }
    } catch {
      guard case .files(.failed(.unsafe)) = error else { throw error }
    }
    throw .files(.skipped(skipped(id)))
  }

  /// The account in a file's bytes, or `nil` if they are not this account's.
  func account(_ id: AccountID, in bytes: [UInt8]) -> Account? {
    guard let account = AccountFile.decode(bytes), account.id == id else { return nil }
    return account
  }

  /// Passes the accounts' files to `body`; see ``Files/eachAccount``.
  func each(_ body: Files.SomeAccounts) throws(EngineError) {
    do { try world.files.eachAccount(body) } catch { throw .files(.failed(error)) }
  }

  func save(_ account: Account) throws(EngineError) {
    if account.origins.hasPaths { try notePlaces() }
    do { try world.files.replace(.account(account.id), AccountFile.encode(account)) } catch {
      throw .files(.failed(error))
    }
  }

  /// The bytes of an account's file; `nil` without one.
  func contents(of id: AccountID) throws(EngineError) -> [UInt8]? { try read(.account(id)) }

  /// Replaces an account's file by a record from a shared keyring, if it differs.
  ///
  /// - Throws: ``FilesError/damagedAccount(_:)`` for a record that is not this account's; the file is unchanged.
  func take(_ record: [UInt8], of id: AccountID) throws(EngineError) {
    guard let account = account(id, in: record) else { throw .files(.damagedAccount(id)) }
    if account.origins.hasPaths { try notePlaces() }
    try update(id, to: record)
  }

  /// `true` if an account may have places, so that a path can be another's than the active account's.
  func mayHavePlaces() throws(EngineError) -> Bool { try read(.places) != nil }

  /// Notes, before an account with places is stored, that there is one.
  ///
  /// A note without one costs only time.
  private func notePlaces() throws(EngineError) {
    guard try !mayHavePlaces() else { return }
    do { try world.files.replace(.places, []) } catch { throw .files(.failed(error)) }
  }

  /// Replaces an account's file by a record from elsewhere, if it differs.
  func update(_ id: AccountID, to record: [UInt8]) throws(EngineError) {
    guard try read(.account(id)) != record else { return }
    do { try world.files.replace(.account(id), record) } catch { throw .files(.failed(error)) }
  }

  func delete(_ id: AccountID) throws(EngineError) {
    do { try world.files.remove(.account(id)) } catch { throw .files(.failed(error)) }
  }

  /// The active account and the one before it.
  package func active() throws(EngineError) -> ActiveAccounts { ActiveAccounts(bytes: try read(.active) ?? []) }

  package func setActive(_ active: ActiveAccounts) throws(EngineError) {
    do { try world.files.replace(.active, active.bytes) } catch { throw .files(.failed(error)) }
  }

  private func read(_ file: StoredFile) throws(EngineError) -> [UInt8]? {
    do { return try world.files.read(file) } catch { throw .files(.failed(error)) }
  }

  /// Does `body` while no other process changes names or the active account.
  package func exclusively<Result>(_ body: () async throws(EngineError) -> Result) async throws(EngineError) -> Result {
    try await world.files.withLock(.book, waiting: 30, failure: { .files(.failed($0)) }, body)
  }

  /// Does `body` while no other process changes this account.
  ///
  /// If both locks are needed, this one is taken first: it may be held across a network call, and no holder of the
  /// book may wait for that.
  func exclusively<Result>(
    _ id: AccountID,
    _ body: () async throws(EngineError) -> Result
  ) async throws(EngineError) -> Result {
    try await world.files.withLock(.account(id), waiting: 120, failure: { .files(.failed($0)) }, body)
  }
}

/// The file `active`: the active account's identifier on the first line, the previous one's on
/// the second; a line is empty where there is none.
package struct ActiveAccounts: Equatable {
  package var current: AccountID?
  var previous: AccountID?

  init(current: AccountID? = nil, previous: AccountID? = nil) {
    self.current = current
    self.previous = previous
  }

  init(bytes: [UInt8]) {
    let lines = String(decoding: bytes, as: UTF8.self)
      .split(separator: "\n", omittingEmptySubsequences: false)
      .map { try? AccountID(String($0)) }
    current = lines.first ?? nil
    previous = lines.dropFirst().first ?? nil
  }

  var bytes: [UInt8] { Array("\(current?.description ?? "")\n\(previous?.description ?? "")\n".utf8) }

  /// Returns the file after `id` has become active.
  func switched(to id: AccountID) -> ActiveAccounts {
    id == current ? self : ActiveAccounts(current: id, previous: current)
  }

  /// Returns the file after `id` has been removed.
  ///
  /// No other account becomes active by itself: scripts would continue with another identity.
  package func without(_ id: AccountID) -> ActiveAccounts {
    ActiveAccounts(current: current == id ? nil : current, previous: previous == id ? nil : previous)
  }
}

extension EngineContext {
  /// The accounts' files.
  package var accountStore: AccountStore { AccountStore(world) }
}

extension AccountStore {
  /// A free name: the requested one, or that with the first free number.
  ///
  /// - Parameters:
  ///   - suggestion: The requested one.
  ///   - others: Names that are known to be taken elsewhere.
  ///   - entropy: For a name where none with a number is possible.
  /// - Returns: The name.
  /// - Throws: ``FilesError/failed(_:)``.
  package func freeName(
    like suggestion: String,
    besides others: Set<AccountName> = [],
    _ entropy: Entropy
  ) throws(EngineError) -> AccountName {
    let taken = Set(try listing().accounts.map(\.name.description) + others.map(\.description))
    let base = (try? AccountName(suggestion))?.description ?? "account"
    let candidates = [base] + (2...).lazy.prefix(taken.count + 1).map { "\(base)-\($0)" }
    for candidate in candidates where !taken.contains(candidate) {
      if let name = try? AccountName(candidate) { return name }
    }
    // Only a name of the greatest length can't get a number; the identifier is always free.
    do { return try AccountName(entropy.accountID().description) } catch { throw .input(.malformed(error)) }
  }

  func requireFree(_ name: AccountName, besides others: Set<AccountName> = []) throws(EngineError) {
    let (accounts, damaged) = try listing()
    guard !others.contains(name), !accounts.contains(where: { $0.name == name }) else {
      throw .selection(.nameTaken(name))
    }
    if let skipped = skipped(damaged, answeringTo: name.description) { throw .files(.skipped(skipped)) }
  }
}
