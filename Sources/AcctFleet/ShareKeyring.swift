import AcctEngine
import AcctModel
import AcctPorts
import FleetPorts

/// Makes, joins, leaves and trusts the keyring that this machine shares with others.
struct ShareKeyring: Sendable {
  let context: EngineContext
  private let choice: KeyringChoice

  init(_ context: EngineContext) {
    self.context = context
    choice = KeyringChoice(context.world)
  }

  /// The way in which a machine begins to share a keyring.
  enum Way: Sendable { case create, join }

  /// The result of ``begin(_:_:)``.
  struct Outcome: Sendable {
    /// The number of accounts in the keyring, if it is in use here now.
    var accounts: Int
    /// The keyring that still holds this machine's accounts; `nil` if the shared one is in use.
    var stillIn: Keyring.Kind?
  }

  /// Makes or joins a keyring.
  ///
  /// A machine without accounts uses it from then on. Existing accounts stay in their keyring until they are moved: a
  /// command that connects to an engine does not move secrets as a side effect.
  ///
  /// - Throws: ``EngineError``; ``KeyringSharingError/otherKeyring(name:)`` if this machine shares another one.
  func begin(_ settings: SharedKeyringSettings, _ way: Way) async throws(EngineError) -> Outcome {
    let kind = settings.kind
    try requireNoOther(settings)
    do throws(EngineError) {
      try keyring(kind) { () throws(KeyringFailure) in
        switch way {
        case .create: try context.sharedKeyring.create(settings, context.interaction)
        case .join: try context.sharedKeyring.join(settings, context.interaction)
        }
      }
    } catch .keyring(.failed(.rolledBack, _)) {
      // Either the address is another engine's, or the engine was restored: only the user knows.
      throw .sharing(.otherEngine(name: settings.name))
    } catch .keyring(.failed(.locked(let reason, let opening), _)) where reason != KeyringFailure.noPassphraseReason {
      throw .keyring(.failed(.locked(reason: reason, openedBy: opening.ofNewcomer), kind))
    }
    return try await entered(settings)
  }

  /// Checks that this machine shares no other keyring.
  func requireNoOther(_ settings: SharedKeyringSettings) throws(EngineError) {
    let known = try keyring(settings.kind) { () throws(KeyringFailure) in try context.sharedKeyring.settings() }
    if let known, known.name != settings.name || known.kind != settings.kind {
      throw .sharing(.otherKeyring(name: known.name))
    }
  }

  /// Uses the keyring from now on, if this machine has no accounts.
  func entered(_ settings: SharedKeyringSettings) async throws(EngineError) -> Outcome {
    let kind = settings.kind
    if let other = try await holder(besides: kind) { return Outcome(accounts: 0, stillIn: other) }
    let shared = SharedRecords(in: choice.keyring(kind), context)
    return Outcome(accounts: try await shared?.pull().accounts.count ?? 0, stillIn: nil)
  }

  /// The keyring that holds this machine's accounts; if there are none, the shared one is in use from now on.
  private func holder(besides kind: Keyring.Kind) async throws(EngineError) -> Keyring.Kind? {
    try await context.accountStore.exclusively { () throws(EngineError) -> Keyring.Kind? in
      let inUse = try choice.recorded()?.kind
      guard inUse != kind else { return nil }
      let (accounts, damaged) = try context.accountStore.listing()
      guard accounts.isEmpty, damaged.isEmpty else {
        if let inUse { return inUse }
        return try choice.chosen() ?? .vault
      }
      try choice.record(KeyringDecision(kind: kind))
      return nil
    }
  }

