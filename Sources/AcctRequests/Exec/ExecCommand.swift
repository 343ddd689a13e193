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
      acct exec --env NAME=ACCOUNT… [--env-file FILE] -- COMMAND…
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

  @Option(
    help: ArgumentHelp(
      "The variable that holds the token; NAME=ACCOUNT for that of another account.",
      valueName: "name"
    )
  )
  var env: [String] = []

  @Option(
    help: ArgumentHelp(
      "Take variables from a .env file, with acct://ACCOUNT for a token; - is stdin.",
      valueName: "file"
    )
  )
  var envFile: String?

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
    let names = env.map { ("--env", $0.variableName) }
    for (option, name) in names + [("--id-token-file", idTokenFile), ("--token-file", tokenFile)] {
      guard name?.isVariableName ?? true else {
        throw ValidationError("\(option) is a name of letters, digits and _, not beginning with a digit")
      }
    }
    guard env.allSatisfy({ !$0.hasSuffix("=") }) else { throw ValidationError("--env NAME=ACCOUNT names no account") }
    guard Set(names.map(\.1)).count == env.count else { throw ValidationError("--env names a variable twice") }
    guard files.isEmpty || env.isEmpty && envFile == nil && minValid == nil else {
      throw ValidationError("--env, --env-file and --min-valid are not for a token in a file")
    }
    if isForSeveral {
      guard credentials == nil else { throw ValidationError("--credentials has one account: use --env NAME") }
      guard url == nil && options.account == nil || env.contains(where: \.isVariableName) else {
        throw ValidationError("--account and --for select the account of --env NAME, and each variable has its own")
      }
    }
    guard idTokenFile == nil || idTokenFile != tokenFile else {
      throw ValidationError("--id-token-file and --token-file name two variables")
    }
    if let minValid, minValid < 0 { throw ValidationError("--min-valid is a number of seconds, 0 or more") }
  }

  /// `true` if variables have accounts of their own.
  private var isForSeveral: Bool { envFile != nil || env.count > 1 || env.contains { !$0.isVariableName } }

  /// The files that the command reads tokens from.
  private var files: [RunWithTokenFiles.File] {
    [(idTokenFile, true), (tokenFile, false)].compactMap { name, isIDToken in
      name.map { RunWithTokenFiles.File(variable: $0, isIDToken: isIDToken) }
    }
  }

  package func run(in context: Context) async throws(EngineError) -> ExitStatus {
    let runner = RunWithToken(context.world)
    if isForSeveral { return try await runForSeveral(runner, context) }
    let target = try Authorize.Target(method: nil, url: url)
    let choice = try await context.choose(for: target.destination)
    var account = choice.account
    if url == nil, let variable = env.first { account = try context.owner(of: variable, insteadOf: choice) }
    let permit: Permit
    do { permit = try account.permit(handingOverFor: target.url) } catch { throw .authorization(error) }
    try runner.find(command.first ?? "")
    if !files.isEmpty { return try await attend(runner, account, target.url, context) }
    let provider = TokenProvider(context.engine, offline ? .forbidden : .allowed)
    let grant = try await provider.grant(to: account, under: permit, leaving: minValid)
    context.report(grant.notices)
    if account.tokenType == .dpop { context.noticeOfBoundToken(account) }
    let released = try permit.release(grant)
    await UseLog(context.engine).note(account, by: command.programName, at: target.url?.origin)
    try runner.run(command, [(env.first ?? "ACCT_TOKEN", released.openedToken)])
    return .done
  }

  /// Runs the command with the variables of `--env` and `--env-file`; of two with one name, that of `--env` counts.
  private func runForSeveral(_ runner: RunWithToken, _ context: Context) async throws(EngineError) -> ExitStatus {
    var variables = ExecVariables(context, offline ? .forbidden : .allowed, leaving: minValid)
    if let envFile { try variables.add(file: envFile) }
    for word in env {
      let (name, account) = (word.variableName, word.dropFirst(word.variableName.utf8.count + 1))
      variables.set(name, word.isVariableName ? .selected(for: url) : .account(String(account)))
    }
    try runner.find(command.first ?? "")
    try runner.run(command, await variables.values(for: command.programName))
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

extension String {
  /// The name in `NAME=ACCOUNT`.
  fileprivate var variableName: String { String(prefix { $0 != "=" }) }
}
