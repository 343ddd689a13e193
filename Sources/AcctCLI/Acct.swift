import AcctApps
import AcctConsole
import AcctDevices
import AcctEngine
import AcctFleet
import AcctPrograms
import AcctRequests
import Secrets
package import AcctPorts
package import FleetPorts
package import KeyDevices
package import ArgumentParser
import StrictJSON

/// The root command.
package struct Acct: AsyncParsableCommand {
  package static let configuration = CommandConfiguration(
    commandName: "acct",
    abstract: "Keep the accounts you are signed in to, and the right auth header for any script.",
    discussion: """
      Tokens and keys stay in the keyring. A script gets the header lines for one request:

        acct header URL | curl -H @- URL
      """,
    version: "acct \(version)",
    subcommands: [
      AddCommand.self, LoginCommand.self, ListCommand.self, SwitchCommand.self, StatusCommand.self, HeaderCommand.self,
      TokenCommand.self, LogCommand.self, MetricsCommand.self,
      RequestCommand.self, ProxyCommand.self, ObserveCommand.self, LimitsCommand.self, RefreshCommand.self,
      RotateCommand.self, RemoveCommand.self, RenameCommand.self, AllowCommand.self, KeyCommand.self,
      ExportCommand.self, ExecCommand.self, HelperCommand.self, ProvidersCommand.self, VaultCommand.self,
      KeyringCommand.self, DoctorCommand.self, CallbackCommand.self, CompleteCommand.self, HomeCommand.self,
    ],
    defaultSubcommand: HomeCommand.self
  )

  package init() {}
}

extension Acct {
  /// Runs a command line as the system has it.
  ///
  /// - Parameters:
  ///   - commandLine: The program's name and the arguments; `nil` for one that is not UTF-8.
  ///   - world: Everything outside but devices, other machines, and the desktop's handlers of schemes.
  ///   - devices: The devices that can have keys.
  ///   - sharing: The keyring that other machines have, too.
  ///   - schemes: The desktop's handlers of apps' schemes.
  /// - Returns: The exit status of the process.
  package static func run(
    commandLine: [String?],
    in world: World,
    devices: HardwareKeys = .none,
    sharing: SharedKeyring = .none,
    schemes: SchemeHandler = .none
  ) async -> Int32 {
    let texts = commandLine.compactMap(\.self)
    guard texts.count == commandLine.count else {
      // Kept as a name with other characters in the place of its own, it could be another argument's name, too.
      let message = ErrorMessage.code("usage", .usage)
        .saying("an argument is not text in UTF-8")
        .hint("write it in UTF-8: `iconv -f latin1 -t utf-8` converts Latin-1")
      return ErrorReport(world: world, asJSON: texts.contains("--json")).write(message)
    }
    return await run(arguments(of: texts), in: world, devices: devices, sharing: sharing, schemes: schemes)
  }

  /// Parses `arguments`, runs the command in `world` and reports the outcome there.
  ///
  /// - Parameters:
  ///   - arguments: The command line without the program's name.
  ///   - world: Everything outside but devices, other machines, and the desktop's handlers of schemes.
  ///   - devices: The devices that can have keys.
  ///   - sharing: The keyring that other machines have, too.
  ///   - schemes: The desktop's handlers of apps' schemes.
  ///   - parse: Makes a command of them; tests that repeat a line have it parsed once.
  /// - Returns: The exit status of the process.
  package static func run(
    _ arguments: [String],
    in world: World,
    devices: HardwareKeys = .none,
    sharing: SharedKeyring = .none,
    schemes: SchemeHandler = .none,
    parsedBy parse: ([String]) throws -> ParsedCommand = parsed
  ) async -> Int32 {
    // Beside the parsing, which takes as long as that.
    if makesRequest(arguments) { world.transport.prepare() }
    let world = world.holdingSecrets()
    defer { world.held.forget() }
    var report = ErrorReport(world: world, asJSON: arguments.contains("--json"))
    do {
      let parsed = try parse(arguments)
      guard let command = parsed.own else {
        var command = parsed.command
        try command.run()
        return ExitStatus.done.rawValue
      }
      report.asJSON = command.options.json
      let variable = world.environment.variable
      let document = type(of: command).takesDocument ? command.credentials ?? variable("ACCT_CREDENTIALS") : nil
      let keepsNothing = document != nil || variable("ACCT_KEYRING") == "memory"
      if keepsNothing { report.world = world.keepingNothing() }
      var context = Context(
        report.world,
        command.options,
        devices: Devices(devices),
        fleet: Fleet(keepsNothing ? .none : sharing),
        backends: Backends(schemes)
      )
      context.isDocument = document != nil
      report.chosen = context.chosen
      report.isDocument = document != nil
      if let document { try await DocumentAccount(context.engine, knowing: OtherProgram.failure).load(document) }
      let status = try await command.run(in: context).rawValue
      return context.programStatus.value ?? status
    } catch let error as EngineError {
      WaitingRefusals(report.world).note(error)
      let message = ErrorMessage(error).namingOwner(for: error, arguments, in: report.world)
      return report.write(message.tellingSkipped(in: report.world))
    } catch let error as UnknownCommand {
      return report.write(ErrorMessage(error))
    } catch {
      return told(error, about: arguments, report, world.streams)
    }
  }

  /// Prints ArgumentParser's answer: help on standard output, or the error on standard error.
  private static func told(
    _ error: any Error,
    about arguments: [String],
    _ report: ErrorReport,
    _ streams: Streams
  ) -> Int32 {
    guard exitCode(for: error).isSuccess else {
      let unknown = unknownOption(in: arguments)
      let text = unknown.map { "unknown option '\($0.option)'" } ?? message(for: error)
      var errorMessage = ErrorMessage(usage: text)
      let command = command(of: arguments)
      let names = command.names.filter { $0 != "home" && $0 != "help" }
      let help = "`\((["acct"] + names).joined(separator: " ")) --help` shows what it takes"
      if !names.isEmpty { errorMessage.hint = help }
      let candidates =
        unknown?.candidates ?? HelperCommand.suggested(in: arguments).nonempty ?? errorMessage.meantValues
      if let question = didYouMean(candidates) { errorMessage.hint = "\(question) \(help)" }
      if errorMessage.text == HelperCommand.missingProgram {
        let programs =
          command.type == SetupCommand.self ? SetupCommand.programs : HelperCommand.Name.allCases.map(\.rawValue)
        errorMessage.text += "; " + ErrorMessage.closedList(programs)
      }
      return report.write(errorMessage)
    }
    let help = AddHelp.isFor(arguments) ? AddHelp.text(on: Screen(output: report.world, .withDefaults)) : nil
    do { try streams.output(Secret((help ?? fullMessage(for: error)) + "\n")) } catch {
      return report.write(ErrorMessage(.files(.output(error))))
    }
    return ExitStatus.done.rawValue
  }
}
