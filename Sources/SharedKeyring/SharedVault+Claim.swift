import AcctModel
import AcctPorts
import FleetPorts

extension SharedVault {
  /// Takes the right to renew an account: one swap that puts this process's lock and the note into its object.
  ///
  /// It waits for another process that has the right, at most until that one may not send any more.
  ///
  /// - Returns: `nil` if the account has changed meanwhile.
  func claim(
    _ session: Session,
    _ intent: RenewalIntent,
    _ interaction: Interaction
  ) async throws(KeyringFailure) -> RenewalClaim? {
    let id = intent.account
    hold(nil, of: id)
    let seal = try seal(session, interaction)
    // A machine that was removed meanwhile, or whose key is not the keyring's any more, does not send.
    try seal.keys.confirm()
    try confirm(session, id)
    guard try storePending(session, seal, id) == nil, let copy = try copies.copy(of: id), isRead(copy, of: id)
    else { return nil }
    let place = session.places.account(id)
    var object = try seal.local.object(copy.bytes, of: id, at: place)
    let patience = OutageBudget(
      milliseconds: Int64(min(intent.timeout, 86_400)) * 1000,
      whole: (object.lock?.ttl ?? 0) * 1000,
      now: machine.bootTime()
    )
    guard try await waitUntilFree(session, seal, copy, object, patience, of: id) else { return nil }

    let me = thisProcess
    let ttl = SendWindow.ttl(timeout: Int64(intent.timeout))
    object.record = intent.record
    object.lock = RenewalLock(owner: me, ttl: ttl)
    object = object.written(over: object.generation)
    let bytes = try seal.sealed(object, at: place)
    // From before the swap: others count from when they see the lock, which is later.
    let window = SendWindow(start: machine.bootTime(), ttl: ttl, timeout: Int64(intent.timeout))
    guard let version = try putLock(bytes, copy.version, session, seal, id) else { return nil }
    let claimed = CopyFile(version: version, generation: object.generation, bytes: bytes)
    keep(claimed, of: id)
    note(version, of: id)
    sightings.remove(id)
    hold(HeldClaim(object: object, copy: claimed, seal: seal), of: id)
    let machine = machine
    return RenewalClaim(maySend: { window.isOpen(at: machine.bootTime()) })
  }

  /// Puts the claimed object in the place of the copy's.
  ///
  /// - Returns: Its version; `nil` if the account has changed, and the copy is up to date.
  private func putLock(
    _ bytes: [UInt8],
    _ version: Int64,
    _ session: Session,
    _ seal: Seal,
    _ id: AccountID
  ) throws(KeyringFailure) -> Int64? {
    var failure: SharedStoreFailure?
    do {
      if let version = try session.store.swap(session.places.account(id), bytes, version) { return version }
    } catch {
      failure = error
    }
    let look: Look
    do { look = try self.look(session, seal, id) } catch { throw failure.map(KeyringFailure.engine) ?? error }
    guard !look.isRolledBack else { throw .rolledBack }
    if let failure {
      // Bytes with this nonce are this process's own.
      if let object = look.object, object.bytes == bytes { return object.version }
      if look.object?.version == version { throw .engine(failure) }
    }
    try follow(look, of: id)
    return nil
  }

  /// Waits while another process may be about to send.
  ///
  /// An engine that fails meanwhile is waited for as well: most answer again after a restart.
  ///
  /// - Returns: `true` if the lock may be taken; `false` if the account has changed, and the copy is up to date.
  private func waitUntilFree(
    _ session: Session,
    _ seal: Seal,
    _ copy: CopyFile,
    _ object: SharedObject,
    _ patience: OutageBudget,
    of id: AccountID
  ) async throws(KeyringFailure) -> Bool {
    guard let lock = object.lock else { return true }
    let me = thisProcess
    // Short at first, since most renewals take a moment.
    var pause: Int64 = 50
    var patience = patience
    while true {
      let decision = LockDecision(
        lock: lock,
        version: copy.version,
        me: me,
        ownerRuns: machine.runs,
        sighting: sightings.sighting(of: id),
        now: machine.bootTime()
      )
      guard case .wait(let left) = decision else { return true }
      let look: Look
      do { look = try self.look(session, seal, id) } catch {
        // Counted anew once the engine is back: the owner, who may have an answer to store, then comes first.
        sightings.remove(id)
        guard error.mayBeOver, !patience.isOver(at: machine.bootTime()) else { throw error }
        guard await machine.pause(pause) else { throw .timedOut }
        pause = min(pause * 2, 1_000)
        continue
      }
      patience.restart()
      guard !look.isRolledBack else { throw .rolledBack }
      guard let found = look.object, found.version == copy.version else {
        try follow(look, of: id)
        return false
      }
      // After the answer: the lock can't be younger than that.
      let now = machine.bootTime()
      let earlier = sightings.sighting(of: id)
      let sighting = Sighting.of(version: copy.version, bootID: me.bootID, now: now, after: earlier)
      if sighting != earlier { sightings.keep(sighting, of: id) }
      guard await machine.pause(min(pause, left)) else { throw .timedOut }
      pause = min(pause * 2, 1_000)
    }
  }

