import AcctModel
import AcctPorts
import AcctProtocol
import Secrets

/// Takes over a session of oidc-agent: its client, and the refresh token, with which new tokens are requested at once.
struct TakeSession: Sendable {
  private let context: EngineContext

  init(_ context: EngineContext) { self.context = context }

  /// Asks oidc-gen, which may ask the user for the passphrase of its file, and the authorization server.
  ///
  /// - Returns: Credentials that are not stored yet.
  /// - Throws: ``EngineError``; the refresh token may then have been used.
  func credentials(of found: FoundAccount) async throws(EngineError) -> NewCredentials {
    let isAsked = context.interaction == .allowed && context.world.terminal.canAsk()
    var call = ProgramCall("oidc-gen", ["--print", found.login.place], input: isAsked ? .terminal : .nothing)
    // The person may have to look for the passphrase.
    if isAsked { call.timeLimit = .seconds(300) }
    let output = try await AskProgram(context).answered(call)
    let session: OIDCAgentSession
    do { session = try OIDCAgentSession(output) } catch { throw .migration(.answer(program: "oidc-gen")) }
    context.world.held.hold(session.refreshToken)
    if let secret = session.clientSecret { context.world.held.hold(secret) }
    return try await grant(session)
  }

  private func grant(_ session: OIDCAgentSession) async throws(EngineError) -> NewCredentials {
    var settings = ClientSettings.standard
    settings.usesDPoP = false
    let request = try await KnownClient(context).completed(
      SignIn.Request(
        issuer: session.issuer,
        clientID: session.clientID,
        scope: session.scope,
        resources: [],
        opensBrowser: false,
        redirectPort: nil,
        callbackTimeout: 0,
        settings: settings,
        clientSecret: session.clientSecret
      )
    )
    let server = try await Discovery(context).server(of: request, using: [])
    let client = try ServerClient(request, at: server)
    let form = GrantForm(RefreshRequest.form(session.refreshToken, clientID: client.formID, resource: nil))
    let response: TokenResponse
    do throws(EngineError) {
      response = try await TokenEndpoint(of: server, by: client, context.client).grant(form, key: nil)
    } catch {
      throw error.refusing(.init(client, request.scope, request.resources))
    }
    let identify = IdentifyUser(context, server, client, request)
    let idToken = try identify.checked(response, nonce: nil)
    var credentials = NewCredentials(
      response,
      idToken,
      key: nil,
      from: server,
      client,
      request,
      now: context.world.clock.now()
    )
    if credentials.refreshToken == nil {
      // A server that does not rotate it need not repeat it (RFC 6749, section 6).
      credentials.refreshToken = session.refreshToken
      credentials.tokenLifetime = response.tokenLifetime(from: context.world.clock.now(), canRenew: true)
    }
    return try await identify.identified(credentials, idToken)
  }
}
