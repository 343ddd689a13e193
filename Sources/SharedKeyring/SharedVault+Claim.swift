import AcctModel
import AcctPorts

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
