import ArgumentParser

extension Acct {
  /// The first option of a command line that its command does not have.
  ///
  /// ArgumentParser finds it last: a missing value or a rule of the command's own would be reported
  /// first, and hide the typing mistake that caused it.
  ///
  /// - Parameter arguments: A command line that is wrong.
  /// - Returns: The option as it was typed, without its value.
  static func unknownOption(in arguments: [String]) -> String? {
    var rest = arguments.hoistingSharedOptions[...]
    var command: any ParsableCommand.Type = Acct.self
    while let name = rest.first,
      let subcommand = command.configuration.subcommands.first(where: { $0._commandName == name })
    {
      command = subcommand
      rest = rest.dropFirst()
    }
    // What follows `exec` may be another program's.
    guard command != ExecCommand.self, command != Acct.self else { return nil }
    let known = options(of: command)
    return rest.prefix { $0 != "--" }.lazy
      .map { String($0.prefix { $0 != "=" }) }
      .first { $0.hasPrefix("--") && !known.contains($0) }
  }

  /// The options that the help of a command lists.
  private static func options(of command: any ParsableCommand.Type) -> Set<String> {
    let help = helpMessage(for: command, includeHidden: true, columns: 200)
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
