import AcctConsole
import AcctEngine
import AcctModel
import AcctPorts
import ArgumentParser
import Secrets

/// Prints numbers about the accounts for Prometheus and other monitoring.
struct MetricsCommand: AcctCommand {
  static let configuration = CommandConfiguration(
    commandName: "metrics",
    abstract: "Print the states of accounts and keyring for Prometheus.",
    discussion: """
      The text is OpenMetrics, and the format 0.0.4 that node_exporter's textfile collector reads.
      """
  )

  @Flag(help: "Leave names out: an account is its random id.")
  var anonymous = false

  @Option(
    name: [.short, .long],
    help: ArgumentHelp("Replace a file, which any user may then read.", valueName: "file")
  )
  var output: String?

  @OptionGroup var options: SharedOptions

  func validate() throws {
    guard !options.json else { throw ValidationError("metrics are text: leave out --json") }
  }

  func run(in context: Context) async throws(EngineError) -> ExitStatus {
    let metrics = try await AccountMetrics.of(context.engine)
    let user = context.world.environment.user()
    let name = anonymous ? nil : user.name
    let lines = metricsLines(metrics, of: name ?? "\(user.id)", isAnonymous: anonymous)
    guard let output, output != "-" else {
      try context.output(lines)
      return .done
    }
    do { try context.world.streams.publish(output, Secret(lines.map { $0 + "\n" }.joined())) } catch {
      throw .files(.published(error))
    }
    return .done
  }
}
