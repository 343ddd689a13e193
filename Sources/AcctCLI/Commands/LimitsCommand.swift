import AcctEngine
import AcctModel
import AcctPorts
import ArgumentParser

/// Shows the rest of an account's limits.
struct LimitsCommand: AcctCommand {
  static let configuration = CommandConfiguration(
    commandName: "limits",
    abstract: "Show what is left, of how much, and when it resets.",
    discussion: "As servers last reported to `acct request` and `acct observe`; sends no request."
  )

  @Argument(help: "The account; the selected one by default.")
  var name: String?

  @OptionGroup var options: SharedOptions

  func run(in context: Context) async throws(EngineError) -> ExitStatus {
    let account = try await context.choose(name).account
    let limits = LimitsLedger(context.world).limits(of: account.id)
    if options.json {
      try context.output(limitsJSON(limits, of: account))
    } else if limits.isEmpty {
      context.notice("no server has reported a limit of \(account.name) yet")
    } else {
      let now = context.world.clock.now()
      try context.output(limitLines(limits, at: now, on: context.screen))
    }
    return .done
  }
}
