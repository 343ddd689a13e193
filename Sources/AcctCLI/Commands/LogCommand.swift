import AcctConsole
import AcctEngine
import AcctModel
import AcctPorts
import ArgumentParser
import StrictJSON

/// Shows the last events of accounts.
///
/// A shared keyring is asked for the events of other machines, if it can be.
struct LogCommand: AcctCommand {
  static let configuration = CommandConfiguration(
    commandName: "log",
    abstract: "Show the last events of each account: sign-ins, renewals, uses, refusals, exports.",
    discussion: "Accounts that were removed are among them."
  )

  @Argument(help: "The account; every account by default.")
  var name: String?

  @Option(
    help: ArgumentHelp("Leave out what is older: 2d, 12h, 30min, or a date as in 2027-01-31.", valueName: "time")
  )
  var since: String?

  @Flag(help: "Show when each account was last used here, by which program, and for which origin.")
  var used = false

  @OptionGroup var options: SharedOptions

  func validate() throws {
    guard !used || since == nil else {
      throw ValidationError("--used shows the last use of each account: leave out --since")
    }
    guard let since, (try? Timestamp(ago: since, before: .epoch)) == nil else { return }
    throw ValidationError("--since is a duration, as in 2d or 12h, or a date, as in 2027-01-31")
  }

  func run(in context: Context) async throws(EngineError) -> ExitStatus {
    let now = context.world.clock.now()
    let start = since.flatMap { try? Timestamp(ago: $0, before: now) }
    if let notice = await AccountOverview(context.engine).bringUpToDate() { context.report([notice]) }
    let log = AccountLog(context.engine)
    let name = name ?? options.account
    let (removed, failure) = log.removed(named: name)
    var accounts: [Account] = []
    if let name {
      do throws(EngineError) { accounts = [try await Selection(context.engine).find(name)] } catch {
        guard case .selection = error else { throw error }
        // It may be one of those that can't be read.
        if removed.isEmpty { throw failure ?? error }
      }
    } else {
      accounts = try context.everyAccount()
    }
    if used { return try show(log.lastUses(of: accounts), context) }
    if let failure { report(failure, context) }
    let (entries, damaged) = log.entries(of: accounts, removed: removed, since: start)
    for name in damaged { context.notice("the history of \(name) is damaged; the next event begins a new one") }
    for account in accounts { context.report(account.endWarnings(at: now)) }
    if options.json {
      try context.output(envelope(["events": .array(entries.map { $0.json })]))
    } else if entries.isEmpty {
      context.notice(start == nil ? "there is no event yet" : "there is no event since then")
    } else {
      try context.output(logTable(entries).lines(on: context.screen))
    }
    return .done
  }

  private func show(_ uses: [AccountLog.LastUse], _ context: Context) throws(EngineError) -> ExitStatus {
    if options.json {
      try context.output(envelope(["accounts": .array(uses.map { $0.json })]))
    } else if uses.isEmpty {
      context.notice("there is no account")
    } else {
      try context.output(useTable(uses).lines(on: context.screen))
    }
    return .done
  }

  /// Tells why removed accounts are not shown; a log without them is better than none.
  private func report(_ failure: EngineError, _ context: Context) {
    let message = ErrorMessage(failure)
    context.notice("removed accounts are not shown: \(message.text)")
    if let hint = message.hint { context.notice("hint: \(hint)") }
  }
}