  /// Brings the copy up to date with the object that was read.
  private func follow(_ look: Look, of id: AccountID) throws(KeyringFailure) {
    if let copy = look.copy { keep(copy, of: id) } else { try forget(id, look) }
  }
}

/// The time for which an engine may be away while another machine is waited for.
private struct OutageBudget {
  let milliseconds: Int64
  /// One that comes and goes has the lock's time counted anew each time; past this boot time it is given up.
  private let end: Int64
  private var since: Int64?

  /// - Parameters:
  ///   - milliseconds: The longest time that it may be away at a stretch.
  ///   - whole: The time that the wait takes with an engine that is there.
  ///   - now: The boot time in milliseconds.
  init(milliseconds: Int64, whole: Int64, now: Int64) {
    self.milliseconds = milliseconds
    end = now + whole + milliseconds
  }

  /// `true` if it is over at a boot time in milliseconds; it begins with the first call.
  mutating func isOver(at now: Int64) -> Bool {
    let start = since ?? now
    since = start
    return now - start >= milliseconds || now >= end
  }

  /// The engine has answered.
  mutating func restart() { since = nil }
}

extension KeyringFailure {
  /// Whether an engine that says this may answer a little later.
  fileprivate var mayBeOver: Bool { if case .engine(let failure) = self { failure.isOutage } else { false } }
}

extension SharedVault {
  /// Removes an account and frees its name; one that is not there is no error.
  ///
  /// An object that is damaged is removed as well, as the caller asked. A trace stays in its place, so that an older
  /// object that is put back is noticed; it has the account's name and last events, and the removal's as the last.
  ///
  /// - Parameters:
  ///   - session: The keyring.
  ///   - id: The account.
  ///   - event: The removal, as the trace tells of it; `nil` to tell nothing, as for an account that was hardly there.
  ///   - interaction: Decides if a person may be asked.
  /// - Throws: ``KeyringFailure/rolledBack``; the failure of the engine.
  func remove(
    _ session: Session,
    _ id: AccountID,
    _ event: AccountEvent?,
    _ interaction: Interaction
  ) throws(KeyringFailure) {
    let seal = try seal(session, interaction)
    try confirm(session)
    let place = session.places.account(id)
    let (copy, seen) = try copies.seen(of: id)
    let known = copy.flatMap { try? seal.local.object($0.bytes, of: id, at: place) }
    var names = Set([known?.name].compactMap(\.self))
    var trace: (generation: Int64, bytes: [UInt8])?
    for _ in 0..<16 where trace == nil {
      var object = try ask { () throws(SharedStoreFailure) in try session.store.get(place) }.object
      if let found = object { object = try settled(found, session, seal) }
      let found = object.flatMap { try? seal.object($0.bytes, of: id, at: place) }
      if let name = found?.name { names.insert(name) }
      let last = found.map { $0.isRemoved ? known : $0 } ?? known
      let removal = event.flatMap { event in last.flatMap { Removal(of: $0, event) } }
      trace = try leaveTrace(removal, over: object, at: place, beside: seen, session, seal, of: id)
    }
    guard let trace else { throw .engine(.timedOut) }
    for name in names { release(name, of: id, session, seal) }
    hold(nil, of: id)
    try copies.alone { () throws(KeyringFailure) in try copies.noteRemoval(of: id, trace.generation, trace.bytes) }
    try copies.removePending(id)
    sightings.remove(id)
  }

