import StrictJSON

/// One call of acct, and the secrets that it may show in which place.
struct LeakRow: CustomStringConvertible {
  /// The command as `acct --help` knows it; empty for acct alone.
  let command: String
  let arguments: [String]
  var input = ""
  var status: Int32 = 0
  /// Kinds of secrets, and the places where showing them is this command's purpose.
  var shows: [String: [String]] = [:]
  /// The kinds of secrets that its memory holds for as long as it runs.
  var keeps: Set<String> = []
  /// What the server does wrong meanwhile.
  var fault: JSON?
  /// What the user does in the browser, as the strict server's browser takes it; `nil` for none.
  var mood: String?
  /// Whether it runs until it is stopped.
  var isEndless = false

  init(
    _ command: String,
    _ arguments: [String],
    input: String = "",
    status: Int32 = 0,
    shows: [String: [String]] = [:],
    keeps: Set<String> = [],
    fault: JSON? = nil,
    mood: String? = nil
  ) {
    self.command = command
    self.arguments = command.split(separator: " ").map(String.init) + arguments
    self.input = input
    self.status = status
    self.shows = shows
    self.keeps = keeps
    self.fault = fault
    self.mood = mood
  }

  var description: String { "acct \(arguments.joined(separator: " "))" }
}
