import AcctEngine
import AcctModel
import ArgumentParser
import StrictJSON

/// Prints the token alone.
struct TokenCommand: AcctCommand {
  static let configuration = CommandConfiguration(
    commandName: "token",
    abstract: "Print the access token, alone on a line."
  )

  @Option(
    help: ArgumentHelp("Renew the token if it expires within this time.", valueName: "seconds")
  )
  var minValid: Int64?

  @Flag(help: "Do not renew: use the stored credentials.")
  var offline = false

  @OptionGroup var audience: AudienceOptions

  @OptionGroup var options: SharedOptions

  func validate() throws {
    if let minValid, minValid < 0 {
      throw ValidationError("--min-valid is a number of seconds, 0 or more")
    }
  }

  func run(in context: Context) async throws(EngineError) -> ExitStatus {
    let account = try context.choose().account
    let provider = TokenProvider(context.engine, offline ? .forbidden : .allowed)
    let grant =
      if let purpose = audience.purpose {
        try await provider.grant(to: account, for: purpose, leaving: minValid)
      } else {
        try await provider.grant(to: account, leaving: minValid)
      }
    context.report(grant.notices)
    if options.json {
      try context.output([
        "version": 1,
        "account": .string(account.id.description),
        "token": .string(grant.token.secret.text),
        "tokenType": .string(account.tokenType.rawValue),
        "expiresAt": grant.expiresAt.map { .string($0.description) } ?? .null,
      ])
    } else {
      try context.output(Secret(joining: [grant.token.secret, Secret("\n")]))
    }
    return .done
  }
}
