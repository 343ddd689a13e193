import AcctConsole
import AcctEngine
import AcctModel
import AcctProtocol
import ArgumentParser

extension ClientAuthentication: ExpressibleByArgument {}

/// The options for a server that needs more of its client than an identifier.
struct ClientOptions: ParsableArguments {
  /// A grant that needs no person.
  enum DirectGrant: String, ExpressibleByArgument, CaseIterable {
    case clientCredentials = "client-credentials"
    case jwtBearer = "jwt-bearer"
    case tokenExchange = "token-exchange"

    var grant: Grant {
      switch self {
      case .clientCredentials: .clientCredentials
      case .jwtBearer: .jwtBearer
      case .tokenExchange: .tokenExchange
      }
    }
  }

  @Option(help: ArgumentHelp("Read the client's secret from your own file; - is stdin.", valueName: "file"))
  var clientSecretFile: String?

  @Option(help: "How the client authenticates itself; by the metadata if not given.")
  var clientAuth: ClientAuthentication?

  @Option(
    help: ArgumentHelp(
      "Read the client's private key from your own file: PEM, a JWK, or a service account's.",
      valueName: "file"
    )
  )
  var clientKey: String?

  @Option(help: "Sign in without a person; each renewal requests the same again.")
  var grant: DirectGrant?

  @Option(help: ArgumentHelp("Exchange the token that this file has at each renewal.", valueName: "file"))
  var subjectTokenFile: String?

  @Option(help: ArgumentHelp("Exchange the token that this program prints at each renewal.", valueName: "line"))
  var subjectTokenCommand: String?

  @Option(help: ArgumentHelp("Exchange the token of another account.", valueName: "name"))
  var subjectAccount: String?

  @Option(help: ArgumentHelp("The type of the token to exchange: id, access, jwt or a URI.", valueName: "type"))
  var subjectType: String?

  @Option(help: ArgumentHelp("The type of token to ask for: id, access, jwt or a URI.", valueName: "type"))
  var requestedType: String?

  @Option(
    help: ArgumentHelp("A service that the exchanged token is for, by its name at the server.", valueName: "name")
  )
  var audience: [String] = []

  @Option(help: ArgumentHelp("Authenticate the client by the JWT that this file has each time.", valueName: "file"))
  var clientAssertionFile: String?

  @Option(help: ArgumentHelp("Use the JWT that this file has each time as the grant.", valueName: "file"))
  var assertionFile: String?

  @Option(name: .customLong("authorize-url"), help: ArgumentHelp("The authorization endpoint.", valueName: "url"))
  var authorizeURL: String?

  @Option(
    name: .customLong("token-url"),
    help: ArgumentHelp("The token endpoint; without --issuer, in place of metadata.", valueName: "url")
  )
  var tokenURL: String?

  @Option(name: .customLong("device-url"), help: ArgumentHelp("The device authorization endpoint.", valueName: "url"))
  var deviceURL: String?

  @Option(name: .customLong("revoke-url"), help: ArgumentHelp("The revocation endpoint.", valueName: "url"))
  var revokeURL: String?

  @Option(name: .customLong("userinfo-url"), help: ArgumentHelp("The userinfo endpoint.", valueName: "url"))
  var userinfoURL: String?

  @Option(help: ArgumentHelp("One more parameter of the authorization request.", valueName: "name=value"))
  var param: [String] = []

  @Option(help: ArgumentHelp("One more parameter of each token request.", valueName: "name=value"))
  var tokenParam: [String] = []

  @Option(
    name: .customLong("redirect-uri"),
    help: ArgumentHelp("The redirect address on this machine as it is registered.", valueName: "uri")
  )
  var redirectURI: String?

  @Flag(help: "Have the server register a new client, in place of the earlier one.")
  var register = false

  @Flag(name: .customLong("no-dpop"), help: "Request bearer tokens, even of a server with DPoP.")
  var noDPoP = false

  /// `true` if a server is named without its issuer: by its token endpoint, or in a service account's file.
  var namesServer: Bool { tokenURL != nil || grant == .jwtBearer && clientKey != nil }

