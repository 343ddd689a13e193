import AcctTestSupport
import StrictJSON

/// What the built `acct` says of its own command line.
struct Tool {
  struct Option: Equatable {
    /// With their dashes, as in `-a` and `--account`.
    var names: [String]
    var takesValue: Bool
  }

  struct Command {
    /// The words after `acct`.
    var path: [String]
    /// Its own options; those of every command aside.
    var options: [Option]
    var arguments: [String]
    var hasCommands: Bool
  }

  /// Every command that people are told of, `help` aside.
  var commands: [Command]

  static func built() async throws -> Tool {
    let dump = try await ChildProcess(Product.executable("acct"), ["--experimental-dump-help"]).run()
    let json = try JSON(parsing: dump.standardOutput)
    guard let root = json["command"] else { throw ProcessFailure.notReady(program: "acct", output: dump.text) }
    return Tool(commands: read(root, []).filter { !$0.path.isEmpty })
  }

  private static func read(_ json: JSON, _ path: [String]) -> [Command] {
    let arguments = (json["arguments"]?.arrayValue ?? []).filter { $0["shouldDisplay"]?.boolValue == true }
    let children = (json["subcommands"]?.arrayValue ?? []).filter {
      $0["shouldDisplay"]?.boolValue == true && $0["commandName"]?.stringValue != "help"
    }
    let command = Command(
      path: path,
      options: arguments.filter { $0["kind"]?.stringValue != "positional" }.map { option in
        Option(
          names: (option["names"]?.arrayValue ?? []).map { name in
            (name["kind"]?.stringValue == "long" ? "--" : "-") + (name["name"]?.stringValue ?? "")
          },
          takesValue: option["kind"]?.stringValue == "option"
        )
      },
      arguments: arguments.filter { $0["kind"]?.stringValue == "positional" }
        .compactMap { $0["valueName"]?.stringValue },
      hasCommands: !children.isEmpty
    )
    return [command] + children.flatMap { read($0, path + [$0["commandName"]?.stringValue ?? ""]) }
  }
}

extension JSON {
  fileprivate subscript(name: String) -> JSON? { objectValue?[name] }
}
