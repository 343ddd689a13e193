import AcctConsole
import AcctEngine
import AcctModel
package import ArgumentParser

/// The logins of another program, to become accounts.
package struct FromOptions: ParsableArguments {
  /// The value of `--from`.
  package enum Source: String, CaseIterable, ExpressibleByArgument {
    case gh, glab, git, netrc, docker, cargo
    case oidcAgent = "oidc-agent"
    /// What there is, of all programs.
    case list

    /// `nil` for the list.
    package var program: OtherProgram? { OtherProgram(rawValue: rawValue) }
  }

  @Option(
    name: .customLong("from"),
    help: ArgumentHelp("Add the logins that another program keeps; list shows what there is.", valueName: "program")
  )
  package var source: Source?

  @Flag(help: "With --from, show what would be added, and add nothing.")
  package var dryRun = false

  package init() {}

  package func validate() throws {
    guard source != nil || !dryRun else { throw ValidationError("--dry-run needs --from") }
  }
}

extension [String] {
  /// The command line with the value that `acct add --from` without one stands for: the list.
  package var completingFrom: [String] {
    guard first == "add" else { return self }
    let end = firstIndex(of: "--") ?? endIndex
    guard let index = self[..<end].lastIndex(of: "--from") else { return self }
    guard index + 1 == end || self[index + 1].hasPrefix("-") else { return self }
    return self[...index] + [FromOptions.Source.list.rawValue] + self[(index + 1)...]
  }
}
