import AcctConsole
import AcctModel
import ArgumentParser

/// The logins of another program, to become accounts.
struct FromOptions: ParsableArguments {
  /// The value of `--from`.
  enum Source: String, CaseIterable, ExpressibleByArgument {
    case gh, glab, git, netrc, docker, cargo
    case oidcAgent = "oidc-agent"
    /// What there is, of all programs.
    case list

    /// `nil` for the list.
    var program: OtherProgram? { OtherProgram(rawValue: rawValue) }
  }

  @Option(
    name: .customLong("from"),
    help: ArgumentHelp("Add the logins that another program keeps; list shows what there is.", valueName: "program")
  )
  var source: Source?

  @Flag(help: "With --from, show what would be added, and add nothing.")
  var dryRun = false

  func validate() throws {
    guard source != nil || !dryRun else { throw ValidationError("--dry-run needs --from") }
  }
}

extension [String] {
  /// The command line with the value that `acct add --from` without one stands for: the list.
  var completingFrom: [String] {
    guard first == "add" else { return self }
    let end = firstIndex(of: "--") ?? endIndex
    guard let index = self[..<end].lastIndex(of: "--from") else { return self }
    guard index + 1 == end || self[index + 1].hasPrefix("-") else { return self }
    return self[...index] + [FromOptions.Source.list.rawValue] + self[(index + 1)...]
  }
}
