package import AcctModel
package import AcctPorts

/// The contents of `metrics`: this machine's accounts and keyring, in numbers.
package struct AccountMetrics: Sendable {
  /// An account, and its last known state.
  package struct Measured: Sendable {
    package let account: Account
    package let assessment: Assessment
  }

  package var accounts: [Measured] = []
  /// The number of accounts whose file can't be read.
  package var damaged = 0
  /// The keyring in use; `nil` if none was chosen yet.
  package var kind: Keyring.Kind?
  /// `true` if that keyring, and its engine, can be used now.
  package var isUp = false
  /// The number of servers' answers that wait for the engine.
  package var pending = 0
  /// Seconds since the newest event of any account that this machine has seen, its own or another machine's; `nil` if
  /// there is none.
  package var sightingAge: Int64?
  package var counts: RenewalCounts

  /// Measures; prompts for nothing, and sends no request to a server of an account.
  ///
  /// - Throws: ``EngineError`` if the files can't be read. A keyring that can't be used is a measurement.
  package static func of(_ context: EngineContext) async throws(EngineError) -> AccountMetrics {
    var context = context
    context.interaction = .forbidden
    var metrics = AccountMetrics(counts: RenewalCounts(context.world))
    let isUpToDate = await AccountOverview(context).bringUpToDate() == nil
    var keyring = try await KeyringReport.of(context).standing
    try context.fleet?.complete(&keyring, context)
    metrics.kind = keyring.kind
    let isEngineUp = keyring.kind?.isShared == true ? keyring.cause == nil && isUpToDate : true
    metrics.isUp = keyring.state == .ready && isEngineUp
    metrics.pending = context.fleet?.waitingAnswers() ?? 0
    let now = context.world.clock.now()
    let (accounts, damaged) = try context.accountStore.listing()
    metrics.damaged = damaged.count
    metrics.accounts = accounts.map { Measured(account: $0, assessment: $0.lastKnownState(at: now)) }
    let newest = accounts.compactMap { account in
      [account.history.events?.last?.time, account.validatedAt, account.createdAt].compactMap(\.self).max()
    }
    metrics.sightingAge = newest.max().map { max(0, now.seconds(since: $0)) }
    return metrics
  }
}
