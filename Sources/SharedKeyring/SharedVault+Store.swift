import AcctModel
import AcctPorts

extension SharedVault {
  /// Stores an account in one step, and ends this process's claim on it.
  ///
  /// An answer of a server that can't be stored now is kept on this machine, and the failure is the engine's: the
  /// caller tries again, or the next call does.
  func store(_ session: Session, _ account: SharedAccount, _ interaction: Interaction) throws(SharedAccountFailure) {
    let seal = try translated { () throws(KeyringFailure) in
      if let claim = claim(of: account.id) { claim.seal } else { try self.seal(session, interaction) }
    }
    // If the engine is away, or was restored, an answer is kept before that is reported.
    let away = try translated { () throws(KeyringFailure) in try engineAway(session, account.id) }
    // The answer of an earlier attempt goes first.
    let earlier: Change.Outcome?
    do throws(KeyringFailure) { earlier = try storePending(session, seal, account.id) } catch {
      if error == .answerWaits || error == .rolledBack {
        try translated { () throws(KeyringFailure) in try keepBesidePending(account, session, seal) }
      }
      throw .keyring(error)
    }
    if let earlier { try end(account.id, with: earlier) }
    let (base, copy) = try translated { () throws(KeyringFailure) in try basis(session, seal, account.id) }
    var wanted = base ?? SharedObject()
    wanted.name = account.name
    wanted.record = account.record
    wanted.items = wanted.changed(by: account.items)
    let hasClaim = claim(of: account.id) != nil
    if hasClaim { wanted.lock = nil }
    guard wanted != base else { return }

    let isNamed = base?.name != account.name
    let isKeepable = copy != nil && (hasClaim || !account.items.isUnchanged)
    // No name is taken on an engine that is not trusted.
    if away == .rolledBack, isNamed || !isKeepable { throw .keyring(.rolledBack) }
    if isNamed { try reserve(account.name, for: account.id, session, seal) }
    var change = try translated { () throws(KeyringFailure) in
      try self.change(account, from: base, copy, to: wanted, session, seal)
    }
    change.isAnswer = hasClaim
    let outcome = try translated { () throws(KeyringFailure) in
      let isKept = if let copy, isKeepable { keepPending(change, copy) } else { false }
      if let away { throw away }
      let outcome = try commit(change, session, seal)
      if isKept { try? copies.removePending(account.id) }
      return outcome
    }
    if isNamed {
      if outcome == .stored {
        try translated { () throws(KeyringFailure) in try settleEpoch(of: account, session, seal) }
        try settleName(account, former: base, session, seal)
      } else {
        release(account.name, of: account.id, session, seal)
      }
    }
    try end(account.id, with: outcome)
  }

  /// Why the engine takes nothing now: it can't be asked, or was restored; `nil` if it goes on from its known
  /// standing.
  private func engineAway(_ session: Session, _ id: AccountID) throws(KeyringFailure) -> KeyringFailure? {
    do { try confirm(session, id) } catch {
      if case .engine = error { return error }
      guard error == .rolledBack else { throw error }
      return error
    }
    return nil
  }

  /// The basis of a change: the claimed object, else the copy, else the engine's object.
  private func basis(
    _ session: Session,
    _ seal: Seal,
    _ id: AccountID
  ) throws(KeyringFailure) -> (object: SharedObject?, copy: CopyFile?) {
    if let claim = claim(of: id) { return (claim.object, claim.copy) }
    let place = session.places.account(id)
    if let copy = try copies.copy(of: id) { return (try seal.local.object(copy.bytes, of: id, at: place), copy) }
    let look = try look(session, seal, id)
    guard !look.isRolledBack else { throw .rolledBack }
    return (look.contents, look.copy)
  }

  private func change(
    _ account: SharedAccount,
    from base: SharedObject?,
    _ copy: CopyFile?,
    to wanted: SharedObject,
    _ session: Session,
    _ seal: Seal
  ) throws(KeyringFailure) -> Change {
    let generation = try lastGeneration(of: account.id, base)
    return Change(
      account: account.id,
      base: base,
      version: copy?.version,
      wanted: wanted,
      sealed: try seal.sealed(wanted, over: generation, at: session.places.account(account.id)),
      writer: thisProcess,
      isAnswer: false,
      replacing: account.items.isReplacing,
      isRepeatable: base != nil && account.items.isUnchanged && claim(of: account.id) == nil
    )
  }

  /// Ends a claim, and throws if another machine was faster.
  private func end(_ id: AccountID, with outcome: Change.Outcome) throws(SharedAccountFailure) {
    hold(nil, of: id)
    switch outcome {
    case .stored: sightings.remove(id)
    case .superseded: throw .superseded
    case .removed: throw .removed
    }
  }

  private func translated<Result>(_ body: () throws(KeyringFailure) -> Result) throws(SharedAccountFailure) -> Result {
    do { return try body() } catch { throw .keyring(error) }
  }
}

extension SharedAccount.Items {
  var isUnchanged: Bool { if case .unchanged = self { true } else { false } }
  var isReplacing: Bool { if case .replacing = self { true } else { false } }
}
