package import AcctConsole
package import AcctEngine
import AcctModel
import Release
package import ArgumentParser
import Text

/// Runs a command with the token in its environment.
package struct ExecCommand: AcctCommand {
  package static var takesDocument: Bool { true }

  package static let configuration = CommandConfiguration(
    commandName: "exec",
    abstract: "Run a command with the token in its environment.",
    usage: """
      acct exec [--for URL] [--env NAME] [--min-valid SECONDS] -- COMMAND…
      acct exec [--id-token-file NAME] [--token-file NAME] -- COMMAND…
      """,
    discussion: """
      The command replaces acct: its exit status, terminal and signals are its own. \
      Every process that it starts can read the token, too. With a file, acct stays beside the command \
      and replaces the token before it ends.
      """
  )

  @Option(
    name: .customLong("for"),
    help: ArgumentHelp("The URL that the token is for, which selects an account that has it.", valueName: "url")
  )
  var url: String?

  @Option(help: ArgumentHelp("The variable that holds the token.", valueName: "name"))
  var env = "ACCT_TOKEN"

  @Option(help: ArgumentHelp("The variable that names a file with the ID token.", valueName: "name"))
  var idTokenFile: String?

  @Option(help: ArgumentHelp("The variable that names a file with the token.", valueName: "name"))
  var tokenFile: String?

  @Option(
    help: ArgumentHelp("Renew the token if it expires within this time.", valueName: "seconds"),
    transform: seconds
  )
  var minValid: Int64?

  @Flag(help: "Do not renew: use the stored credentials.")
  var offline = false

  @Argument(parsing: .postTerminator, help: "The command and its arguments, after --.")
  var command: [String] = []

  @Option(
    help: ArgumentHelp("Use the account of this document alone, and keep nothing; - is stdin.", valueName: "file")
  )
  package var credentials: String?

  @OptionGroup package var options: SharedOptions

  package init() {}

  package func validate() throws {
    guard let program = command.first, !program.isEmpty else {
      throw ValidationError("run which command? put it after --: acct exec -- COMMAND")
    }
    for (option, name) in [("--env", env), ("--id-token-file", idTokenFile), ("--token-file", tokenFile)] {
      guard name?.isVariableName ?? true else {
        throw ValidationError("\(option) is a name of letters, digits and _, not beginning with a digit")
      }
    }
    guard files.isEmpty || env == "ACCT_TOKEN" && minValid == nil else {
      throw ValidationError("--env and --min-valid are not for a token in a file")
    }
    guard idTokenFile == nil || idTokenFile != tokenFile else {
      throw ValidationError("--id-token-file and --token-file name two variables")
    }
    if let minValid, minValid < 0 { throw ValidationError("--min-valid is a number of seconds, 0 or more") }
  }

  /// The files that the command reads tokens from.
  private var files: [RunWithTokenFiles.File] {
    [(idTokenFile, true), (tokenFile, false)].compactMap { name, isIDToken in
      name.map { RunWithTokenFiles.File(variable: $0, isIDToken: isIDToken) }
    }
  }

  package func run(in context: Context) async throws(EngineError) -> ExitStatus {
    let runner = RunWithToken(context.world)
    let target = try Authorize.Target(method: nil, url: url)
    let account = try await context.choose(for: target.destination).account
    let permit: Permit
    do { permit = try account.permit(handingOverFor: target.url) } catch { throw .authorization(error) }
    try runner.find(command.first ?? "")
    if !files.isEmpty { return try await attend(runner, account, target.url, context) }
    let provider = TokenProvider(context.engine, offline ? .forbidden : .allowed)
    let grant = try await provider.grant(to: account, under: permit, leaving: minValid)
    context.report(grant.notices)
    if account.tokenType == .dpop {
      context.notice("the token of \(account.name) is bound to a DPoP key: no server accepts it without a proof")
    }
    let released = try permit.release(grant)
    await UseLog(context.engine).note(account, by: command.programName, at: target.url?.origin)
    try runner.run(command, released, in: env)
    return .done
  }

  /// Runs the command with tokens in files, and ends as it does.
  private func attend(
    _ runner: RunWithToken,
    _ account: Account,
    _ url: HTTPURL?,
    _ context: Context
  ) async throws(EngineError) -> ExitStatus {
    let network: TokenProvider.Network = offline ? .forbidden : .allowed
    let attended = RunWithTokenFiles(context: context.engine, exec: runner.exec, network: network)
    context.programStatus.value = try await attended.run(command, files, as: account, for: url) { result in
      switch result {
      case .success(let notices): context.report(notices)
      case .failure(let error):
        context.notice("the token of \(account.name) is not replaced: \(ErrorMessage(error).text)")
      }
    }
    return .done
  }
}

extension [String] {
  /// The name of the program that a command runs, without its path.
  var programName: String? { first?.split(separator: "/").last.map(String.init) }
}
