import AcctConsole
import AcctEngine
import AcctModel
import AcctPorts
import ArgumentParser
import StrictJSON

/// Renews the tokens that are due.
struct RefreshCommand: AcctCommand {
  static let configuration = CommandConfiguration(commandName: "refresh", abstract: "Renew credentials that are due.")

  @Argument(help: "The account; the selected one by default.")
  var name: String?

  @Flag(help: "Every account.")
  var all = false

  @Flag(help: "Renew even if it is not due, or its session has ended.")
  var force = false

  @OptionGroup var options: SharedOptions

  func validate() throws {
    guard !all || name == nil && options.account == nil else {
      throw ValidationError("--all means every account: give no name")
    }
  }

  func run(in context: Context) async throws(EngineError) -> ExitStatus {
    let refresher = Refresh(context.engine)
    guard all else {
      let account = try await context.choose(name).account
      switch await refresher.refresh(account, force: force) {
      case .failed(let error): throw error
      case .cannotRenew: throw account.notRenewable
      case .renewed(let notices):
        context.report(notices)
        return try await context.done(account.id, "renewed \(account.name)")
      case .notDue: return try await context.done(account.id, "\(account.name) is not due")
      }
    }
    return try await Self.everyAccount(refresher, context, force: force)
  }

  /// Renews every account of a shared keyring from which a machine was removed.
  ///
  /// - Parameters:
  ///   - members: The result of the removal, which comes into the same object of JSON.
  ///   - context: The command's context.
  /// - Returns: The status: ``ExitStatus/signInRequired`` if only a person can take from the machine what it has.
  /// - Throws: ``EngineError`` if the accounts can't be listed.
  static func everyAccount(
    afterRemoval members: KeyValuePairs<String, JSON>,
    _ context: Context
  ) async throws(EngineError) -> ExitStatus {
    try await everyAccount(Refresh(context.engine), context, force: true, members: members, followsRemoval: true)
  }

  /// Renews one account after the other; a failure does not stop the next one.
  private static func everyAccount(
    _ refresher: Refresh,
    _ context: Context,
    force: Bool,
    members: KeyValuePairs<String, JSON> = [:],
    followsRemoval: Bool = false
  ) async throws(EngineError) -> ExitStatus {
    var outcomes: [RefreshOutcome] = []
    let overview = AccountOverview(context.engine)
    if let notice = await overview.bringUpToDate() { context.report([notice]) }
    // Guests, and accounts of this machine's own keyring, were never on another one.
    let accounts = try context.everyAccount()
      .filter { !followsRemoval || $0.keptIn == nil && $0.kind != .guest }
    for account in accounts {
      let result = await refresher.refresh(account, force: force)
      let outcome = RefreshOutcome(account, result, followsRemoval: followsRemoval, context.world.clock)
      outcomes.append(outcome)
      if case .renewed(let notices) = outcome.result {
        for notice in notices { context.notice("\(account.name): \(words(for: notice))") }
      }
      guard !context.options.json else { continue }
      if case .renewed = outcome.result { context.notice("renewed \(account.name)") }
      if let errorMessage = outcome.errorMessage { context.world.report("acct: \(account.name): \(errorMessage.text)") }
    }
    let waiting = outcomes.filter(\.needsPerson)
    if context.options.json {
      var object = envelope(members)
      object["accounts"] = .array(outcomes.map(\.json))
      try context.output(object)
    } else {
      // Last, where a timer's journal is read from; beside a failure they are printed even with `--quiet`.
      let isLoud = followsRemoval || waiting.contains { $0.errorMessage != nil }
      for outcome in waiting {
        if isLoud { context.world.report("acct: \(outcome.advice)") } else { context.notice(outcome.advice) }
      }
    }
    // The first failure decides, so that a timer can tell a network from a sign-in.
    if let failure = outcomes.lazy.compactMap(\.errorMessage).first { return failure.status }
    return followsRemoval && !waiting.isEmpty ? .signInRequired : .done
  }
}
