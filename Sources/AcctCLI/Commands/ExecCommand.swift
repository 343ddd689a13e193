import AcctEngine
import AcctModel
import ArgumentParser

/// Runs a command with the token in its environment.
struct ExecCommand: AcctCommand {
  static var takesDocument: Bool { true }

  static let configuration = CommandConfiguration(
    commandName: "exec",
    abstract: "Run a command with the token in its environment.",
    usage: "acct exec [--for URL] [--env NAME] [--min-valid SECONDS] -- COMMAND…",
    discussion: """
      The command replaces acct: its exit status, terminal and signals are its own. \
      Every process that it starts can read the token, too.
      """
  )

  @Option(
    name: .customLong("for"),
    help: ArgumentHelp("The URL that the token is for, which selects an account that has it.", valueName: "url")
  )
  var url: String?

  @Option(help: ArgumentHelp("The variable that holds the token.", valueName: "name"))
  var env = "ACCT_TOKEN"

  @Option(help: ArgumentHelp("Renew the token if it expires within this time.", valueName: "seconds"))
  var minValid: Int64?

  @Flag(help: "Do not renew: use the stored credentials.")
  var offline = false

  @Argument(parsing: .postTerminator, help: "The command and its arguments, after --.")
  var command: [String] = []

  @Option(
    help: ArgumentHelp("Use the account of this document alone, and keep nothing; - is stdin.", valueName: "file")
  )
  var credentials: String?

  @OptionGroup var options: SharedOptions

  func validate() throws {
    guard let program = command.first, !program.isEmpty else {
      throw ValidationError("run which command? put it after --: acct exec -- COMMAND")
    }
    guard env.isVariableName else {
      throw ValidationError("--env is a name of letters, digits and _, not beginning with a digit")
    }
    if let minValid, minValid < 0 { throw ValidationError("--min-valid is a number of seconds, 0 or more") }
  }

  func run(in context: Context) async throws(EngineError) -> ExitStatus {
    let runner = RunWithToken(context.world)
    let url = try Authorize.Target(method: nil, url: url).url
    let account = try await context.choose(for: url?.origin).account
    if let url { try account.requireOwn(url.origin) }
    try runner.find(command.first ?? "")
    let provider = TokenProvider(context.engine, offline ? .forbidden : .allowed)
    let grant =
      if let purpose = try account.purpose(for: url, nil) {
        try await provider.grant(to: account, for: purpose, leaving: minValid)
      } else {
        try await provider.grant(to: account, leaving: minValid)
      }
    context.report(grant.notices)
    if account.tokenType == .dpop {
      context.notice("the token of \(account.name) is bound to a DPoP key: no server accepts it without a proof")
    }
    try runner.run(command, grant, in: env)
    return .done
  }
}

extension String {
  /// `true` for a name that shells can use (POSIX, Base Definitions, section 3.216).
  fileprivate var isVariableName: Bool {
    let isStart = { (byte: UInt8) in
      byte == UInt8(ascii: "_") || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
    }
    guard let first = utf8.first, isStart(first) else { return false }
    return utf8.allSatisfy { isStart($0) || (0x30...0x39).contains($0) }
  }
}
