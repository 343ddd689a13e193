import AcctModel
package import ArgumentParser

/// The options that every command has.
package struct SharedOptions: ParsableArguments {
  @Option(name: [.short, .long], help: ArgumentHelp("The account: its name, handle, DID or id.", valueName: "name"))
  package var account: String?

  @Flag(help: "Print one JSON object; errors too, on standard error.")
  package var json = false

  @Flag(name: [.short, .long], help: "Print only errors.")
  package var quiet = false

  @Flag(name: [.short, .long], help: "Print each step.")
  package var verbose = false

  @Flag(help: "Never prompt, and open no browser.")
  package var noInput = false

  @Flag(help: "Use no colour.")
  package var noColor = false

  // Without a value to begin with, which ArgumentParser would print for the help at each start.
  @Option(
    help: ArgumentHelp("The time limit for the network, 30 if left out.", valueName: "seconds"),
    transform: seconds
  )
  package var timeout: Int64?

  package init() {}

  /// The time limit for the network, in seconds.
  package var timeLimit: Int { timeout.map(Int.init(clamping:)) ?? 30 }

  package func validate() throws {
    guard timeLimit > 0 else { throw ValidationError("--timeout is a number of seconds above 0") }
  }
}

/// Reads the length of time that an option has, in seconds.
///
/// - Throws: A `ValidationError`.
@Sendable package func seconds(_ text: String) throws -> Int64 {
  if let number = Int64(text) { return number }
  guard let seconds = Int64(span: text) else {
    throw ValidationError("\(text) is no time: 90s, 20m, 2h, 3d, 2w, or a number of seconds")
  }
  return seconds
}

extension [String] {
  /// The command line with the options that all commands share moved behind the command.
  ///
  /// `acct --json list` means `acct list --json`: ArgumentParser knows options only behind the
  /// command that has them, and people type them in either place.
  package var hoistingSharedOptions: [String] {
    var rest = self[...]
    var leading: [String] = []
    while let word = rest.first, let count = Self.sharedOptions[word.optionName] {
      let isJoined = word.contains("=")
      guard rest.count >= count else { break }
      leading += rest.prefix(isJoined ? 1 : count)
      rest = rest.dropFirst(isJoined ? 1 : count)
    }
    guard !leading.isEmpty, !rest.isEmpty else { return self }
    let end = rest.firstIndex(of: "--") ?? rest.endIndex
    return rest[..<end] + leading + rest[end...]
  }

  /// The number of words that each shared option takes, itself included.
  private static let sharedOptions = [
    "--account": 2, "-a": 2, "--timeout": 2, "--json": 1, "--quiet": 1, "-q": 1, "--verbose": 1,
    "-v": 1, "--no-input": 1, "--no-color": 1,
  ]
}

extension String {
  /// An option without its value.
  package var optionName: String { hasPrefix("--") ? String(prefix { $0 != "=" }) : self }
}
