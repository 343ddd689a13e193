package import AcctConsole
package import AcctEngine
import AcctModel
import AcctPorts
import AcctProtocol
package import ArgumentParser
import StrictJSON

extension SetupProgram: ExpressibleByArgument {}

/// Changes the settings of another program so that it asks acct.
///
/// It is typed as `acct helper setup`, and is no subcommand of `helper`: ArgumentParser would take its name as that of a
/// protocol, and every answer to a program would pay for it.
package struct SetupCommand: AcctCommand {
  package static let configuration = CommandConfiguration(
    commandName: "setup",
    abstract: "Have another program ask acct for credentials, or undo that.",
    usage:
      "acct helper setup [<program>] [--host <host>] [--role-arn <arn>] [--profile <name>] [--undo] [--dry-run] [--yes]",
    discussion: """
      It shows the change to the program's own settings, and makes it:

        acct helper setup git

      Without a program it lists those that it knows: \(programs.joined(separator: ", ")).
      """
  )

  package static let programs = SetupProgram.allCases.map(\.rawValue)

  @Argument(help: "The program whose settings are changed.")
  var program: SetupProgram?

  @Option(help: ArgumentHelp("Change the settings for one server only.", valueName: "host"))
  var host: String?

  @Option(help: ArgumentHelp("Of aws: the role whose keys the account gets.", valueName: "arn"))
  var roleArn: String?

  @Option(help: ArgumentHelp("Of aws: the profile that gets them, instead of acct.", valueName: "name"))
  var profile: String?

  @Flag(help: "Take back what acct has changed.")
  var undo = false

  @Flag(help: "Show the change, and make none.")
  var dryRun = false

  @Flag(help: "Ask nothing, also where the program drops lines that are not acct's.")
  var yes = false

  @OptionGroup package var options: SharedOptions

  package init() {}

  package func validate() throws {
    guard program == nil else { return }
    guard host == nil, roleArn == nil, profile == nil, !undo, !dryRun, !yes else {
      throw ValidationError(HelperCommand.missingProgram)
    }
  }

  package func run(in context: Context) async throws(EngineError) -> ExitStatus {
    guard let program else { return try await list(context) }
    let host = try host.map { (host) throws(EngineError) in try SetupHost(host) }
    guard program == .aws || (roleArn ?? profile) == nil else { throw .setup(.noRoles(program)) }
    let setup = ApplySetup(context: context.engine)
    let plan: SetupPlan
    if undo {
      var undoing = UndoSetup(context.engine)
      guard let planned = try await undoing.plan(program, profile ?? host?.text) else {
        return try done(nil, program, "acct has not set up \(program.rawValue); nothing was changed", context)
      }
      plan = planned
    } else {
      plan = try await setup.plan(program, host, role: program == .aws ? role(context) : nil)
    }
    try show(plan, context)
    guard !dryRun else { return try done(plan, program, "nothing was changed", context) }
    if plan.obstructed == nil, !plan.isEmpty { try agree(to: plan, context) }
    try await setup.carryOut(plan)
    return try done(plan, program, ending(of: plan), context)
  }

  /// The role, which is asked for on a terminal.
  private func role(_ context: Context) async throws(EngineError) -> SetupRole {
    var arn = roleArn
    if arn == nil, context.canAsk { arn = context.world.terminal.ask("acct: the role's ARN: ") }
    guard let arn, !arn.isEmpty else { throw .setup(.noRole) }
    return try await SetupRole(arn, profile ?? "acct", of: options.account, context.engine)
  }

  /// Shows a plan: the settings that it changes, and the diff; or the lines to write where acct does not.
  ///
  /// An undo that acct does not make is shown as its diff, which tells the lines to remove from those to put back.
  private func show(_ plan: SetupPlan, _ context: Context) throws(EngineError) {
    if options.json { return }
    for line in lines(for: plan) { context.notice(line) }
    if plan.obstructed != nil, !plan.isUndo {
      try context.output(plan.edits.flatMap { $0.byHand.isEmpty ? $0.diff.addedLines : $0.byHand }.map(printableLine))
    } else if dryRun || plan.obstructed != nil {
      try context.output(diff(for: plan))
    } else if !options.quiet || asks(context) {
      // Messages escape tabs.
      for line in diff(for: plan) { context.world.report(line.replacing("\t", with: "    ")) }
    }
    for remark in plan.remarks { context.notice(words(for: remark)) }
    // Without an answer the error says it.
    if !plan.lost.isEmpty, dryRun || yes || asks(context) { context.notice(words(forLost: plan.lost, plan.program)) }
  }

  private func asks(_ context: Context) -> Bool { context.canAsk && !dryRun && !yes && !options.json }

  /// Asks where a person can answer; where the program drops lines, a yes is needed.
  ///
  /// - Throws: ``EngineError/cancelled``, ``SetupError/losing(_:_:agreeing:)``.
  private func agree(to plan: SetupPlan, _ context: Context) throws(EngineError) {
    let isLosing = !plan.lost.isEmpty
    guard asks(context) else {
      guard !isLosing || yes else { throw .setup(.losing(plan.program, plan.lost, agreeing: agreeing)) }
      return
    }
    let question = "acct: make this change? \(isLosing ? "[y/N]" : "[Y/n]") "
    let answer = context.world.terminal.ask(question)?.lowercased()
    guard let answer, ["y", "yes"].contains(answer) || answer.isEmpty && !isLosing else { throw .cancelled }
  }

  /// This command line, with the yes.
  private var agreeing: String {
    let values = [("--host", host), ("--role-arn", roleArn), ("--profile", profile), ("--account", options.account)]
    let given = values.flatMap { name, value in value.map { [name, shellWord($0)] } ?? [] }
    let words =
      ["acct", "helper", "setup", program?.rawValue ?? ""] + given + (undo ? ["--undo", "--yes"] : ["--yes"])
    return words.joined(separator: " ")
  }

  private func ending(of plan: SetupPlan) -> String {
    let name = plan.program.rawValue
    if plan.isUndo {
      guard !plan.edits.isEmpty, plan.restoresBytes else {
        let stayed = plan.notRestored.prefix(4).map { "`\(printable($0))`" }.joined(separator: ", ")
        let more = plan.notRestored.count > 4 ? " and \(plan.notRestored.count - 4) more" : ""
        let words = stayed.isEmpty ? "" : "; what the setup dropped does not come back: \(stayed)\(more)"
        return "\(name) does not ask acct any more\(words)"
      }
      return "\(name) is as it was before"
    }
    if plan.isEmpty {
      return "\(name) \(plan.isOverruled ? "is set up already" : "already asks acct"); nothing was changed"
    }
    let host = plan.host.map(shellWord)
    let verb = plan.isOverruled ? "is set up" : "asks acct"
    let subject = host.map { "\(name) \(verb) for \($0) now" } ?? "\(name) \(verb) now"
    let option = host.map { " \(plan.program == .aws ? "--profile" : "--host") \($0)" } ?? ""
    let undoing = "`acct helper setup \(plan.program.rawValue)\(option) --undo`"
    return "\(subject); to undo it: \(undoing)"
  }

  private func done(
    _ plan: SetupPlan?,
    _ program: SetupProgram,
    _ text: String,
    _ context: Context
  ) throws(EngineError) -> ExitStatus {
    if options.json {
      let files = plan?.edits ?? []
      try context.output(
        envelope([
          "setup": [
            "program": .string(program.rawValue), "host": JSON(host), "undo": .bool(undo), "dryRun": .bool(dryRun),
            "files": .array(files.map(\.json)),
          ]
        ])
      )
    } else {
      context.notice(text)
    }
    return .done
  }

  /// Shows the state of every program.
  private func list(_ context: Context) async throws(EngineError) -> ExitStatus {
    var states: [(program: SetupProgram, state: SetupState)] = []
    for program in SetupProgram.allCases {
      states.append((program, await ApplySetup(context: context.engine).state(of: program)))
    }
    if options.json {
      try context.output(envelope(["programs": .array(states.map { $0.state.json(of: $0.program) })]))
    } else {
      let table = Table(
        columns: [Table.Column("PROGRAM"), Table.Column("STATE", floor: 12, rank: 0)],
        rows: states.map { [Cell($0.program.rawValue, .strong), Cell(words(for: $0.state))] }
      )
      try context.output(table.lines(on: context.screen))
    }
    return .done
  }
}
