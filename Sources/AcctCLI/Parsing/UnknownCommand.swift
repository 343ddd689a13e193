import AcctConsole
import AcctEngine
import AcctPrograms
import AcctRequests
import ArgumentParser

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
