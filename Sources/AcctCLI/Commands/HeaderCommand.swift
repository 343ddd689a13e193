import AcctConsole
import AcctEngine
import AcctModel
import Secrets
import AcctProtocol
import ArgumentParser
import StrictJSON
import Release

/// Prints the header lines for one request.
struct HeaderCommand: AcctCommand {
  static var takesDocument: Bool { true }

  static let configuration = CommandConfiguration(
    commandName: "header",
    abstract: "Print the header lines for one request.",
    discussion: """
      Ready for curl, and for one method, one URL and a few minutes:

        acct header URL | curl -H @- URL
        acct header POST URL | curl -H @- --json @post.json URL
      """
  )

  enum Format: String, ExpressibleByArgument, CaseIterable {
    case lines, curl, json, map

    // ArgumentParser's own implementations say the same, but are generic: they look up what `Format` conforms to.
    static var allValueStrings: [String] { allCases.map { $0.rawValue } }
    static var allValueDescriptions: [String: String] { [:] }
  }

  @Argument(help: ArgumentHelp("The method, GET if left out, and the URL.", valueName: "method url"))
  var request: [String] = []

  @Option(help: "As header lines, as a config for `curl -K -`, as JSON, or as a map of names to values.")
  var format = Format.lines

  @Option(
    help: ArgumentHelp("Renew the token if it expires within this time.", valueName: "seconds"),
    transform: seconds
  )
  var minValid: Int64?

  @Flag(help: "Do not renew: use the stored credentials.")
  var offline = false

  @Flag(help: "Send a sealed session as a bearer token instead of a cookie.")
  var bearer = false

  // Not as a group, which `header` alone would pay for at each start: ArgumentParser looks up what a group's type
  // conforms to, makes an instance of it to read its declarations, and decodes it by itself.
  @Option(help: ArgumentHelp("Use a token for another audience.", valueName: "audience"))
  var audience: String?

  @Option(help: ArgumentHelp("Use a token with only this scope.", valueName: "scope"))
  var scope: String?

  @Option(
    help: ArgumentHelp("Use the account of this document alone, and keep nothing; - is stdin.", valueName: "file")
  )
  var credentials: String?

  @OptionGroup var options: SharedOptions

  func validate() throws {
    if let minValid, minValid < 0 { throw ValidationError("--min-valid is a number of seconds, 0 or more") }
    _ = try tokenPurpose(audience: audience, scope: scope)
    guard request.count <= 2 else { throw ValidationError("header takes a method and a URL, and nothing more") }
  }

  func run(in context: Context) async throws(EngineError) -> ExitStatus {
    let target = try Authorize.Target(method: request.count == 2 ? request[0] : nil, url: request.last)
    let account = try await context.choose(for: target.destination).account
    let isConfig = format == .curl && !options.json
    if account.kind == .static, account.sentAs?.form == .query, !isConfig {
      throw .authorization(.inQuery(account.name))
    }
    let authorizer = Authorize(context.engine, offline ? .forbidden : .allowed)
    let authorization = try await authorizer.authorize(
      target,
      as: account,
      asBearer: bearer,
      leaving: minValid,
      for: (try? tokenPurpose(audience: audience, scope: scope)) ?? nil
    )
    context.report(authorization.notices)
    let config = account.client.certificate.map { certificateConfig($0, account, context) }
    try context.output(
      .whole { () throws(OutputFlaw) in try rendered(authorization, target, account, certificate: config ?? Secret(""))
      }
    )
    return .done
  }

  /// The lines of curl's config that have it present the client's certificate: of files that the user still has.
  ///
  /// Without them, or in another format, a token that is bound to the certificate is of no use by itself.
  private func certificateConfig(_ certificate: ClientCertificate, _ account: Account, _ context: Context) -> Secret {
    if format == .curl, !options.json, let files = ClientFiles(context.world).files(of: certificate) {
      // A path that has no form in a config is as one that is not there.
      do throws(OutputFlaw) { return try files.curlConfig() } catch {}
    }
    if certificate.isBound || format == .curl {
      context.notice(
        "the server may want the client certificate of \(account.name), which `acct request` and `acct proxy` present"
      )
    }
    return Secret("")
  }

  private func rendered(
    _ authorization: Authorize.Authorization,
    _ target: Authorize.Target,
    _ account: Account,
    certificate: Secret
  ) throws(OutputFlaw) -> Secret {
    switch options.json ? .json : format {
    case .lines: try authorization.released.openedFields.lines()
    case .curl: Secret(joining: [try authorization.released.curlConfig(as: account.sentAs), certificate])
    case .json: json(authorization, target, account)
    case .map: Secret(joining: [try authorization.released.openedFields.jsonMap(), Secret("\n")])
    }
  }

  private func json(
    _ authorization: Authorize.Authorization,
    _ target: Authorize.Target,
    _ account: Account
  ) -> Secret {
    let fields = authorization.released.openedFields.map { field -> JSON in
      ["name": .string(field.name), "value": .string(field.value.shownText)]
    }
    let json: JSON = .object(
      envelope([
        "account": .string(account.id.description),
        "accountName": .string(account.name.description),
        "method": .string(target.method),
        "url": target.url.map { .string($0.description) } ?? .null,
        "headers": .array(fields),
        "expiresAt": authorization.expiresAt.map { .string($0.description) } ?? .null,
      ])
    )
    var bytes = json.serialized()
    bytes.append(UInt8(ascii: "\n"))
    return Secret(consuming: &bytes)
  }
}