  /// Puts the trace of a removal in the place of an object.
  ///
  /// - Returns: The trace and its generation, 0 where none is needed; `nil` if the object has changed.
  private func leaveTrace(
    _ removal: Removal?,
    over object: SharedStore.Object?,
    at place: String,
    beside seen: SeenGeneration,
    _ session: Session,
    _ seal: Seal,
    of id: AccountID
  ) throws(KeyringFailure) -> (generation: Int64, bytes: [UInt8])? {
    var generation = seen.number
    if let object {
      switch try seal.inspected(object.bytes, of: id, at: place) {
      case .success(let contents) where contents.isRemoved && contents.generation >= generation:
        return (contents.generation, object.bytes)
      case .success(let contents): generation = max(generation, contents.generation)
      // Its generation is not known to a machine that has seen no other: the trace's is higher by far.
      case .failure: generation += Self.leap
      }
    } else if generation == 0 || seen.isRemoval {
      return (generation, [])
    }
    let sealed = try seal.sealed(.removed(removal, generation: generation), over: generation, at: place)
    let version = try ask { () throws(SharedStoreFailure) in
      try session.store.swap(place, sealed.bytes, object?.version)
    }
    return version == nil ? nil : (sealed.generation, sealed.bytes)
  }

  /// The accounts that were removed, as the traces say that this machine has copies of; the engine is not asked.
  ///
  /// One that was made again since is none of them.
  func removals(_ session: Session, _ interaction: Interaction) throws(KeyringFailure) -> [RemovedAccount] {
    let ids = Set(try copies.removals()).subtracting(try copies.accounts())
    guard !ids.isEmpty else { return [] }
    let seal = try seal(session, interaction)
    var removed: [RemovedAccount] = []
    for id in ids.sorted(by: { $0.description < $1.description }) {
      guard let trace = try copies.trace(of: id),
        let object = try seal.local.objectIfWhole(trace, of: id, at: session.places.account(id)),
        let removal = object.removal
      else { continue }
      removed.append(RemovedAccount(id: id, name: removal.name, history: removal.history))
    }
    return removed
  }

  private static let leap: Int64 = 1 << 32

  /// Removes items of an account, and the account's object with the last of them if it has no record.
  func remove(
    _ session: Session,
    _ id: AccountID,
    _ kinds: [ItemKind],
    _ interaction: Interaction
  ) throws(KeyringFailure) {
    let seal = try seal(session, interaction)
    guard let object = try stored(session, seal, id) else { return }
    var wanted = object
    for kind in kinds { wanted.items[kind.rawValue] = nil }
    guard wanted != object else { return }
    if wanted.isEmpty {
      try remove(session, id, nil, interaction)
    } else {
      try put(wanted, over: object, session, seal, id)
    }
  }

  /// Stores items of an account; its record stays as it is.
  func write(
    _ session: Session,
    _ id: AccountID,
    _ items: [Keyring.Item],
    _ interaction: Interaction
  ) throws(KeyringFailure) {
    let seal = try seal(session, interaction)
    guard !items.isEmpty else { return }
    let object = try stored(session, seal, id)
    var wanted = object ?? SharedObject()
    wanted.items = wanted.changed(by: .merging(items))
    guard wanted != object else { return }
    try put(wanted, over: object, session, seal, id)
  }

  /// An account as this machine's copy has it, else as the engine does.
  func stored(_ session: Session, _ seal: Seal, _ id: AccountID) throws(KeyringFailure) -> SharedObject? {
    if let copy = try copies.copy(of: id) {
      return try seal.local.object(copy.bytes, of: id, at: session.places.account(id))
    }
    return try current(session, seal, id)
  }

  private func put(
    _ wanted: SharedObject,
    over object: SharedObject?,
    _ session: Session,
    _ seal: Seal,
    _ id: AccountID
  ) throws(KeyringFailure) {
    try confirm(session, id)
    let generation = try lastGeneration(of: id, object)
    let change = Change(
      account: id,
      base: object,
      version: try copies.copy(of: id)?.version,
      wanted: wanted,
      sealed: try seal.sealed(wanted, over: generation, at: session.places.account(id)),
      writer: thisProcess,
      isAnswer: false,
      replacing: false
    )
    guard try commit(change, session, seal) == .stored else {
      throw .failed(reason: "another machine has removed the account meanwhile")
    }
  }
}
