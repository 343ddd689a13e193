import ArgumentParser

/// The options that every command has.
struct SharedOptions: ParsableArguments {
  @Option(
    name: [.short, .long],
    help: ArgumentHelp("The account: its name, handle, DID or id.", valueName: "name")
  )
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

  @Option(help: ArgumentHelp("The time limit for the network.", valueName: "seconds"))
  var timeout = 30

  func validate() throws {
    guard timeout > 0 else { throw ValidationError("--timeout is a number of seconds above 0") }
  }
}