  /// `true` if any option is given that only a sign-in at an OAuth server has.
  var isUsed: Bool {
    let texts = [
      clientSecretFile, clientKey, clientAssertionFile, authorizeURL, tokenURL, deviceURL, revokeURL, userinfoURL,
      redirectURI,
    ]
    return texts.contains { $0 != nil } || !param.isEmpty || !tokenParam.isEmpty || noDPoP || register
      || clientAuth != nil || grant != nil || hasGrantToken || hasExchangeOptions
  }

  /// The options that name the token of a grant, with their values.
  var grantTokens: [(option: String, value: String)] {
    [
      ("--subject-token-file", subjectTokenFile), ("--subject-token-command", subjectTokenCommand),
      ("--subject-account", subjectAccount), ("--assertion-file", assertionFile),
    ].compactMap { option, value in value.map { (option, $0) } }
  }

  private var hasGrantToken: Bool { !grantTokens.isEmpty }

  private var hasExchangeOptions: Bool { subjectType != nil || requestedType != nil || !audience.isEmpty }

  /// Checks that the tokens of other issuers fit the grant and the client's authentication.
  private func validateInputs() throws {
    let tokens = grantTokens.map(\.option)
    switch grant {
    case .tokenExchange:
      guard tokens.count == 1, assertionFile == nil else {
        throw ValidationError(
          "--grant token-exchange needs one of --subject-token-file, --subject-token-command and --subject-account"
        )
      }
    case .jwtBearer, .clientCredentials, nil:
      guard !hasExchangeOptions, tokens.allSatisfy({ $0 == "--assertion-file" }) else {
        throw ValidationError("--subject-…, --requested-type and --audience need --grant token-exchange")
      }
      guard assertionFile == nil || grant == .jwtBearer else {
        throw ValidationError("--assertion-file needs --grant jwt-bearer")
      }
    }
    let isOther = clientSecretFile != nil || clientKey != nil && grant != .jwtBearer
    guard clientAssertionFile == nil || !isOther && clientAuth ?? .assertionFile == .assertionFile else {
      throw ValidationError("--client-assertion-file is one way to authenticate a client: give no other")
    }
    guard clientAssertionFile != nil || clientAuth != .assertionFile else {
      throw ValidationError("--client-auth assertion-file needs --client-assertion-file")
    }
    guard ![subjectTokenFile, assertionFile, clientAssertionFile].contains("-") else {
      throw ValidationError("a token that is read anew at each renewal can't be stdin")
    }
  }

  func validate() throws {
    try validateInputs()
    guard clientSecretFile != "-" || clientKey != "-" else {
      throw ValidationError("only one of --client-secret-file and --client-key can be stdin")
    }
    guard
      grant == nil || redirectURI == nil && authorizeURL == nil && deviceURL == nil && param.isEmpty
    else {
      throw ValidationError(
        "--grant needs no browser: --redirect-uri, --authorize-url, --device-url and --param don't go with it"
      )
    }
    for option in [("--param", param, RequestParameter.Place.authorization), ("--token-param", tokenParam, .token)] {
      var names: Set<String> = []
      for text in option.1 {
        do {
          let name = try RequestParameter(text, in: option.2).name
          guard names.insert(name).inserted else { throw ValidationError("\(option.0) gives \(name) twice") }
        } catch let error as ParseError {
          throw ValidationError("\(option.0): \(ErrorMessage(error).text)")
        }
      }
    }
  }
}

extension ClientOptions {
  /// Adds the options to a sign-in, and the contents of the files that they name.
  ///
  /// A service account's file names its client and its token endpoint; the options count before it.
  func complete(_ request: inout SignIn.Request, redirectPort: Int?, _ context: Context) throws(EngineError) {
    request.settings = try settings()
    request.settings.inputs = try inputs(context)
    request.authorizationParameters = try authorizationParameters()
    request.redirect = try redirect(port: redirectPort)
    request.registersAnew = register
    let files = ClientFiles(context.world)
    if let clientSecretFile { request.clientSecret = try files.secret(clientSecretFile) }
    guard let clientKey else { return }
    let file = try files.key(clientKey)
    request.clientKey = file.key
    if let clientID = file.clientID, request.clientID.isEmpty { request.clientID = clientID }
    if request.issuer == nil, request.settings.endpoints[.token] == nil {
      request.settings.endpoints[.token] = file.tokenEndpoint
    }
    // An assertion has to name its subject (RFC 7523, section 3); a service account's server knows it.
    let isSubjectKnown = request.settings.tokenParameters.contains { $0.name == "sub" }
    if grant == .jwtBearer, assertionFile == nil, !file.isServiceAccount, !isSubjectKnown,
      let subject = try? RequestParameter(name: "sub", value: request.clientID)
    {
      request.settings.tokenParameters.append(subject)
    }
  }

