extension Acct {
  /// The arguments of acct behind the name that it was called by.
  ///
  /// Git, docker and cargo run a program by a name that they make themselves, such as
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
