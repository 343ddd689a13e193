import AcctConsole
import AcctEngine
import ArgumentParser
import StrictJSON

/// Checks the keyring, the files and the clock that acct relies on.
struct DoctorCommand: AcctCommand {
  static let configuration = CommandConfiguration(
    commandName: "doctor",
    abstract: "Check keyring, files and clock, and say how to fix problems.",
    discussion: """
      Never prompts, and sends no credential. Exits with 0 if nothing is \
      wrong, or everything has been repaired.
      """
  )

  @Flag(help: "Fix problems that need no decision.")
  var repair = false

  @Flag(help: "Ask no server for the time.")
  var offline = false

  @Flag(help: "Print what a report of a bug needs, without secrets and names.")
  var report = false

  @OptionGroup var options: SharedOptions

  func validate() throws {
    guard !(report && options.json) else { throw ValidationError("--report is Markdown: leave out --json") }
  }

  func run(in context: Context) async throws(EngineError) -> ExitStatus {
    let findings = await Doctor(context.engine, repairs: repair).diagnose(askingServers: !offline)
    if report {
      try context.output(await BugReport(context.engine, findings).lines)
      return .done
    }
    // What needs a person stands last, where a terminal shows it.
    let ordered = findings.filter { !$0.needsPerson } + findings.filter(\.needsPerson)
    if options.json {
      try context.output(envelope(["findings": .array(ordered.map(\.json))]))
    } else {
      let columns = context.screen.columns
      try context.output(ordered.flatMap { $0.lines(at: columns, isQuiet: options.quiet) })
    }
    return findings.first(where: \.needsPerson)?.status ?? .done
  }
}
