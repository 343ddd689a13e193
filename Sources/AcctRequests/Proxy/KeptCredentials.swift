import AcctModel
import AcctPorts
import AcctProtocol
import Synchronization
import Release
import AcctEngine

/// The accounts and credentials that requests of a proxy need, kept for as long as nothing may have changed.
///
/// Before each use acct's files and the keyring are asked whether anything may have changed, which costs a system call
/// or two, rather than for their contents. The requests of one turn are answered by one such question, since all of them
/// were there before it. If files or keyring can't tell, each request reads them anew, as every command does. After a
/// second everything is read again in any case: some changes are not announced, such as a keyring that locks itself, and
/// a vault's key is kept for as long as it is used.
///
/// The secrets are only in ``Secret`` meanwhile, the key among them. If that is ordinary memory, they are kept only
/// while a request is in progress.
final class KeptCredentials: Sendable {
  private struct Kept {
    let reading: Reading
    let number: UInt64
    var end: Task<Void, Never>?
  }

  private struct State {
    var kept: [AccountID: Kept] = [:]
    var lastNumber: UInt64 = 0
    /// Requests in progress.
    var requests = 0
  }

  /// An account in its current state.
  struct Current: Sendable {
    var account: Account
    /// Its token, if that is valid for this request; `nil` if it has to be obtained in the usual way.
    @Boxed var grant: AccessGrant? = nil

    /// `true` if a request made with it waits for no file, keyring or device, as long as its first answer counts.
    var isAtHand: Bool {
      guard let grant else { return false }
      return switch account.kind {
      case .oauth, .static: grant.key?.hardware == nil
      case .session, .guest: false
      }
    }
  }

  private struct Filling: Hashable {
    var account: AccountID
    var origin: Origin
  }

  private let context: EngineContext
  private let outlivesRequests: Bool
  private let state = Mutex(State())
  private let fillings = Coalescer<Filling, Result<Current, EngineError>>()

  /// - Parameters:
  ///   - context: Everything outside.
  ///   - outlivesRequests: `true` to keep them while no request is in progress.
  init(_ context: EngineContext, outlivesRequests: Bool) {
    self.context = context
    self.outlivesRequests = outlivesRequests
  }

  /// Begins a request.
  func enter() { state.withLock { $0.requests += 1 } }

  /// Ends a request; after the last one the kept credentials are discarded, unless they outlive requests.
  func leave() {
    let isLast = state.withLock { state in
      state.requests -= 1
      return state.requests == 0 && !state.kept.isEmpty
    }
    if isLast, !outlivesRequests { drop() }
  }

  /// Discards everything kept.
  func drop() {
    let kept = state.withLock { state in
      defer { state.kept = [:] }
      return Array(state.kept.values)
    }
    for kept in kept { forget(kept) }
  }

  /// The current account and token.
  ///
  /// - Parameters:
  ///   - owner: The account, as it was when the proxy began.
  ///   - origin: The origin of the request; for another account's the keyring is not read.
  ///   - turn: The turn in which the request is answered.
  /// - Returns: The account.
  /// - Throws: ``EngineError/removed(_:)``, and the failures of files and keyring.
  func current(_ owner: Account, for origin: Origin, in turn: LoopTurn) async throws(EngineError) -> Current {
    if let known = known(owner.id, turn) { return known }
    guard context.world.files.changes() != nil else {
      return try await withTaskExecutorPreference(context.world.localServer.sideExecutor) {
        () throws(EngineError) in try unkept(owner)
      }
    }
    // Concurrent requests that find nothing read once.
    let filling = Filling(account: owner.id, origin: origin)
    return try await fillings.join(filling) { [self] in
      do throws(EngineError) { return .success(try await fill(owner, origin)) } catch { return .failure(error) }
    }.get()
  }

  /// The kept account, if it is still current.
  private func known(_ id: AccountID, _ turn: LoopTurn) -> Current? {
    guard let kept = state.withLock({ $0.kept[id] }) else { return nil }
    let now = context.world.clock.now()
    if kept.reading.isRecent(now), turn.hasConfirmed(kept.number) || kept.reading.isUnchanged(in: context.world),
      let current = kept.reading.current(at: now)
    {
      turn.confirm(kept.number)
      return current
    }
    drop(id, kept.number)
    return nil
  }

