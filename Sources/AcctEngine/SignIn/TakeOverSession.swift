package import AcctModel
import AcctPorts
import AcctProtocol
package import Release
package import Secrets

/// Takes over a session that another program began: its client, and the refresh token, with which new tokens are
/// requested at once.
package struct TakeOverSession: Sendable {
  private let context: EngineContext

  package init(_ context: EngineContext) { self.context = context }

  /// The client and the token that the other program keeps.
  package struct Session: Sendable {
    package let issuer: Issuer
    package let clientID: String
    package let clientSecret: Secret?
    package let refreshToken: RefreshToken
    package let scope: String?

    package init(
      issuer: Issuer,
      clientID: String,
      clientSecret: Secret?,
      refreshToken: RefreshToken,
      scope: String?
    ) {
      self.issuer = issuer
      self.clientID = clientID
      self.clientSecret = clientSecret
      self.refreshToken = refreshToken
      self.scope = scope
    }
  }

  /// Asks the authorization server.
  ///
  /// - Returns: Credentials that are not stored yet.
  /// - Throws: ``EngineError``; the refresh token may then have been used.
  package func credentials(of session: Session) async throws(EngineError) -> NewCredentials {
    context.world.held.hold(session.refreshToken.opened(for: .redaction))
    if let secret = session.clientSecret { context.world.held.hold(secret) }
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
