import AcctApps
import AcctConsole
import AcctEngine
import AcctModel
import AcctProtocol
import ArgumentParser
import Release

/// The options of a sign-in at a server.
struct SignInOptions: ParsableArguments {
  @Option(name: .customLong("client-id"), help: ArgumentHelp("The client's id.", valueName: "id"))
  var clientID: String?

  @Option(help: "The scope to ask for.")
  var scope: String?

  @Option(help: ArgumentHelp("A resource server that the token is for (RFC 8707).", valueName: "url"))
  var resource: [String] = []

  @Flag(help: "Sign in on another device: show a code to enter there.")
  var device = false

  @Flag(help: "Open no browser: print the address, and read the callback address from stdin, too.")
  var noBrowser = false

  @Option(
    help: ArgumentHelp("Open the address with this command, this time; as BROWSER names one.", valueName: "command")
  )
  var browser: String?

  @Option(help: ArgumentHelp("The loopback port to listen on; a free one by default.", valueName: "port"))
  var redirectPort: Int?

  @OptionGroup var callback: CallbackOption

  @Option(help: ArgumentHelp("How long to wait for the browser's answer.", valueName: "seconds"), transform: seconds)
  var wait: Int64 = 600

  @Option(help: "The token for resource servers: access-token, or id-token for those that take it, as clusters do.")
  var send: SentToken?

  /// `true` if any option is given, other than the one that has a default.
  var isUsed: Bool {
    [clientID, scope, browser].contains { $0 != nil } || callback.isUsed || !resource.isEmpty || device || noBrowser
      || redirectPort != nil || send != nil
  }

  func validate() throws {
    try requireOneBrowser(browser, orNone: noBrowser, onDevice: device)
    guard (1...86_400).contains(wait) else { throw ValidationError("--wait is a number of seconds from 1 to 86400") }
    if let redirectPort, !(1...65535).contains(redirectPort) {
      throw ValidationError("--redirect-port is a number from 1 to 65535")
    }
  }

  /// The user's identity in the AT Protocol network, checked.
  func request(identity text: String, _ context: Context) throws(EngineError) -> ATProtoSignIn.Request {
    do {
      return ATProtoSignIn.Request(
        identifier: try ATProtoSignIn.Identifier(text),
        loginHint: ATProtoSignIn.Identifier.bare(text),
        clientID: clientID,
        scope: scope,
        opensBrowser: !noBrowser && !context.options.noInput,
        redirectPort: redirectPort,
        callbackTimeout: wait
      )
    } catch {
      throw .input(.malformed(error))
    }
  }

  /// The user's way to a backend's sign-in and back, checked.
  func route(_ context: Context) throws(EngineError) -> CallbackRoute {
    try callback.route(
      redirectPort: redirectPort,
      opensBrowser: !noBrowser && !context.options.noInput,
      timeout: wait
    )
  }

  /// The request of a sign-in at a server, checked.
  ///
  /// - Parameters:
  ///   - issuer: As it was typed; `nil` where endpoints or a provider tell it.
  ///   - client: The options that the server needs beyond that.
  ///   - context: The context of the command.
  /// - Returns: The request; its client's identifier is empty where the user gave none.
  /// - Throws: ``InputError/malformed(_:)``, or why a file can't be used.
  func request(_ issuer: String?, _ client: ClientOptions, _ context: Context) throws(EngineError) -> SignIn.Request {
    var request = try request(issuer, context)
    request.sendsIDToken = send == .idToken
    try client.complete(&request, redirectPort: redirectPort, context)
    return request
  }

  private func request(_ issuer: String?, _ context: Context) throws(EngineError) -> SignIn.Request {
    do {
      return SignIn.Request(
        issuer: try issuer.map { text throws(ParseError) in try Issuer(text) },
        clientID: clientID ?? "",
        scope: scope,
        resources: try resource.map { text throws(ParseError) in try ResourceIndicator(text) },
        opensBrowser: !noBrowser && !context.options.noInput,
        redirectPort: redirectPort,
        callbackTimeout: wait
      )
    } catch {
      throw .input(.malformed(error))
    }
  }
}

/// The token of a sign-in that resource servers get.
enum SentToken: String, ExpressibleByArgument {
  case accessToken = "access-token"
  case idToken = "id-token"
}

/// Rejects the name of a browser beside the wish for none, and an empty one.
func requireOneBrowser(_ command: String?, orNone none: Bool, onDevice device: Bool) throws {
  guard let command else { return }
  guard !none else { throw ValidationError("--browser and --no-browser exclude each other") }
  guard !device else { throw ValidationError("--browser and --device exclude each other") }
  guard command.contains(where: { $0 != " " }) else { throw ValidationError("--browser names no command") }
}
