package import AcctConsole
package import AcctEngine
import AcctModel
import AcctPorts
package import ArgumentParser

/// Learns from the answers that another program got.
package struct ObserveCommand: AcctCommand {
  package static let configuration = CommandConfiguration(
    commandName: "observe",
    abstract: "Read nonces and limits from a response's headers on standard input.",
    discussion: """
      The next header then uses the nonce that curl received:

        acct header URL | curl -H @- -D heads URL; acct observe URL <heads

      A sealed session that the backend has replaced is stored, once the backend confirms that it is \
      this account's.
      """
  )

  @Argument(help: "The URL that was requested.")
  var url: String

  @OptionGroup package var options: SharedOptions

  package init() {}

  package func run(in context: Context) async throws(EngineError) -> ExitStatus {
    let target: Destination
    do { target = try Destination(url) } catch { throw .input(.malformed(error)) }
    let account = try await context.choose(for: target).account
    let observer = Observe(context.engine)
    context.report(try await observer.observe(target.url, as: account))
    if options.json {
      let limits = LimitsLedger(context.world).limits(of: account.id)
      try context.output(limitsJSON(limits, of: account, at: context.world.clock.now()))
    }
    return .done
  }
}
