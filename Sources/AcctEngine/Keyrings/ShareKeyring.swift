import AcctModel
package import AcctPorts

/// Makes, joins, leaves and trusts the keyring that this machine shares with others.
package struct ShareKeyring: Sendable {
  let context: EngineContext
  private let choice: KeyringChoice

  package init(_ context: EngineContext) {
    self.context = context
    choice = KeyringChoice(context.world)
  }

  /// The way in which a machine begins to share a keyring.
  package enum Way: Sendable { case create, join }

  /// The result of ``begin(_:_:)``.
  package struct Outcome: Sendable {
    /// The number of accounts in the keyring, if it is in use here now.
    package var accounts: Int
    /// The keyring that still holds this machine's accounts; `nil` if the shared one is in use.
    package var stillIn: Keyring.Kind?
  }

  /// Makes or joins a keyring.
  ///
  /// A machine without accounts uses it from then on. Existing accounts stay in their keyring until they are moved: a
  /// command that connects to an engine does not move secrets as a side effect.
  ///
  /// - Throws: ``EngineError``; ``KeyringSharingError/otherKeyring(name:)`` if this machine shares another one.
  package func begin(_ settings: SharedKeyringSettings, _ way: Way) async throws(EngineError) -> Outcome {
    let kind = settings.kind
    try requireNoOther(settings)
    do throws(EngineError) {
      try keyring(kind) { () throws(KeyringFailure) in
        switch way {
        case .create: try context.world.sharedKeyring.create(settings, context.interaction)
        case .join: try context.world.sharedKeyring.join(settings, context.interaction)
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
    let known = try keyring(settings.kind) { () throws(KeyringFailure) in try context.world.sharedKeyring.settings() }
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
  package func leave() async throws(EngineError) -> (accounts: Int, unopened: SharedKeyring.Unopened) {
    let recorded = try choice.recorded()
    let settings: SharedKeyringSettings?
    do { settings = try context.world.sharedKeyring.settings() } catch {
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
    let unopened = try keyring(kind) { () throws(KeyringFailure) in try context.world.sharedKeyring.leave() }
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
  package func trust() async throws(EngineError) -> Trusted {
    let before = try context.accountStore.listing().accounts
    let (kind, unopened) = try await accept()
    // Another keyring's accounts do not follow this one.
    guard let shared = try context.sharedRecords(), shared.kind == kind else { return Trusted(unopened: unopened) }
    try await shared.pull()
    return Trusted(unopened: unopened, from: before, to: try context.accountStore.listing().accounts)
  }

  private func accept() async throws(EngineError) -> (Keyring.Kind, SharedKeyring.Unopened) {
    var kind = try choice.chosen() ?? .etcd
    // The adapter reports settings that can't be read.
    if let settings = try? context.world.sharedKeyring.settings() { kind = settings.kind }
    let ids: [AccountID]
    do { ids = try context.world.files.accounts() } catch { throw .files(.failed(error)) }
    // A renewal in progress stores its answer first, or leaves it here: neither may meet copies that change.
    let locks = MovingLocks(context.world.files)
    defer { locks.release() }
    try await locks.take(ids)
    let unopened = try keyring(kind) { () throws(KeyringFailure) in
      try context.world.sharedKeyring.trust(context.interaction)
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
