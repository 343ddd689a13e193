import AcctConsole
import AcctEngine
import AcctModel
import AcctProtocol

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
