import AcctConsole
import AcctEngine
import AcctModel
import AcctPorts
import AcctProtocol
import ArgumentParser
import StrictJSON

/// Shows one account as the keyring and the clock see it.
struct StatusCommand: AcctCommand {
  static let configuration = CommandConfiguration(
    commandName: "status",
    abstract: "Show one account, and whether a header can be printed for it.",
    discussion: "Exits with the status that `acct header` would have for this account."
  )

  @Argument(help: "The account; the selected one by default.")
  var name: String?

  @Flag(help: "Ask the server, too.")
  var check = false

  @OptionGroup var options: SharedOptions

  func run(in context: Context) async throws(EngineError) -> ExitStatus {
    var choice = try await context.choose(name)
    if check {
      if choice.account.kind == .static {
        let isUsable = choice.account.lastKnownState(at: context.world.clock.now()).state == .valid
        context.notice(
          "no server can be asked about the token of \(choice.account.name)"
            + (isUsable ? ": it is used as it was given" : "")
        )
      }
      let server = ServerCheck(context.engine)
      var refusal: EngineError?
      var outcome: ServerCheck.Outcome?
      do throws(EngineError) {
        outcome = try await server.check(choice.account)
        if case .notChecked(let cause, let origin) = outcome { context.report([.notChecked(cause, origin)]) }
      } catch {
        refusal = error
      }
      choice.account = try await Selection(context.engine).find(choice.account.id.description)
      let isChecked = outcome == .confirmed || refusal?.isServersWord ?? false
      return try await show(choice, context, checked: isChecked, refusal)
    }
    return try await show(choice, context)
  }

  private func show(
    _ choice: Selection.Choice,
    _ context: Context,
    checked: Bool? = nil,
    _ refusal: EngineError? = nil
  ) async throws(EngineError) -> ExitStatus {
    let overview = AccountOverview(context.engine)
    let status = try await overview.status(of: choice.account)
    if status.keyringKind.isShared, status.keyringState == .ready, let notice = await overview.bringUpToDate() {
      context.report([notice])
    }
    let errorMessage = (refusal ?? status.cause).map {
      ErrorMessage($0).timed(by: context.world.clock).naming(status.account.name)
    }
    let limits = LimitsLedger(context.world).limits(of: choice.account.id)
    context.report(status.account.endWarnings(at: context.world.clock.now()))
    if options.json {
      try context.output(
        envelope([
          "account": status.account.json(status.shownAssessment, isActive: status.isActive),
          "keyring": [
            "kind": .string(status.keyringKind.rawValue),
            "state": .string(status.keyringState.rawValue),
            "tpm": .init(status.sealedIn?.description),
          ],
          "selectedBy": .string(choice.selectedBy.rawValue),
          "selectedByFile": .init(choice.directoryFile),
          "checked": checked.map(JSON.bool) ?? .null,
          "deviceId": .init(status.deviceID),
          "limits": .array(limits.map { $0.json(at: context.world.clock.now()) }),
          "secondTokens": .array(
            status.secondTokens.map { token in
              [
                "audience": .init(token.audience), "scope": .init(token.scope),
                "expiresAt": .init(token.expiresAt?.description), "granted": .init(token.granted),
              ]
            }
          ),
        ])
      )
      // The object has no member for a failure of the check, which goes to standard error.
      if let refusal {
        _ = ErrorReport(world: context.world, asJSON: true).write(ErrorMessage(refusal).naming(status.account.name))
      }
    } else {
      let text = StatusText(
        status: status,
        selectedBy: choice.selectedBy,
        directoryFile: choice.directoryFile,
        limits: limits,
        errorMessage: errorMessage,
        keyPage: context.keyPage(of: status.account),
        clock: context.world.clock
      )
      try context.output(text.lines(on: context.screen))
    }
    return errorMessage?.status ?? .done
  }
}

extension Context {
  /// The page where a provider's key is made and revoked; `nil` for any other account.
  func keyPage(of account: Account) -> String? {
    guard account.kind == .static, let provider = account.client.provider.flatMap({ ProviderName($0) }) else {
      return nil
    }
    // A file that is damaged by now is no reason to show nothing of the account.
    return (try? Providers(world).resolve(provider))?.registerAt
  }
}

extension EngineError {
  /// `true` for an error that is the server's answer about the credentials.
  fileprivate var isServersWord: Bool {
    switch self {
    case .signIn(.required), .server(.otherUser): true
    case .selection, .authorization, .input, .inputToken, .keyring, .key, .network, .server, .signIn,
      .atproto, .provider, .transfer, .told, .files, .cancelled:
      false
    }
  }
}
