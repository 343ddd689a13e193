package import AcctModel
package import AcctPorts

/// The contents of `log`: the last events of accounts.
package struct AccountLog: Sendable {
  private let context: EngineContext

  package init(_ context: EngineContext) { self.context = context }

  /// An event, and the account that it is about.
  package struct Entry: Sendable {
    package let account: AccountID
    package let accountName: AccountName
    package let event: AccountEvent
  }

  /// Reads which accounts were removed here, and from the shared keyring, as this machine knows.
  ///
  /// - Parameter name: The name that they had; `nil` for any.
  /// - Returns: The accounts, and why those of the shared keyring are not among them: where it is locked, no one is asked
  ///   for a passphrase.
  package func removed(named name: String? = nil) -> (accounts: [RemovedAccount], failure: EngineError?) {
    var removed: [RemovedAccount] = []
    var failure: EngineError?
    do throws(FilesFailure) { removed = try Removals(context.world).all() } catch { failure = .files(.failed(error)) }
    do throws(EngineError) { removed += try removedFromShared() } catch { failure = error }
    let named = removed.filter { account in
      name.map { account.name.description == $0 || account.id.description == $0 } ?? true
    }
    return (named, failure)
  }

  private func removedFromShared() throws(EngineError) -> [RemovedAccount] {
    try context.sharedPlace()?.removals() ?? []
  }

  /// Reads the histories of accounts, with this machine's uses, and its refusals that their records do not have yet.
  ///
  /// - Parameters:
  ///   - accounts: The accounts.
  ///   - removed: Accounts that were removed.
  ///   - start: The time of the first event to return; `nil` for all.
  /// - Returns: The events, oldest first, and the accounts whose history is damaged.
  package func entries(
    of accounts: [Account],
    removed: [RemovedAccount] = [],
    since start: Timestamp?
  ) -> (entries: [Entry], damaged: [AccountName]) {
    var entries: [Entry] = []
    var damaged: [AccountName] = []
    func add(_ events: [AccountEvent], of id: AccountID, _ name: AccountName) {
      for event in events where start.map({ event.time >= $0 }) ?? true {
        entries.append(Entry(account: id, accountName: name, event: event))
      }
    }
    for account in removed {
      add(account.history.events ?? [], of: account.id, account.name)
      add(account.uses.events, of: account.id, account.name)
    }
    for account in accounts {
      if account.history.events == nil { damaged.append(account.name) }
      let refusals = WaitingRefusals(context.world).events(of: account.id)
      add(account.history.adding(refusals).events ?? [], of: account.id, account.name)
      add(UseLog(context).uses(of: account.id).events, of: account.id, account.name)
    }
    // By time, and otherwise in the order of the accounts and their histories.
    let order = entries.indices.sorted {
      (entries[$0].event.time, $0) < (entries[$1].event.time, $1)
    }
    return (order.map { entries[$0] }, damaged)
  }

  /// An account, and its last use on this machine; `nil` if none is known.
  package struct LastUse: Sendable {
    package let account: Account
    package let use: AccountEvent?
  }

  /// Reads when each account was last used here, in the order of the accounts.
  package func lastUses(of accounts: [Account]) -> [LastUse] {
    accounts.map { account in
      LastUse(account: account, use: UseLog(context).uses(of: account.id).events.max { $0.time < $1.time })
    }
  }
}