  /// Stops sharing: deletes the settings and all data from the engine, which keeps everything.
  ///
  /// - Returns: The number of accounts removed here, and the objects and answers that could not be opened.
  /// - Throws: ``KeyringFailure/answerWaits`` while an answer is still to be stored; then nothing was changed.
  func leave() async throws(EngineError) -> (accounts: Int, unopened: SharedKeyring.Unopened) {
    let recorded = try choice.recorded()
    let settings: SharedKeyringSettings?
    do { settings = try context.sharedKeyring.settings() } catch {
      // Unreadable settings must not prevent their removal.
      settings = nil
    }
    let kind = settings?.kind ?? recorded?.kind
    guard let kind, kind.isShared else { throw .keyring(.failed(.notJoined, kind ?? .etcd)) }
    let held = context.world.signals.holdBack()
    defer { held.release() }
    let ids: [AccountID]
    do { ids = try context.world.files.accounts() } catch { throw .files(.failed(error)) }
    // A renewal in progress can store its answer first.
    let locks = MovingLocks(context.world.files)
    defer { locks.release() }
    try await locks.take(ids)
    let unopened = try keyring(kind) { () throws(KeyringFailure) in try context.sharedKeyring.leave() }
    guard let recorded, recorded.kind == kind else {
      // The remains of a move there can no longer be removed.
      if let recorded, recorded.move == .from(kind) { try choice.record(KeyringDecision(kind: recorded.kind)) }
      return (0, unopened)
    }
    // Their credentials are only on the engine. The decision is removed last: a second `leave` finishes an interrupted
    // one.
    var shared: [AccountID] = []
    var keptIn: Keyring.Kind?
    for id in ids {
      guard let file = try? context.accountStore.contents(of: id) else { continue }
      if let account = context.accountStore.account(id, in: file), let own = account.keptIn {
        keptIn = keptIn ?? Keyring.Kind(rawValue: own)
      } else if context.accountStore.account(id, in: file) != nil || !Self.hasNote(file) {
        shared.append(id)
      }
    }
    for id in shared { try await context.forget(id) }
    if let keptIn {
      try choice.record(KeyringDecision(kind: keptIn))
      return (shared.count, unopened)
    }
    do { try context.world.files.remove(.keyringDecision) } catch { throw .files(.failed(error)) }
    return (shared.count, unopened)
  }

  /// Returns `true` if a damaged file may belong to an account with its own keyring.
  private static func hasNote(_ file: [UInt8]) -> Bool { String(decoding: file, as: UTF8.self).contains("keptIn") }

  /// Accepts the engine as it is now; its accounts take effect here at once.
  ///
  /// - Returns: The changes to this machine's accounts, and the objects and answers that could not be opened.
  func trust() async throws(EngineError) -> Trusted {
    let before = try context.accountStore.listing().accounts
    let (kind, unopened) = try await accept()
    // Another keyring's accounts do not follow this one.
    guard let shared = try context.sharedPlace(), shared.kind == kind else { return Trusted(unopened: unopened) }
    try await shared.pull()
    return Trusted(unopened: unopened, from: before, to: try context.accountStore.listing().accounts)
  }

  private func accept() async throws(EngineError) -> (Keyring.Kind, SharedKeyring.Unopened) {
    var kind = try choice.chosen() ?? .etcd
    // The adapter reports settings that can't be read.
    if let settings = try? context.sharedKeyring.settings() { kind = settings.kind }
    let ids: [AccountID]
    do { ids = try context.world.files.accounts() } catch { throw .files(.failed(error)) }
    // A renewal in progress stores its answer first, or leaves it here: neither may meet copies that change.
    let locks = MovingLocks(context.world.files)
    defer { locks.release() }
    try await locks.take(ids)
    let unopened = try keyring(kind) { () throws(KeyringFailure) in
      try context.sharedKeyring.trust(context.interaction)
    }
    return (kind, unopened)
  }

  private func keyring<Value>(
    _ kind: Keyring.Kind,
    _ body: () throws(KeyringFailure) -> Value
  ) throws(EngineError) -> Value {
    do { return try body() } catch { throw .keyring(.failed(error, kind)) }
  }
}

extension KeyringFailure.Opening {
  /// The same for a machine that does not share the keyring yet.
  fileprivate var ofNewcomer: Self {
    switch self {
    case .any, .otherPassphrase: .joining
    case .joining, .approval, .part, .desktop, .otherKeyring, .file, .fileForEach: self
    }
  }
}

