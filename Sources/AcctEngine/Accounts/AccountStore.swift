package import AcctModel
package import AcctPorts
import StrictJSON
import Synchronization
import Text

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
  package func account(_ id: AccountID, in bytes: [UInt8]) -> Account? {
    guard let account = AccountFile.decode(bytes), account.id == id else { return nil }
    return account
  }

  /// Passes the accounts' files to `body`; see ``Files/eachAccount``.
  func each(_ body: Files.SomeAccounts) throws(EngineError) {
    do { try world.files.eachAccount(body) } catch { throw .files(.failed(error)) }
  }

  package func save(_ account: Account) throws(EngineError) {
    if account.origins.hasPaths { try notePlaces() }
    do { try world.files.replace(.account(account.id), AccountFile.encode(account)) } catch {
      throw .files(.failed(error))
    }
  }

  /// The bytes of an account's file; `nil` without one.
  package func contents(of id: AccountID) throws(EngineError) -> [UInt8]? { try read(.account(id)) }

  /// Replaces an account's file by a record from a shared keyring, if it differs.
  ///
  /// - Throws: ``FilesError/damagedAccount(_:)`` for a record that is not this account's; the file is unchanged.
  package func take(_ record: [UInt8], of id: AccountID) throws(EngineError) {
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
  package func exclusively<Result>(
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

extension AccountStore {
  /// Every account that can be read, by name, and the identifiers of those that can't.
  package func listing() throws(EngineError) -> (accounts: [Account], damaged: [AccountID]) { try listing { $0 } }

  /// The results of `show` for every readable account, by name, and the identifiers of the others.
  ///
  /// - Parameter show: Called where the account is read, on several threads at once if there are many: all cores share
  ///   the work, and only the returned value is kept of the account.
  /// - Returns: The results, and the identifiers.
  /// - Throws: ``FilesError/failed(_:)``.
  func listing<Shown: Sendable>(
    _ show: @Sendable (Account) -> Shown
  ) throws(EngineError) -> (accounts: [Shown], damaged: [AccountID]) {
    let found = Mutex(Found<Shown>())
    try each { files in
      var some = Found<Shown>()
      for (id, contents) in files {
        switch contents {
        case .success(let bytes):
          if let account = account(id, in: bytes) {
            some.accounts.append((account.name, id, show(account)))
          } else {
            some.damaged.append(id)
          }
        // One file that was tampered with must not hide the other accounts.
        case .failure(.unsafe): some.damaged.append(id)
        case .failure(let error): some.failure = error
        }
      }
      found.withLock { $0.take(some) }
      return some.failure == nil
    }
    return try found.withLock { found throws(EngineError) in try found.sorted() }
  }

  /// The results so far, in the order in which the files were read.
  private struct Found<Shown: Sendable>: Sendable {
    var accounts: [(name: AccountName, id: AccountID, shown: Shown)] = []
    var damaged: [AccountID] = []
    var failure: FilesFailure?

    mutating func take(_ more: Found) {
      accounts.append(contentsOf: more.accounts)
      damaged.append(contentsOf: more.damaged)
      failure = failure ?? more.failure
    }

    func sorted() throws(EngineError) -> (accounts: [Shown], damaged: [AccountID]) {
      if let failure { throw .files(.failed(failure)) }
      // A shown value may be large: it is moved once, and only its index is sorted.
      let names = accounts.map(\.name.description)
      let order = names.indices.sorted { left, right in
        // Two accounts have one name only if their files were edited by hand.
        names[left] == names[right]
          ? accounts[left].id.description < accounts[right].id.description
          : names[left] < names[right]
      }
      return (order.map { accounts[$0].shown }, damaged.sorted { $0.description < $1.description })
    }
  }

  /// The account of a name, or `nil` if there is none; reads files until it is found.
  package func account(named name: String) throws(EngineError) -> Account? {
    // The name as the file has it; a file without this text need not be parsed.
    let search = ByteSearch(of: JSON.string(name).serialized())
    let found = Mutex<(account: Account?, failure: FilesFailure?)>((nil, nil))
    try each { files in
      for (id, contents) in files {
        switch contents {
        case .success(let bytes):
          guard search.isIn(bytes), let account = account(id, in: bytes), account.name.description == name
          else { continue }
          found.withLock { $0.account = account }
          return false
        // As in a listing.
        case .failure(.unsafe): continue
        case .failure(let error): found.withLock { $0.failure = $0.failure ?? error }
        }
      }
      return true
    }
    let outcome = found.withLock(\.self)
    // The account may be in the file that could not be read.
    if outcome.account == nil, let failure = outcome.failure { throw .files(.failed(failure)) }
    return outcome.account
  }
}

/// A search for the same bytes in many files.
struct ByteSearch {
  private let bytes: [UInt8]

  /// - Parameter bytes: The bytes to look for; at least one.
  init(of bytes: [UInt8]) { self.bytes = bytes }

  /// Returns `true` if the bytes occur in `text`.
  func isIn(_ text: [UInt8]) -> Bool { end(in: text) != nil }

  /// The index after the first occurrence in `text`; `nil` if there is none.
  func end(in text: [UInt8]) -> Int? {
    let sought = bytes.span
    let text = text.span
    var start = 0
    while start + sought.count <= text.count {
      var length = 0
      while length < sought.count, text[start + length] == sought[length] { length += 1 }
      if length == sought.count { return start + length }
      start += 1
    }
    return nil
  }
}

extension EngineContext {
  /// Deletes an account's file, its limits, and its entry as the active account.
  package func forget(_ id: AccountID) async throws(EngineError) {
    let accountStore = accountStore
    try await accountStore.exclusively { () throws(EngineError) in
      let active = try accountStore.active()
      if active.without(id) != active { try accountStore.setActive(active.without(id)) }
      WaitingRefusals(world).forget(id)
      UseLog(self).forget(id)
      try await LimitsLedger(world).forget(id) { () throws(EngineError) in try accountStore.delete(id) }
    }
  }
}

extension AccountStore {
  /// The listed identifiers that no account's file names, in order: their items are orphans.
  ///
  /// The item of this machine's key for a shared keyring is no account's: `own`.
  ///
  /// `add` writes items before it writes the file, under the book's lock; only a holder of that
  /// lock can tell an orphan from an account that is being added.
  package func orphans(
    among listed: some Sequence<AccountID>,
    besides own: AccountID?
  ) throws(EngineError) -> [AccountID] {
    let (accounts, damaged) = try listing()
    let known = Set(accounts.map(\.id) + accounts.compactMap(\.incoming?.place) + damaged)
    return listed.filter { !known.contains($0) && $0 != own }.sorted { $0.description < $1.description }
  }
}

extension AddAccount {
  /// The number of accounts that have items in the keyring and no file, because an `add` was killed between the two; 0
  /// also if the keyring can't be listed.
  package func orphans() async -> Int {
    let orphans = try? await accountStore.exclusively { () throws(EngineError) -> [AccountID] in
      try accountStore.orphans(
        among: try await listed().keys,
        besides: context.fleet?.ownItem()
      )
    }
    return orphans?.count ?? 0
  }

  private func listed() async throws(EngineError) -> [AccountID: Set<ItemKind>] {
    let keyring = try KeyringChoice(context.world).decided()
    do { return try await keyring.list() } catch { throw .keyring(.failed(error, keyring.kind)) }
  }
}

extension EngineContext {
  /// The accounts whose files are not used; none if they can't be listed, which is a failure of its own.
  package func skippedAccounts() -> [SkippedAccount] {
    do throws(EngineError) { return skipped(try accountStore.listing().damaged) } catch { return [] }
  }

  /// Reads files that are not used again, to name their accounts.
  package func skipped(_ ids: [AccountID]) -> [SkippedAccount] { ids.map(accountStore.skipped) }
}

extension AccountStore {
  /// Reads a file that is not used again, to name its account.
  package func skipped(_ id: AccountID) -> SkippedAccount { examine(id).account }

  /// The first of some files that are not used whose account has this name or identifier; nothing may be sought in its
  /// place.
  func skipped(_ ids: [AccountID], answeringTo reference: String) -> SkippedAccount? {
    ids.lazy.map(skipped).first { $0.name?.description == reference || $0.id.description == reference }
  }

  /// The first of some files that are not used whose text has one of these origins.
  package func skipped(_ ids: [AccountID], with origins: [Origin]) -> SkippedAccount? {
    let searches = origins.map { ByteSearch(of: JSON.string($0.description).serialized()) }
    return ids.lazy.map(examine).first { found in searches.contains { $0.isIn(found.text) } }?.account
  }

  private func examine(_ id: AccountID) -> (account: SkippedAccount, text: [UInt8]) {
    let (path, text, isOwn) = world.files.inspect(.account(id))
    var flaw = SkippedAccount.Flaw.damaged
    do throws(FilesFailure) {
      _ = try world.files.read(.account(id))
      if let version = value(of: "version", in: text), version != "1" || AccountFile.isNewer(text) {
        flaw = .newer
      } else if let other = AccountFile.decode(text)?.id, other != id {
        flaw = .renamed(other)
      }
    } catch {
      if case .unsafe(_, let reason) = error { flaw = isOwn ? .mode(reason: reason) : .unsafe(reason: reason) }
    }
    let name = value(of: "name", in: text).flatMap { try? AccountName($0) }
    return (SkippedAccount(id: id, name: name, path: path, flaw: flaw), text)
  }

  /// The value of a member in the text of an object that need not be whole; `nil` for one that is cut short.
  private func value(of name: String, in text: [UInt8]) -> String? {
    guard let start = ByteSearch(of: Array("\"\(name)\":".utf8)).end(in: text) else { return nil }
    let rest = text[start...]
    guard let quote = rest.first, quote == UInt8(ascii: "\"") else {
      return String(decoding: rest.prefix(while: \.isASCIIDigit), as: UTF8.self)
    }
    let value = rest.dropFirst().prefix { $0 != quote }
    return value.endIndex < text.endIndex ? String(decoding: value, as: UTF8.self) : nil
  }
}
