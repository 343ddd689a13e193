import AcctEngine
import AcctModel
import AcctPorts
import ArgumentParser

/// Shows what is left of an account's limits.
struct LimitsCommand: AcctCommand {
  static let configuration = CommandConfiguration(
    commandName: "limits",
    abstract: "Show what is left, of how much, and when it resets.",
    discussion: "As its servers last told `acct request` and `acct observe`; nobody is asked."
  )

  @Argument(help: "The account; the chosen one if left out.")
  var name: String?

  @OptionGroup var options: SharedOptions

  func run(in context: Context) async throws(EngineError) -> ExitStatus {
    let account = try context.choose(name).account
    let limits = LimitsLedger(context.world).limits(of: account.id)
    if options.json {
      try context.output(limitsJSON(limits, of: account))
    } else if limits.isEmpty {
      context.notice("no server has told \(account.name) of a limit yet")
    } else {
      let now = context.world.clock.now()
      try context.output(limitLines(limits, at: now, on: context.screen))
    }
    return .done
  }
}
