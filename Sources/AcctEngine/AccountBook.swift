import AcctModel
import AcctPorts
import StrictJSON
import Synchronization

/// The accounts as files tell of them: works offline, and while the keyring is locked.
struct AccountBook: Sendable {
  private let files: Files

  init(_ files: Files) { self.files = files }

  /// The account with an identifier, or `nil` if there is none.
  func account(_ id: AccountID) throws(EngineError) -> Account? {
    guard let bytes = try read(.account(id)) else { return nil }
    guard let account = account(id, in: bytes) else { throw .damagedAccount(id) }
    return account
  }

  private func account(_ id: AccountID, in bytes: [UInt8]) -> Account? {
    guard let account = AccountFile.decode(bytes), account.id == id else { return nil }
    return account
  }

  /// Every account that can be read, by name, and the identifiers of those that can't.
  func listing() throws(EngineError) -> (accounts: [Account], damaged: [AccountID]) {
    try listing { $0 }
  }

  /// What `show` makes of every account that can be read, by name, and the identifiers of those
  /// that can't.
  ///
  /// - Parameter show: Called where the account is read, which may be on several threads at a
  ///   time: what is done there for each of thousands is done by all of the machine, and what it
  ///   returns is all that stays of the account.
  func listing<Shown: Sendable>(
    _ show: @Sendable (Account) -> Shown
  ) throws(EngineError) -> (accounts: [Shown], damaged: [AccountID]) {
    let found = Mutex(Found<Shown>())
    try each { id, contents in
      switch contents {
      case .success(let bytes):
        guard let account = account(id, in: bytes) else { break }
        let shown = show(account)
        found.withLock { found in
          found.labels.append(Label(name: account.name, id: id, place: found.shown.count))
          found.shown.append(shown)
        }
        return true
      // One file that somebody has tampered with must not hide the other accounts.
      case .failure(.unsafe): break
      case .failure(let error):
        found.withLock { $0.failure = error }
        return false
      }
      found.withLock { $0.damaged.append(id) }
      return true
    }
    let (labels, shown, damaged, failure) = found.withLock {
      ($0.labels, $0.shown, $0.damaged, $0.failure)
    }
    if let failure { throw .files(failure) }
    return (
      labels.sorted().map { shown[$0.place] }, damaged.sorted { $0.description < $1.description }
    )
  }

  /// What was found in the files, in whatever order they were read.
  private struct Found<Shown: Sendable>: Sendable {
    var labels: [Label] = []
    var shown: [Shown] = []
    var damaged: [AccountID] = []
    var failure: FilesFailure?
  }

  /// What an account is sorted by, and where it is: what is shown may be large, and is moved once.
  private struct Label: Comparable, Sendable {
    let name: AccountName
    let id: AccountID
    let place: Int

    static func < (left: Label, right: Label) -> Bool {
      // Two have one name only if somebody has written to their files.
      left.name == right.name ? left.id.description < right.id.description : left.name < right.name
    }
  }

  /// The account of a name, or `nil` if there is none; reads files until it is found.
  func account(named name: String) throws(EngineError) -> Account? {
    // As in the file; a file without this text need not be parsed.
    let mention = Mention(of: JSON.string(name).serialized())
    let found = Mutex<(account: Account?, failure: FilesFailure?)>((nil, nil))
    try each { id, contents in
      switch contents {
      case .success(let bytes):
        guard mention.isIn(bytes), let account = account(id, in: bytes),
          account.name.description == name
        else { return true }
        found.withLock { $0.account = account }
        return false
      // As in a listing.
      case .failure(.unsafe): break
      case .failure(let error): found.withLock { $0.failure = $0.failure ?? error }
      }
      return true
    }
    let outcome = found.withLock(\.self)
    // It may be the one in the file that could not be read.
    if outcome.account == nil, let failure = outcome.failure { throw .files(failure) }
    return outcome.account
  }

  private func each(_ body: Files.EachAccount) throws(EngineError) {
    do { try files.eachAccount(body) } catch { throw .files(error) }
  }

  func save(_ account: Account) throws(EngineError) {
    do { try files.replace(.account(account.id), AccountFile.encode(account)) } catch {
      throw .files(error)
    }
  }

  func delete(_ id: AccountID) throws(EngineError) {
    do { try files.remove(.account(id)) } catch { throw .files(error) }
  }

  /// The active account and the one before it.
  func active() throws(EngineError) -> ActiveAccounts {
    ActiveAccounts(bytes: try read(.active) ?? [])
  }

  func setActive(_ active: ActiveAccounts) throws(EngineError) {
    do { try files.replace(.active, active.bytes) } catch { throw .files(error) }
  }

  private func read(_ file: StoredFile) throws(EngineError) -> [UInt8]? {
    do { return try files.read(file) } catch { throw .files(error) }
  }

  /// Does `body` while nobody else changes names or the active account.
  func exclusively<Result>(
    _ body: () async throws(EngineError) -> Result
  ) async throws(EngineError) -> Result {
    try await files.holding(.book, waiting: 30, failure: EngineError.files, body)
  }

  /// Does `body` while nobody else changes this account.
  ///
  /// Where both locks are needed this one is taken first: it may be held across a network call,
  /// and nobody who holds the book may wait for that.
  func exclusively<Result>(
    _ id: AccountID,
    _ body: () async throws(EngineError) -> Result
  ) async throws(EngineError) -> Result {
    try await files.holding(.account(id), waiting: 120, failure: EngineError.files, body)
  }
}

/// The file `active`: the active account's identifier on the first line, the previous one's on
/// the second; a line is empty where there is none.
struct ActiveAccounts: Equatable {
  var current: AccountID?
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

  var bytes: [UInt8] {
    Array("\(current?.description ?? "")\n\(previous?.description ?? "")\n".utf8)
  }

  /// The same after `id` has become active.
  func switched(to id: AccountID) -> ActiveAccounts {
    id == current ? self : ActiveAccounts(current: id, previous: current)
  }

  /// The same after `id` has gone.
  ///
  /// No other account takes its place by itself: scripts would go on as somebody else.
  func without(_ id: AccountID) -> ActiveAccounts {
    ActiveAccounts(
      current: current == id ? nil : current,
      previous: previous == id ? nil : previous
    )
  }
}
