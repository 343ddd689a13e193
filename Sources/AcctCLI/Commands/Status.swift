import AcctEngine
import AcctModel
import AcctPorts
import ArgumentParser
import StrictJSON

/// Shows one account as the keyring and the clock see it.
struct Status: AcctCommand {
  static let configuration = CommandConfiguration(
    commandName: "status",
    abstract: "Show one account, and what a header for it would meet.",
    discussion: "Exits with the status that `acct header` would have for this account."
  )

  @Argument(help: "The account; the chosen one if left out.")
  var name: String?

  @Flag(help: "Ask the server, too.")
  var check = false

  @OptionGroup var options: SharedOptions

  func run(in context: Context) async throws(EngineError) -> ExitStatus {
    var choice = try context.choose(name)
    if check {
      let ask = ServerCheck(context.world, context.interaction, timeout: options.timeout)
      do { try await ask(choice.account) } catch { return try await show(choice, context, error) }
      choice.account = try Selection(context.world).find(choice.account.id.description)
    }
    return try await show(choice, context)
  }

  private func show(
    _ choice: Selection.Choice,
    _ context: Context,
    _ refusal: EngineError? = nil
  ) async throws(EngineError) -> ExitStatus {
    let status = try await Overview(context.world).status(of: choice.account, context.interaction)
    let complaint = (refusal ?? status.obstacle).map { Complaint($0) }
    if options.json {
      try context.output([
        "version": 1,
        "account": status.account.json(status.assessment, isActive: status.isActive),
        "keyring": [
          "kind": .string(status.keyringKind.rawValue),
          "state": .string(status.keyringState.rawValue),
        ],
        "selectedBy": .string(choice.selectedBy.rawValue),
        "limits": [],
      ])
    } else {
      try context.output(text(status, choice.selectedBy, at: context.world.clock.now(), complaint))
    }
    return complaint?.status ?? .done
  }

  private func text(
    _ status: Overview.Status,
    _ selectedBy: SelectedBy,
    at now: Timestamp,
    _ complaint: Complaint?
  ) -> [String] {
    let account = status.account
    let rule =
      switch selectedBy {
      case .option: "the command line"
      case .environment: "ACCT_ACCOUNT"
      case .directory: "the .acct file"
      case .active: "it is the active account"
      }
    let expiry = account.lease.expiresAt.map { "\($0) (\(relative($0, to: now)))" }
    let rows: [(String, String?)] = [
      ("account", account.name.description + (status.isActive ? " (active)" : "")),
      ("state", [status.assessment.state.rawValue, status.assessment.reason].joined(": ")),
      ("problem", complaint?.message),
      ("next", complaint?.hint),
      ("id", account.id.description),
      ("handle", account.handle?.description),
      ("did", account.did?.description),
      ("display name", account.displayName),
      ("service", account.service?.description),
      ("issuer", account.identity.issuer?.description),
      ("origins", account.origins.map(\.description).joined(separator: " ")),
      ("scope", account.scope),
      ("token", account.tokenType.rawValue),
      ("expires", expiry),
      ("session ends", account.sessionEndsAt.map { "\($0) (\(relative($0, to: now)))" }),
      ("validated", account.validatedAt.map { "\($0) (\(relative($0, to: now)))" }),
      ("key", account.thumbprint),
      ("keyring", "\(status.keyringKind.rawValue), \(status.keyringState.rawValue)"),
      ("chosen by", rule),
    ]
    return fields(rows)
  }
}

extension [String?] {
  fileprivate func joined(_ separator: String) -> String {
    compactMap(\.self).joined(separator: separator)
  }
}
