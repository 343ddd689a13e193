import AcctApps
import AcctPrograms
import AcctConsole
import AcctDevices
import AcctEngine
import AcctModel
import AcctProtocol
import ArgumentParser

/// The rules for combinations of options of `acct add`.
extension AddCommand {
  func validate() throws {
    guard let source = try requireOneSource() else { return }
    if replace {
      switch source {
      case .token, .key, .file, .program: break
      case .app, .network, .server, .envFile:
        throw ValidationError("--replace needs --import, --token or --from: a sign-in replaces what the account has")
      }
    }
    if case .key = source, staticToken.namesForm {
      throw ValidationError("a provider says how its key is sent: leave out --header, --scheme, --basic and --query")
    }
    if case .envFile = source, !allowOrigin.isEmpty {
      throw ValidationError("--allow-origin is for one account, and --from env asks for each")
    }
    try requireServer(source.isServer)
    try requireFittingClient(source)
    try app.requireFitting(signIn.callback, scope: signIn.scope, clientID: signIn.clientID)
    try requireFittingKey(source)
    try requireFittingCertificate(source)
  }

  /// The one source that the options name; `nil` if they name none, and a terminal asks.
  private func requireOneSource() throws -> AddSource? {
    let sources = sources
    guard let source = sources.first else { return nil }
    guard sources.count == 1 else {
      throw ValidationError(
        "a handle, --issuer, --backend, --session, --guest, --token, --import and --from exclude each other"
      )
    }
    return source
  }

  /// Rejects options for an OAuth 2 server alone, if there is none.
  private func requireServer(_ isAtServer: Bool) throws {
    guard isAtServer || !signIn.device && signIn.resource.isEmpty && signIn.send == nil else {
      throw ValidationError("--device, --resource and --send need --issuer or a provider")
    }
    guard isAtServer || !client.isUsed else {
      throw ValidationError("options of a client, such as --param, need --issuer, --token-url or a provider")
    }
    guard from.source == nil || !signIn.isUsed else {
      throw ValidationError("--from has no sign-in: leave out the options of one, such as --scope")
    }
    guard staticToken.file == nil || !signIn.isUsed else {
      throw ValidationError("--token has no sign-in: leave out the options of one, such as --scope")
    }
  }

  /// Checks the options that say which client signs in, and how.
  private func requireFittingClient(_ source: AddSource) throws {
    if let scope = signIn.scope, signIn.send == .idToken, !Scope.words(scope).contains("openid") {
      throw ValidationError("--send id-token needs the word openid in --scope")
    }
    guard client.grant == nil || signIn.scope == nil || !client.tokenParam.contains(where: { $0.hasPrefix("scope=") })
    else { throw ValidationError("--token-param: with --grant and --scope the parameter scope is sent by acct itself") }
    guard client.grant == nil || signIn.send != .idToken else {
      throw ValidationError("--grant and --send id-token exclude each other: no person signs in")
    }
    guard !client.register || signIn.clientID == nil && client.grant == nil else {
      throw ValidationError("--register needs a client that the server registers: leave out --client-id and --grant")
    }
    guard client.grant == nil || !signIn.device else {
      throw ValidationError("--grant and --device exclude each other")
    }
    if let port = signIn.redirectPort, let redirect = try? client.redirect(port: nil),
      let other = redirect.port, other != port
    {
      throw ValidationError("--redirect-uri and --redirect-port name two ports")
    }
    guard source.resource == nil || signIn.resource.count <= 1 else {
      throw ValidationError("several resources need --issuer: without it, one resource names its server")
    }
    // What the client proves itself with goes to no server that only a resource names.
    guard source.resource == nil || client.clientSecretFile == nil && client.clientKey == nil else {
      throw ValidationError("--client-secret-file and --client-key need --issuer beside --resource")
    }
    guard source.resource == nil || client.clientAssertionFile == nil && client.grantTokens.isEmpty else {
      throw ValidationError("tokens of other issuers need --issuer beside --resource")
    }
  }

  /// A certificate is presented to a server that the user names, by acct's own sign-in or renewal.
  private func requireFittingCertificate(_ source: AddSource) throws {
    guard certificate.isUsed else { return }
    switch source {
    case .file: return
    case .server where source.resource == nil: return
    case .server: throw ValidationError("--cert needs --issuer beside --resource")
    case .app, .token, .key, .program, .envFile, .network:
      throw ValidationError("--cert needs --issuer, --token-url, a provider or --import")
    }
  }

  /// A key is made only where acct itself signs in, and tokens are bound to it.
  private func requireFittingKey(_ source: AddSource) throws {
    guard key.isUsed else { return }
    let reason: String? =
      switch source {
      case .file: "--import brings its own key, which no device takes in"
      case .app(let source): source.reasonAgainstKey
      case .token, .key: "a --token has no DPoP key"
      case .program, .envFile: "--from takes over tokens that have no DPoP key"
      case .network, .server: nil
      }
    if let reason { throw ValidationError(reason) }
    try requireNoKey(key, besides: client.noDPoP)
  }
}
