import AcctConsole
import AcctEngine
import AcctPrograms
import AcctProtocol
import AcctRequests
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
      if let words = setupWords(arguments) {
        try words.requireOneAccount()
        return try ParsedCommand(of: SetupCommand.parseAsRoot(words))
      }
      try HelperCommand.requireOwnOptions(in: typed)
    }
    // A program's words come first: they choose nothing.
    try arguments.requireOneAccount()
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

extension [String] {
  /// Checks that one account is named at most: ArgumentParser would take the last one.
  ///
  /// - Throws: `ValidationError`.
  fileprivate func requireOneAccount() throws {
    let options = prefix { $0 != "--" }.filter { word in
      let name = word.prefix { $0 != "=" }
      return name == "--account" || name.hasPrefix("-") && !name.hasPrefix("--") && name.contains("a")
    }
    guard options.count < 2 else { throw ValidationError("--account is given twice, and a command is for one account") }
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

/// A word in the place of a command that is not a command's name.
struct UnknownCommand: Error {
  /// The words of the command line: one, or the arguments of `help`.
  let words: [String]

  init(_ words: [String]) { self.words = words }

  /// The commands whose names are most like the first word, in the order of the help; empty if none
  /// is similar.
  var candidates: [String] {
    guard let word = words.first else { return [] }
    if let relative = Self.relatives[word] { return [relative] }
    let commands = Acct.configuration.subcommands.filter { $0.configuration.shouldDisplay }
    return nearest(to: word, of: commands.map { $0._commandName })
  }

  /// The names that other programs have for the same.
  private static let relatives = [
    "whoami": "status", "who": "status", "show": "status", "ls": "list", "accounts": "list", "rm": "remove",
    "del": "remove", "delete": "remove", "logout": "remove", "signout": "remove", "signin": "login", "auth": "login",
    "use": "switch", "select": "switch", "mv": "rename", "new": "add", "curl": "request", "run": "exec",
    "env": "exec", "renew": "refresh", "check": "doctor",
  ]
}

extension ErrorMessage {
  /// A word that is not a command's name.
  init(_ unknown: UnknownCommand) {
    self.init(usage: "there is no command \(unknown.words.joined(separator: " "))")
    if let question = didYouMean(unknown.candidates.map { "acct \($0)" }) { hint = question }
  }
}

extension ErrorMessage {
  /// The values that a refused one may stand for, where the message has the closed list of them.
  var meantValues: [String] {
    guard text.hasPrefix("the value '"), let list = text.firstRange(of: "; it is one of ") else { return [] }
    let values = text[list.upperBound...].split(separator: "'").map(String.init).filter { !$0.contains(" ") }
    let value = text.dropFirst("the value '".count).prefix { $0 != "'" }
    return suggested(for: String(value), of: values)
  }
}

extension [String] {
  /// `nil` without any.
  var nonempty: [String]? { isEmpty ? nil : self }
}

extension Acct {
  /// The first option of a command line that its command does not have.
  ///
  /// ArgumentParser finds it last: a missing value or a rule of the command's own would be reported
  /// first, and hide the typing mistake that caused it.
  ///
  /// - Parameter arguments: A command line that is wrong.
  /// - Returns: The option as it was typed, without its value, and those that it may stand for.
  static func unknownOption(in arguments: [String]) -> (option: String, candidates: [String])? {
    let (command, names) = command(of: arguments)
    let words = arguments.hoistingSharedOptions
    if let first = words.first, first.hasPrefix("-") { return leading(first.optionName, before: command, names) }
    // Words after `exec` may be another program's.
    guard command != ExecCommand.self, command != Acct.self else { return nil }
    let known = options(of: command)
    let option = words.dropFirst(names.count).prefix { $0 != "--" }.lazy
      .map(\.optionName)
      .first { $0.hasPrefix("--") && !known.contains($0) }
    return option.map { ($0, suggested(for: $0, of: known.sorted())) }
  }

  /// The option before a command, unless it is one that all commands have: ArgumentParser then takes the command's name
  /// for an argument of `home`.
  private static func leading(
    _ option: String,
    before command: any ParsableCommand.Type,
    _ names: [String]
  ) -> (option: String, candidates: [String])? {
    let shared = options(of: HomeCommand.self).union(["--version"])
    guard !shared.contains(option) else { return nil }
    if command != Acct.self, options(of: command).contains(option) {
      return (option, [(["acct"] + names + [option]).joined(separator: " ")])
    }
    // Any other letter is as near as the one that was meant.
    if option.utf8.count == 2 { return (option, []) }
    let candidates = suggested(for: option, of: shared.sorted())
    // A word such as `-qv` has several options.
    guard option.hasPrefix("--") || !candidates.isEmpty else { return nil }
    return (option, candidates)
  }

  /// The command of a command line, with the names that lead to it: `["vault", "seal"]`; options before it are skipped.
  static func command(of arguments: [String]) -> (type: any ParsableCommand.Type, names: [String]) {
    var names: [String] = []
    var command: any ParsableCommand.Type = Acct.self
    var words = arguments.hoistingSharedOptions[...]
    if words.first?.hasPrefix("-") ?? false { words = words.drop { !isCommand([$0]) } }
    for name in words {
      guard let next = command.configuration.subcommands.first(where: { $0._commandName == name }) else { break }
      command = next
      names.append(name)
    }
    if names == ["helper"], arguments.drop(while: { $0 != "helper" }).dropFirst().first == "setup" {
      return (SetupCommand.self, ["helper", "setup"])
    }
    return (command, names)
  }

  /// The options that the help of a command lists.
  private static func options(of command: any ParsableCommand.Type) -> Set<String> {
    // A setup is in no tree but its own.
    let help =
      command == SetupCommand.self
      ? SetupCommand.helpMessage(includeHidden: true, columns: 200)
      : helpMessage(for: command, includeHidden: true, columns: 200)
    let entries = help.split(separator: "\n")
      .map { $0.drop { $0 == " " } }
      .filter { $0.hasPrefix("-") }
    return Set(
      entries.flatMap { entry in
        entry.split(separator: " ").prefix(4).filter { $0.hasPrefix("-") }
          .map { String($0.prefix { $0 != "," && $0 != "=" }) }
      }
    )
  }
}
