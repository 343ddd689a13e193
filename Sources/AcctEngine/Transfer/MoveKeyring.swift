package import AcctModel
package import AcctPorts

/// Moves all accounts from the keyring in use to another one, whole or not at all.
///
/// 1. The locks of all accounts are taken, here and of those in the target: nothing is renewed meanwhile.
/// 2. Everything that speaks against the move is looked for, before anything is written.
/// 3. The decision notes where the accounts go. Each is copied, and read back.
/// 4. One atomic write of the decision makes the target the keyring in use.
/// 5. They are removed where they came from, and the note goes.
///
/// A process that is killed before step 4 leaves them in the source, after it in the target. The same move can then be
/// made again.
package struct MoveKeyring: Sendable {
  let context: EngineContext
  let choice: KeyringChoice

  package init(_ context: EngineContext) {
    self.context = context
    choice = KeyringChoice(context.world)
  }

  /// The result.
  package struct Outcome: Sendable {
    /// The accounts that were copied.
    package var moved: [AccountName] = []
    /// Where they were; `nil` if they were in the target already.
    package var source: Keyring.Kind?
    /// Those that can be renewed and are still on the shared keyring that they came from, too.
    package var staying: [AccountName] = []
  }

  /// Moves them.
  ///
  /// - Parameters:
  ///   - kind: Where to; a shared keyring is one that this machine has made or joined.
  ///   - removing: Whether accounts are also removed from a shared keyring, which other machines may use.
  /// - Returns: The result.
  /// - Throws: ``EngineError``; the accounts are then where they were, but for
  ///   ``KeyringSharingError/notRemoved(_:from:to:)``.
  package func move(
    to kind: Keyring.Kind,
    removingShared removing: Bool
  ) async throws(EngineError) -> Outcome {
    if let demanded = try choice.demanded() { throw .sharing(.demanded(demanded)) }
    let target = choice.keyring(kind)
    do { try await target.prepare(context.interaction) } catch {
      throw .keyring(.failed(error, kind))
    }
    guard let decision = try choice.recorded() else {
      // Without a decision there is no account, or it was lost.
      let ids: [AccountID]
      do { ids = try context.world.files.accounts() } catch { throw .files(.failed(error)) }
      guard ids.isEmpty else {
        throw .keyring(
          .notChosen(reason: "the file `keyring` is missing; `acct doctor` can find it")
        )
      }
      try choice.record(KeyringDecision(kind: kind))
      _ = try await BringAccounts(context).bring(from: kind)
      return Outcome()
    }
    // What an earlier move left behind goes first: it might be where this one leads.
    if case .from(let source) = decision.move {
      try await finish(from: source, in: decision.kind)
    }
    guard decision.kind != kind else {
      if case .to = decision.move { try choice.record(KeyringDecision(kind: kind)) }
      _ = try await BringAccounts(context).bring(from: kind)
      return Outcome()
    }
    let source = choice.keyring(decision.kind)
    return try await moved(from: source, to: target, removing || !decision.kind.isShared)
  }

  private func moved(
    from source: Keyring,
    to target: Keyring,
    _ removes: Bool
  ) async throws(EngineError) -> Outcome {
    let locks = MovingLocks(context.world.files)
    defer { locks.release() }
    var plan = try await MovePlan(from: source, to: target, context, locks)
    let held = context.world.signals.holdBack()
    defer { held.release() }
    try choice.record(KeyringDecision(kind: source.kind, move: .to(target.kind)))
    let copy = CopyAccounts(context, from: source, to: target)
    do throws(EngineError) {
      for account in plan.accounts {
        try await copy.copy(account, beside: plan.inTarget[account.id])
      }
      // An account that was added meanwhile is under the book's lock there or not yet anywhere.
      while true {
        let done = try await context.accountStore.exclusively { () throws(EngineError) -> Bool in
          guard try plan.isWhole(context) else { return false }
          let move = removes ? KeyringDecision.Move.from(source.kind) : nil
          try choice.record(KeyringDecision(kind: target.kind, move: move))
          return true
        }
        if done { break }
        let known = Set(plan.accounts.map(\.id))
        plan = try await MovePlan(from: source, to: target, context, locks)
        for account in plan.accounts where !known.contains(account.id) {
          try await copy.copy(account, beside: plan.inTarget[account.id])
        }
      }
    } catch {
      // The first failure is the one to tell; a note that stays says that the move can be made again.
      if await copy.undo() { try? choice.record(KeyringDecision(kind: source.kind)) }
      throw error
    }
    try await settleFiles(plan, in: target)
    var outcome = Outcome(moved: plan.accounts.map(\.name), source: source.kind)
    let ids = plan.accounts.map(\.id)
    let staying = removes ? try await remove(ids, from: source, in: target.kind) : Set(ids)
    outcome.staying = plan.accounts
      .filter { staying.contains($0.id) && $0.tokenLifetime.canRenew }.map(\.name)
    return outcome
  }

  /// Makes this machine's files those of the target's accounts; the caller holds their locks.
  private func settleFiles(_ plan: MovePlan, in target: Keyring) async throws(EngineError) {
    let bringing = BringAccounts(context)
    for (id, record) in plan.inTarget where target.kind.isShared {
      // That of an account that was copied is the same, or newer there.
      guard let accounts = target.accounts else { continue }
      let current: [UInt8]?
      do { current = try accounts.fetch(id, context.interaction) } catch {
        throw .keyring(.failed(error, target.kind))
      }
      try bringing.save(current ?? record, of: id)
    }
    for id in plan.removedElsewhere { try await context.forget(id) }
  }

  /// Removes from the source what an interrupted move left there.
  private func finish(from kind: Keyring.Kind, in current: Keyring.Kind) async throws(EngineError) {
    let ids: [AccountID]
    do { ids = try context.world.files.accounts() } catch { throw .files(.failed(error)) }
    let locks = MovingLocks(context.world.files)
    defer { locks.release() }
    try await locks.take(ids)
    _ = try await remove(ids, from: choice.keyring(kind), in: current)
  }

  /// Removes accounts from where they came from.
  ///
  /// - Returns: Those that stay in a shared keyring, since their credentials there are others by now.
  private func remove(
    _ ids: [AccountID],
    from source: Keyring,
    in current: Keyring.Kind
  ) async throws(EngineError) -> Set<AccountID> {
    var staying: Set<AccountID> = []
    do throws(KeyringFailure) {
      for id in ids {
        if let accounts = source.accounts {
          guard try accounts.fetch(id, context.interaction) != nil else { continue }
          let there = try await source.read(id, ItemKind.allCases, context.interaction)
          let here = try await choice.keyring(current)
            .read(id, ItemKind.allCases, context.interaction)
          guard there == here else {
            staying.insert(id)
            continue
          }
          try accounts.remove(id, context.interaction)
        } else {
          try await source.remove(id, ItemKind.allCases, context.interaction)
        }
      }
    } catch {
      throw .sharing(.notRemoved(error, from: source.kind, to: current))
    }
    try choice.record(KeyringDecision(kind: current))
    return staying
  }
}
