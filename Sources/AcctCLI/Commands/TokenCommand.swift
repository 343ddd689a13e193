import AcctConsole
import AcctModel
import AcctEngine
import Secrets
import AcctProtocol
import Release
import ArgumentParser
import StrictJSON

/// Prints the token alone.
struct TokenCommand: AcctCommand {
  static var takesDocument: Bool { true }

  static let configuration = CommandConfiguration(
    commandName: "token",
    abstract: "Print the access token, or the ID token, alone on a line."
  )

  @Argument(help: "The URL that it is for, which selects an account that has it.")
  var url: String?

  @Option(
    help: ArgumentHelp("Renew the token if it expires within this time.", valueName: "seconds"),
    transform: seconds
  )
  var minValid: Int64?

  @Flag(help: "Do not renew: use the stored credentials.")
  var offline = false

  @Flag(help: "Print the ID token, which says who signed in.")
  var id = false

  @Option(help: ArgumentHelp("Print the initial response of SASL with the token, in base64.", valueName: "mechanism"))
  var sasl: SASLResponse.Mechanism?

  @Option(help: ArgumentHelp("The user name in the response of SASL.", valueName: "name"))
  var user: String?

  @OptionGroup var audience: AudienceOptions

  @Option(
    help: ArgumentHelp("Use the account of this document alone, and keep nothing; - is stdin.", valueName: "file")
  )
  var credentials: String?

  @OptionGroup var options: SharedOptions

  func validate() throws {
    if let minValid, minValid < 0 { throw ValidationError("--min-valid is a number of seconds, 0 or more") }
    guard (sasl == nil) == (user == nil) else { throw ValidationError("--sasl and --user belong together") }
    guard !id || sasl == nil && audience.purpose == nil else {
      throw ValidationError("--id prints the ID token of the sign-in, without --sasl, --audience and --scope")
    }
    guard sasl == nil || !options.json else { throw ValidationError("--sasl prints a line, not JSON") }
    do { _ = try response() } catch {
      switch error {
      case .empty: throw ValidationError("--user is the name of a user, not empty")
      case .tooLong: throw ValidationError("--user is a name of at most 1024 bytes")
      case .control: throw ValidationError("--user is a name without control characters")
      }
    }
  }

  /// The response without its token; `nil` where the token alone is asked for.
  ///
  /// - Throws: ``SASLResponse/Flaw``.
  private func response() throws(SASLResponse.Flaw) -> SASLResponse? {
    guard let sasl, let user else { return nil }
    return try SASLResponse(sasl, user: user)
  }

  func run(in context: Context) async throws(EngineError) -> ExitStatus {
    let target = try Authorize.Target(method: nil, url: url)
    let account = try await context.choose(for: target.destination).account
    let permit: Permit
    do { permit = try account.permit(handingOverFor: target.url, idToken: id, for: audience.purpose) } catch {
      throw .authorization(error)
    }
    let response = (try? response()) ?? nil
    if response != nil {
      do { try account.requireBearerToken() } catch { throw .authorization(error) }
    }
    let provider = TokenProvider(context.engine, offline ? .forbidden : .allowed)
    let grant = try await provider.grant(to: account, under: permit, leaving: minValid)
    let token = try permit.release(grant).openedToken
    await UseLog(context.engine).note(account, at: target.url?.origin)
    context.report(grant.notices)
    if options.json {
      try context.output(
        envelope([
          "account": .string(account.id.description),
          "accountName": .string(account.name.description),
          "token": .string(token.shownText),
          "tokenType": .string(id ? "id_token" : account.tokenType.rawValue),
          "expiresAt": grant.expiresAt.map { .string($0.description) } ?? .null,
        ])
      )
    } else if let response {
      try context.output(Secret(joining: [response.text(token), Secret("\n")]))
    } else {
      let line = try Secret.whole { () throws(OutputFlaw) in try OutputFormat.line.written(token) }
      try context.output(Secret(joining: [line, Secret("\n")]))
    }
    return .done
  }
}

extension SASLResponse.Mechanism: ExpressibleByArgument {}