  /// The address that the browser comes back to, checked; `nil` for the usual one.
  func redirect(port: Int?) throws(EngineError) -> LoopbackRedirect? {
    guard let redirectURI else { return nil }
    let redirect = try parsed { () throws(ParseError) in try LoopbackRedirect(redirectURI) }
    return LoopbackRedirect(host: redirect.host, port: redirect.port ?? port, tail: redirect.tail)
  }

  /// The settings for the client's requests to its server, checked.
  func settings() throws(EngineError) -> ClientSettings {
    try parsed { () throws(ParseError) in
      var endpoints: [EndpointName: HTTPURL] = [:]
      endpoints[.authorization] = try endpoint(authorizeURL)
      endpoints[.token] = try endpoint(tokenURL)
      endpoints[.deviceAuthorization] = try endpoint(deviceURL)
      endpoints[.revocation] = try endpoint(revokeURL)
      endpoints[.userinfo] = try endpoint(userinfoURL)
      return ClientSettings(
        authentication: clientAuth,
        endpoints: endpoints,
        tokenParameters: try tokenParam.map { text throws(ParseError) in try RequestParameter(text, in: .token) },
        usesDPoP: !noDPoP,
        grant: grant?.grant ?? .authorizationCode
      )
    }
  }

  /// The places of the tokens that its requests start from, checked; an account is looked up later.
  private func inputs(_ context: Context) throws(EngineError) -> TokenInputs {
    let paths = InputPaths(context.engine)
    var inputs = TokenInputs(audiences: audience)
    inputs.clientAssertion = try clientAssertionFile.map { path throws(EngineError) in
      try paths.absolute(path, "--client-assertion-file")
    }
    for path in [subjectTokenFile, assertionFile].compactMap(\.self) {
      inputs.grantToken = .file(try paths.absolute(path, grantTokens[0].option))
    }
    if let subjectTokenCommand {
      let line = try parsed { () throws(ParseError) in try ProgramLine(subjectTokenCommand) }
      inputs.grantToken = .program(try paths.absolute(line, "--subject-token-command"))
    }
    guard grant == .tokenExchange else { return inputs }
    inputs.subjectType = try parsed { () throws(ParseError) in
      try TokenTypeURI(subjectType ?? (subjectAccount == nil ? "jwt" : "id"))
    }
    inputs.requestedType = try parsed { () throws(ParseError) in
      try requestedType.map { text throws(ParseError) in try TokenTypeURI(text) }
    }
    return inputs
  }

  /// An endpoint from the command line, whose query has no parameter of the protocol's own.
  private func endpoint(_ text: String?) throws(ParseError) -> HTTPURL? {
    guard let text else { return nil }
    let url = try HTTPURL(text)
    for pair in (url.query ?? "").split(separator: "&") {
      guard let parameter = try? QueryParameters(String(pair)) else { throw .url }
      for name in parameter.names where RequestParameter.own.contains(name.lowercased()) { throw .ownParameter(name) }
    }
    return url
  }

  /// The parameters of the request that begins the sign-in, checked.
  func authorizationParameters() throws(EngineError) -> [RequestParameter] {
    try parsed { () throws(ParseError) in try param.map { text throws(ParseError) in try RequestParameter(text) } }
  }

  private func parsed<Value>(_ parse: () throws(ParseError) -> Value) throws(EngineError) -> Value {
    do { return try parse() } catch { throw .input(.malformed(error)) }
  }
}