/// The members of the keyring that this machine shares, and the change of its key.
extension ShareKeyring {
  /// Joins a keyring by what this machine has; else by a code that a member approves.
  ///
  /// - Parameters:
  ///   - settings: The keyring.
  ///   - offer: Tells a person who is about to be asked for the passphrase that there is a code for who enters none.
  ///   - announce: Gets the code.
  /// - Returns: As ``begin(_:_:)``.
  /// - Throws: ``EngineError``; ``KeyringFailure/locked(reason:openedBy:)`` where no one may be asked, and nothing was given.
  func join(
    _ settings: SharedKeyringSettings,
    offer: () -> Void,
    _ announce: @escaping @Sendable (String) -> Void
  ) async throws(EngineError) -> Outcome {
    try requireNoOther(settings)
    let means: JoiningMeans
    do { means = try context.sharedKeyring.membership.means(settings) } catch {
      // What is wrong with the engine, or with its keyring, is said as it is where no code is asked for.
      return try await begin(settings, .join)
    }
    guard means != .given, context.interaction == .allowed else { return try await begin(settings, .join) }
    guard means == .passphrase, context.world.terminal.canAsk() else {
      return try await request(settings, keyIn: nil, announce)
    }
    offer()
    do throws(EngineError) { return try await begin(settings, .join) } catch .keyring(.failed(.noPassphrase, _)) {
      return try await request(settings, keyIn: nil, announce)
    }
  }

  /// Joins a keyring by a code that a member approves, and waits until then.
  ///
  /// - Parameters:
  ///   - settings: The keyring.
  ///   - tpm: The TPM in which the machine's key is made; `nil` for the machine's own keyring.
  ///   - announce: Gets the code.
  /// - Returns: As ``begin(_:_:)``.
  /// - Throws: ``EngineError``; nothing of the keyring stays on this machine then.
  func request(
    _ settings: SharedKeyringSettings,
    keyIn tpm: TPMAddress?,
    _ announce: @escaping @Sendable (String) -> Void
  ) async throws(EngineError) -> Outcome {
    try requireNoOther(settings)
    let membership = context.sharedKeyring.membership
    do { try await membership.request(settings, tpm, context.interaction, announce) } catch {
      throw .sharing(.members(error, settings.kind))
    }
    return try await entered(settings)
  }

  /// Makes the machine that waits with a code a member; returns its name.
  func approve(_ code: String) throws(EngineError) -> String {
    try members { membership throws(SharedMembershipFailure) in try membership.approve(code, context.interaction) }
  }

  /// The machines that share the keyring, and all that opens it.
  func members() throws(EngineError) -> SharedMembers {
    try members { membership throws(SharedMembershipFailure) in try membership.members(context.interaction) }
  }

  /// Changes the keyring's key.
  func rekey(_ change: Rekeying) throws(EngineError) -> Rekeyed {
    try members { membership throws(SharedMembershipFailure) in try membership.rekey(change, context.interaction) }
  }

  private func members<Value>(
    _ body: (SharedMembership) throws(SharedMembershipFailure) -> Value
  ) throws(EngineError) -> Value {
    let kind = (try? context.sharedKeyring.settings())?.kind ?? .etcd
    do { return try body(context.sharedKeyring.membership) } catch { throw .sharing(.members(error, kind)) }
  }
}

/// The changes to this machine's accounts when a person accepts an engine as it is.
struct Trusted: Sendable {
  /// The objects and answers that could not be opened.
  var unopened: SharedKeyring.Unopened
  /// The accounts that this machine did not have before.
  var added: [AccountName] = []
  /// The accounts that the engine does not have.
  var removed: [AccountName] = []
  /// The origins that an account did not have here before, such as one that was revoked, in the order of the names.
  var origins: [(account: AccountName, origin: Origin)] = []
}

extension Trusted {
  /// Compares the accounts before and after.
  init(unopened: SharedKeyring.Unopened, from before: [Account], to after: [Account]) {
    self.unopened = unopened
    let known = Dictionary(before.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
    for account in after {
      guard let former = known[account.id] else {
        added.append(account.name)
        continue
      }
      let origins = account.origins.filter { !former.origins.contains($0) }
      self.origins += origins.map { (account.name, $0) }
    }
    let ids = Set(after.map(\.id))
    removed = before.filter { !ids.contains($0.id) }.map(\.name)
  }
}
