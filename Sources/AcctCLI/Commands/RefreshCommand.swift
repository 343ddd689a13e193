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

  @Flag(help: "Renew even if it is not due.")
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

  /// Renews one account after the other; a failure does not stop the next one.
  ///
  /// The result goes into one object with `members`.
  static func everyAccount(
    _ refresher: Refresh,
    _ context: Context,
    force: Bool,
    members: KeyValuePairs<String, JSON> = [:]
  ) async throws(EngineError) -> ExitStatus {
    var outcomes: [RefreshOutcome] = []
    let overview = AccountOverview(context.engine)
    if let notice = await overview.bringUpToDate() { context.report([notice]) }
    for account in try overview.listing().accounts {
      let result = await refresher.refresh(account, force: force)
      let outcome = RefreshOutcome(account, result, context.world.clock)
      outcomes.append(outcome)
      if case .renewed(let notices) = outcome.result {
        for notice in notices { context.notice("\(account.name): \(words(for: notice))") }
      }
      guard !context.options.json else { continue }
      if case .renewed = outcome.result { context.notice("renewed \(account.name)") }
      if let errorMessage = outcome.errorMessage { context.world.report("acct: \(account.name): \(errorMessage.text)") }
    }
    if context.options.json {
      var object = envelope(members)
      object["accounts"] = .array(outcomes.map(\.json))
      try context.output(object)
    } else {
      report(outcomes.filter(\.needsPerson), context)
    }
    // The first failure decides, so that a timer can tell a network from a sign-in.
    return outcomes.lazy.compactMap(\.errorMessage).first?.status ?? .done
  }

  /// Names last, where a timer's journal is read from, the accounts that need a new sign-in.
  private static func report(_ waiting: [RefreshOutcome], _ context: Context) {
    guard !waiting.isEmpty else { return }
    let names = waiting.filter { $0.account.replacement == nil }.map(\.account.name)
    var texts = names.map { loginHint($0) }
    // Nothing can be signed in to for a static token.
    for replacement in waiting.compactMap(\.account.replacement) {
      texts.append("\(replacement.account) needs a new token: `\(loginLine(replacement.account))`")
    }
    // Beside a failure the names are printed even with `--quiet`.
    let isBesideFailure = waiting.contains { $0.errorMessage != nil }
    for text in texts {
      if isBesideFailure { context.world.report("acct: \(text)") } else { context.notice(text) }
    }
  }
}
