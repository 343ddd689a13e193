import AcctApps
import AcctConsole
import AcctEngine
import AcctModel
import AcctPorts
import ArgumentParser
import StrictJSON

/// Replaces credentials that others may have seen, and ends the former ones.
struct RotateCommand: AcctCommand {
  static let configuration = CommandConfiguration(
    commandName: "rotate",
    abstract: "Replace credentials after a leak, and end the former ones at the server.",
    discussion: "Exits with status 4 if a former credential was not ended, or if only a sign-in brings a new one."
  )

  @Argument(help: "The accounts.")
  var names: [String] = []

  @Flag(help: "All accounts.")
  var all = false

  @Option(help: ArgumentHelp("Read a static account's new token from your own file; - is stdin.", valueName: "file"))
  var token: String?

  @OptionGroup var options: SharedOptions

  func validate() throws {
    guard names.isEmpty == all else { throw ValidationError("rotate takes the names of accounts, or --all") }
    guard token == nil || names.count == 1 else { throw ValidationError("--token is the new token of one account") }
  }

  func run(in context: Context) async throws(EngineError) -> ExitStatus {
    var accounts = all ? try context.everyAccount() : []
    for name in names {
      let account = try await Selection(context.engine).find(name)
      if !accounts.contains(where: { $0.id == account.id }) { accounts.append(account) }
    }
    if token != nil, let account = accounts.first, account.kind != .static {
      throw .input(.loginOption("--token", account.name))
    }
    var outcomes: [RotateOutcome] = []
    for account in accounts {
      var outcome = RotateOutcome(account: account, context.world.clock)
      do throws(EngineError) { outcome.result = .success(try await rotate(account, context)) } catch .cancelled {
        throw .cancelled
      } catch {
        outcome.result = .failure(error)
      }
      outcomes.append(outcome)
      if !options.json { outcome.tell(context) }
    }
    if options.json {
      try context.output(envelope(["accounts": .array(outcomes.map(\.json))]))
    } else if accounts.isEmpty {
      context.notice("there is no account")
    }
    // As `refresh --all`: the first failure decides.
    return outcomes.lazy.compactMap { $0.errorMessage?.status }.first
      ?? (outcomes.allSatisfy(\.isDone) ? .done : .signInRequired)
  }

  private func rotate(_ account: Account, _ context: Context) async throws(EngineError) -> Rotation.Outcome {
    switch account.kind {
    case .oauth, .session: return try await Rotation(context.engine).rotate(account)
    case .guest:
      let former = account.lastKnownState(at: context.world.clock.now()).state == .valid
      _ = try await AddGuest(context.engine).renew(account)
      let left = Rotation.Former(.token, endsAt: account.tokenLifetime.expiresAt, .noEndpoint)
      return Rotation.Outcome(left: former ? [left] : [])
    case .static: return try await replaceToken(of: account, context)
    }
  }

  /// Has the person make another key, and stores it in place of the former one.
  private func replaceToken(of account: Account, _ context: Context) async throws(EngineError) -> Rotation.Outcome {
    try await AddAccount(context.engine).prepare(for: account)
    let place = context.keyPage(of: account).map { ": \($0)" } ?? " at its server"
    context.notice("revoke the former token of \(account.name), and make another\(place)")
    let credentials = try AddStaticToken(context.engine).credentials(for: account, from: token)
    let added = try await AddAccount(context.engine).renew(account, with: credentials)
    if added.had(credentials) { return Rotation.Outcome(left: [Rotation.Former(.token, .notReplaced)]) }
    context.notice("the former token of \(account.name) works until it is revoked\(place)")
    return Rotation.Outcome()
  }
}