  private func unkept(_ owner: Account) throws(EngineError) -> Current {
    guard let account = try context.accountStore.account(owner.id) else { throw .removed(owner) }
    return Current(account: account)
  }

  /// Reads an account, and keeps it if later changes to it will be noticed.
  private func fill(_ owner: Account, _ origin: Origin) async throws(EngineError) -> Current {
    // Asked before anything is read: a change that happens meanwhile counts as one.
    let files = context.world.files.changes()
    let current = try unkept(owner)
    let account = current.account
    guard let files, account.origins.contains(origin), account.incoming == nil else { return current }
    let keyring = try KeyringChoice(context.world).keyring(of: account)
    guard let items = keyring.changes() else { return current }
    // Each use of its token produces a notice, so it is not kept.
    guard !account.recordedState.tokenStands, account.recordedState.rejection == nil,
      account.signIn?.sendsIDToken != true
    else { return current }
    let now = context.world.clock.now()
    try account.requireNotEnded(at: now)
    var credentials: Credentials
    do throws(EngineError) {
      let store = CredentialStore(of: account, in: keyring, context)
      credentials = try await store.read()
      credentials.certificate = try await store.readCertificate()
    } catch .keyring(.halfReplaced) {
      return current
    }
    credentials.key = credentials.key?.prepared(for: credentials.token)
    let reading = Reading(account, credentials, keyring, files: files, items: items, at: now)
    // A token that is due is renewed in the usual way, and found here afterwards.
    guard let kept = reading.current(at: now) else { return current }
    keep(reading)
    return kept
  }

  private func keep(_ reading: Reading) {
    let id = reading.account.id
    // A text from outside may repeat them for as long as they are used.
    context.world.held.enter()
    let (number, old) = state.withLock { state in
      state.lastNumber += 1
      let kept = Kept(reading: reading, number: state.lastNumber)
      return (state.lastNumber, state.kept.updateValue(kept, forKey: id))
    }
    if let old { forget(old) }
    let rest = context.world.clock.rest
    let end = Task { [weak self] in
      await rest()
      self?.drop(id, number)
    }
    state.withLock { state in
      if state.kept[id]?.number == number { state.kept[id]?.end = end } else { end.cancel() }
    }
  }

  private func drop(_ id: AccountID, _ number: UInt64) {
    let kept = state.withLock { state in state.kept[id]?.number == number ? state.kept.removeValue(forKey: id) : nil }
    if let kept { forget(kept) }
  }

  private func forget(_ kept: Kept) {
    kept.end?.cancel()
    context.world.held.leave()
  }
}

/// The credentials read of an account, with the marks that show whether they have changed.
///
/// A class, so that a request does not copy it.
private final class Reading: Sendable {
  /// The account as its file has it.
  let account: Account
  private let credentials: Credentials
  private let keyring: Keyring
  private let files: ChangeMark
  private let items: ChangeMark
  private let time: Timestamp

  /// Both marks are of the moment before anything was read.
  init(
    _ account: Account,
    _ credentials: Credentials,
    _ keyring: Keyring,
    files: ChangeMark,
    items: ChangeMark,
    at time: Timestamp
  ) {
    self.account = account
    self.credentials = credentials
    self.keyring = keyring
    self.files = files
    self.items = items
    self.time = time
  }

  /// Returns `true` if it is of this second or the one before.
  func isRecent(_ now: Timestamp) -> Bool { (0...1).contains(now.seconds(since: time)) }

  /// Returns `true` if nothing has changed since it was made.
  func isUnchanged(in world: World) -> Bool { world.files.changes() == files && keyring.changes() == items }

  /// The account and its token, if that is valid for a request now; `nil` if it is due.
  func current(at now: Timestamp) -> KeptCredentials.Current? {
    guard credentials.assess(at: now).action == .use, let grant = try? credentials.grant(at: now) else { return nil }
    return .init(account: account, grant: grant)
  }
}
