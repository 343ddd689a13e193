import AcctPrograms
import AcctRequests
import AcctConsole
import AcctEngine
import AcctProtocol
package import ArgumentParser

extension Acct {
  /// Parses a command line.
  ///
  /// The commands that scripts and prompts call have tables, and others that programs call are parsed alone: setting up
  /// all the others, with all of their options, would take longer than the rest of the work. Any line that is not
  /// accepted so (help, a mistake) is answered by the whole tree, so the answer does not depend on the way.
  ///
  /// - Parameter arguments: The command line without the program's name.
  /// - Returns: The command to run.
  /// - Throws: ArgumentParser's errors, which include help.
  package static func parsed(_ arguments: [String]) throws -> ParsedCommand {
    let typed = arguments
    let arguments = arguments.hoistingSharedOptions.completingFrom
    // A table takes no empty word.
    if let command = tabled(arguments) { return command }
    try arguments.requireValues()
    if arguments.first == "helper" {
      if let words = setupWords(arguments) { return try ParsedCommand(of: SetupCommand.parseAsRoot(words)) }
      try HelperCommand.requireOwnOptions(in: typed)
    }
    let rest = Array(arguments.dropFirst())
    let command: (any AcctCommand)? =
      switch arguments.first {
      case "limits": LimitsCommand.parsed(rest)
      case "observe": ObserveCommand.parsed(rest)
      case "request": RequestCommand.parsed(rest)
      case "helper": HelperCommand.parsed(rest)
      default: nil
      }
    if let command { return ParsedCommand(command) }
    if arguments.first == "help" {
      if rest == ["helper", "setup"] { return try ParsedCommand(of: SetupCommand.parseAsRoot(["--help"])) }
      // ArgumentParser's own answers with the help of the last name that it knows.
      guard isCommand(rest.filter { !$0.hasPrefix("-") }) else { throw UnknownCommand(rest) }
    } else if let name = arguments.first, !name.hasPrefix("-"), !isCommand([name]) {
      // ArgumentParser might report one of its options first.
      throw UnknownCommand([name])
    }
    return try ParsedCommand(of: parseAsRoot(arguments))
  }

  /// Parses a line of a command that has a table; `nil` for another, and for one that ArgumentParser has to parse.
  ///
  /// - Parameter arguments: The command line, with the command's name first.
  /// - Returns: The command to run.
  package static func tabled(_ arguments: [String]) -> ParsedCommand? {
    let rest = arguments.dropFirst()
    let command: (any AcctCommand)? =
      switch arguments.first {
      case "header": HeaderCommand.tabled(rest)
      case "token": TokenCommand.tabled(rest)
      case "request": RequestCommand.tabled(rest)
      case "status": StatusCommand.tabled(rest)
      case "list": ListCommand.tabled(rest)
      case "complete": CompleteCommand.tabled(rest)
      default: nil
      }
    return command.map { ParsedCommand($0) }
  }

  /// `true` if a command line that has not been parsed yet seems to make a request in any case.
  static func makesRequest(_ arguments: [String]) -> Bool { arguments.hoistingSharedOptions.first == "request" }

  /// The words behind `helper setup`; `nil` for a protocol.
  private static func setupWords(_ arguments: [String]) -> [String]? {
    guard arguments.contains("setup") else { return nil }
    let words = Array(arguments.dropFirst()).hoistingSharedOptions
    return words.first == "setup" ? Array(words.dropFirst()) : nil
  }

  /// `true` if each name is that of a subcommand of the one before it.
  static func isCommand(_ names: [String]) -> Bool {
    var subcommands = configuration.subcommands
    for name in names where names != ["help"] {
      guard let command = subcommands.first(where: { $0._commandName == name }) else { return false }
      subcommands = command.configuration.subcommands
    }
    return true
  }
}

extension ParsableCommand {
  /// Parses the arguments of this command alone; `nil` if they are malformed.
  fileprivate static func parsed(_ arguments: [String]) -> Self? {
    // The whole tree then reports the mistake in its own words.
    (try? parseAsRoot(arguments)) as? Self
  }
}

extension Acct {
  /// The arguments of acct after the name that it was called by.
  ///
  /// Git, docker, cargo and terraform run a program by a name that they make themselves, such as
  /// `git-credential-acct`. Links of these names lead to acct, and each is the protocol of that program.
  ///
  /// - Parameter commandLine: The command line with the program's name.
  /// - Returns: The arguments without it.
  package static func arguments(of commandLine: [String]) -> [String] {
    let arguments = Array(commandLine.dropFirst())
    guard let path = commandLine.first, let name = path.split(separator: "/").last, name != "acct",
      let program = HelperCommand.Name.allCases.first(where: { $0.programName == String(name) })
    else { return arguments }
    return ["helper", program.rawValue] + arguments
  }
}

/// The command of a command line.
package struct ParsedCommand {
  /// The command as one of acct's; `nil` for ArgumentParser's own: help, and a command that only holds others.
  ///
  /// A stored one, not a cast at its use: a cast to a protocol searches every conformance that there is.
  let own: (any AcctCommand)?
  package let command: any ParsableCommand

  init(_ command: any AcctCommand) {
    own = command
    self.command = command
  }

  /// Looks whether a command is one of acct's.
  init(of command: any ParsableCommand) {
    own = command as? any AcctCommand
    self.command = command
  }
}
