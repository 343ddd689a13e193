package import AcctModel
import AcctPorts

extension EngineContext {
  /// Deletes an account's file, its limits, and its entry as the active account.
  func forget(_ id: AccountID) async throws(EngineError) {
    let accountStore = accountStore
    try await accountStore.exclusively { () throws(EngineError) in
      let active = try accountStore.active()
      if active.without(id) != active { try accountStore.setActive(active.without(id)) }
      WaitingRefusals(world).forget(id)
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
        besides: context.world.sharedKeyring.membership.ownItem()
      )
    }
    return orphans?.count ?? 0
  }

  private func listed() async throws(EngineError) -> [AccountID: Set<ItemKind>] {
    let keyring = try KeyringChoice(context.world).decided()
    do { return try await keyring.list() } catch { throw .keyring(.failed(error, keyring.kind)) }
  }
}
