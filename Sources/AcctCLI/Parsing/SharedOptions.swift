import ArgumentParser

/// The options that every command has.
struct SharedOptions: ParsableArguments {
  @Option(name: [.short, .long], help: ArgumentHelp("The account: its name, handle, DID or id.", valueName: "name"))
  var account: String?

  @Flag(help: "Print one JSON object; errors too, on standard error.")
  var json = false

  @Flag(name: [.short, .long], help: "Print only errors.")
  var quiet = false

  @Flag(name: [.short, .long], help: "Print each step.")
  var verbose = false

  @Flag(help: "Never prompt, and open no browser.")
  var noInput = false

  @Flag(help: "Use no colour.")
  var noColor = false

  // Without a value to begin with, which ArgumentParser would print for the help at each start, and of a type that
  // `--min-valid` has, too: for each other one it looks up what the type conforms to.
  @Option(help: ArgumentHelp("The time limit for the network, 30 if left out.", valueName: "seconds"))
  var timeout: Int64?

  /// The time limit for the network, in seconds.
  var timeLimit: Int { timeout.map(Int.init(clamping:)) ?? 30 }

  func validate() throws {
    guard timeLimit > 0 else { throw ValidationError("--timeout is a number of seconds above 0") }
  }
}
