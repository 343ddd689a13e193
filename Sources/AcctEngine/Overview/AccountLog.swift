package import AcctModel
import AcctPorts

/// The contents of `log`: the last events of accounts.
package struct AccountLog: Sendable {
  private let context: EngineContext

  package init(_ context: EngineContext) { self.context = context }

  /// An event, and the account that it is about.
  package struct Entry: Sendable {
    package let account: Account
    package let event: AccountEvent
  }

  /// Reads the histories of accounts, with this machine's refusals that their records do not have yet.
  ///
  /// - Parameters:
  ///   - accounts: The accounts.
  ///   - start: The time of the first event to return; `nil` for all.
  /// - Returns: The events, oldest first, and the accounts whose history is damaged.
  package func entries(
    of accounts: [Account],
    since start: Timestamp?
  ) -> (entries: [Entry], damaged: [AccountName]) {
    var entries: [Entry] = []
    var damaged: [AccountName] = []
    for account in accounts {
      if account.history.events == nil { damaged.append(account.name) }
      let history = account.history.adding(WaitingRefusals(context.world).events(of: account.id))
      for event in history.events ?? [] where start.map({ event.time >= $0 }) ?? true {
        entries.append(Entry(account: account, event: event))
      }
    }
    // By time, and otherwise in the order of the accounts and their histories.
    let order = entries.indices.sorted {
      (entries[$0].event.time, $0) < (entries[$1].event.time, $1)
    }
    return (order.map { entries[$0] }, damaged)
  }
}
