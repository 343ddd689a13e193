package import AcctConsole
package import AcctEngine
import AcctModel
import AcctPorts
package import ArgumentParser
import Release

/// Shows the rest of an account's limits.
package struct LimitsCommand: AcctCommand {
  package static let configuration = CommandConfiguration(
    commandName: "limits",
    abstract: "Show what is left, of how much, and when it resets.",
    discussion: "As servers last reported to acct; sends no request."
  )

  @Argument(help: "The account, or a URL that selects one; the selected one by default.")
  var name: String?

  @Flag(help: "Every account.")
  var all = false

  @Flag(help: "Exit with 9 if nothing is left of a limit.")
  var check = false

  @Flag(help: "Show them until Ctrl-C, as they change.")
  var watch = false

  @OptionGroup package var options: SharedOptions

  package init() {}

  package func validate() throws {
    guard !all || name == nil && options.account == nil else {
      throw ValidationError("--all means every account: give no name")
    }
    guard !watch || !check && !options.json else {
      throw ValidationError("--watch shows text until Ctrl-C: leave out --check and --json")
    }
  }

  package func run(in context: Context) async throws(EngineError) -> ExitStatus {
    let chosen = all ? nil : try await chosen(context)
    let none = "no server has reported a limit\(chosen.map { " of \($0.name)" } ?? "") yet"
    if watch {
      try await LimitsWatch(context).run { () throws(EngineError) in
        let rows = self.rows(try self.limits(of: chosen, context))
        let lines = limitLines(rows, at: context.world.clock.now(), on: context.screen)
        return (rows.map(\.limit), lines.isEmpty ? [none] : lines)
      }
      return .done
    }
    let limits = try self.limits(of: chosen, context)
    let now = context.world.clock.now()
    if options.json {
      try context.output(chosen.map { limitsJSON(limits[0].limits, of: $0, at: now) } ?? limitsJSON(limits, at: now))
    } else {
      let lines = limitLines(rows(limits), at: now, on: context.screen)
      if lines.isEmpty { context.notice(none) } else { try context.output(lines) }
    }
    let isUsedUp = limits.contains { $0.limits.contains { $0.isUsedUp(at: now) } }
    return check && isUsedUp ? .rateLimited : .done
  }

  private func chosen(_ context: Context) async throws(EngineError) -> Account {
    guard let name, name.contains("://") else { return try await context.choose(name).account }
    let destination = try Authorize.Target(method: nil, url: name).destination
    let account = try await context.choose(for: destination).account
    if let destination {
      do { try account.requireOwn(destination.url.origin) } catch { throw .authorization(error) }
    }
    return account
  }

  /// The limits of the account, or of every one.
  private func limits(of account: Account?, _ context: Context) throws(EngineError) -> [AccountLimits] {
    let ledger = LimitsLedger(context.world)
    if let account { return [(account, ledger.limits(of: account.id))] }
    // While they are shown anew, a line would be printed again and again.
    let accounts = watch ? try AccountOverview(context.engine).listing().accounts : try context.everyAccount()
    return accounts.map { ($0, ledger.limits(of: $0.id)) }
  }

  private func rows(_ limits: [AccountLimits]) -> [(name: String?, limit: RateLimit)] {
    limits.flatMap { account, limits in limits.map { (all ? account.name.description : nil, $0) } }
  }
}
