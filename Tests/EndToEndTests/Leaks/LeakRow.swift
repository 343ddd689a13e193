/// One call of acct on a ``LeakStage``, and what it may show to whom.
struct LeakRow: CustomStringConvertible {
  /// The command as `acct --help` knows it; empty for acct alone.
  let command: String
  let arguments: [String]
  var input = ""
  var status: Int32 = 0
  /// Kinds of secrets, and the one place where showing them is this command's purpose.
  var shows: [String: String] = [:]
  /// The kind of secret that it holds for as long as it runs.
  var keeps: String?
  /// What the server does wrong meanwhile.
  var fault: Fault?
  /// Whether the user's browser approves, which takes a second.
  var browses = false

  struct Fault {
    let endpoint: String
    let kind: String
    var status: Int64?
  }

  init(
    _ command: String,
    _ arguments: [String],
    input: String = "",
    status: Int32 = 0,
    shows: [String: String] = [:],
    fault: Fault? = nil,
    browses: Bool = false
  ) {
    self.command = command
    self.arguments = command.split(separator: " ").map(String.init) + arguments
    self.input = input
    self.status = status
    self.shows = shows
    self.fault = fault
    self.browses = browses
  }

  var description: String { "acct \(arguments.joined(separator: " "))" }
}
