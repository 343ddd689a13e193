import AcctModel
import AcctPorts
import AcctProtocol
import StrictJSON

/// Finds out who has signed in, so that a new sign-in finds the same account.
///
/// The answer's own `sub` and the ID token tell it, else the userinfo, else an introspection. The request is
/// made with the new token, before that is stored; where it fails, the sign-in still counts.
struct IdentifyUser: Sendable {
  private let context: EngineContext
  private let server: AuthorizationServer
  private let client: ServerClient
  private let request: SignIn.Request

  init(
    _ context: EngineContext,
    _ server: AuthorizationServer,
    _ client: ServerClient,
    _ request: SignIn.Request
  ) {
    self.context = context
    self.server = server
    self.client = client
    self.request = request
  }

  private var rules: SignIn.Identification { request.identification }

  /// Completes new credentials.
  ///
  /// - Parameters:
  ///   - credentials: Get the subject, the name, and the origins of a provider.
  ///   - response: The answer that brought them.
  ///   - nonce: What an ID token must repeat.
  /// - Returns: The same, with a notice where the server did not tell who it is.
  /// - Throws: ``OAuthError/malformedAnswer(member:)`` for an ID token of another issuer than the provider's.
  func identified(
    _ credentials: NewCredentials,
    _ response: TokenResponse,
    nonce: String?
  ) async throws(EngineError) -> NewCredentials {
    var credentials = credentials
    if !rules.origins.isEmpty, request.resources.isEmpty {
      credentials.origins = OwnOrigins(rules.origins, for: .signIn)
      credentials.service = credentials.origins.first
    }
    let isToldByIDToken = try read(response.idToken, into: &credentials, nonce: nonce)
    // The provider tells its users apart by another member than `sub`, which an access token may have, too.
    if hasOwnSubject, !isToldByIDToken, request.resources.isEmpty, server.userinfoEndpoint != nil {
      credentials.identity.subject = nil
    }
    let isNamed = request.settings.provider == nil || credentials.userName != nil
    if credentials.identity.subject == nil || !isNamed { await ask(&credentials) }
    return credentials
  }

  private var hasOwnSubject: Bool { rules.subjectMember.map { $0 != "sub" } ?? false }

  /// - Returns: Whether the token tells who it is.
  private func read(
    _ token: IDToken?,
    into credentials: inout NewCredentials,
    nonce: String?
  ) throws(EngineError) -> Bool {
    guard let token, request.settings.provider != nil else { return false }
    if let template = rules.issuerTemplate {
      guard
        let found = token.user(fitting: template, for: request.clientID, repeating: nonce)
      else {
        throw .server(
          .oauth(.malformedAnswer(member: "id_token"), server.tokenEndpoint.origin)
        )
      }
      credentials.identity.subject = found.subject
      credentials.identity.issuer = found.issuer
    } else {
      let subject = token.subject(
        from: server.issuer,
        for: request.clientID,
        repeating: nonce
      )
      guard let subject else { return false }
      credentials.identity.subject = subject
    }
    credentials.userName = token.name(rules.nameMember).map(context.world.held.redactor.redact)
    return true
  }

  /// Asks the server with the new token.
  private func ask(_ credentials: inout NewCredentials) async {
    let wasKnown = credentials.identity.subject != nil
    do throws(EngineError) {
      // A token for another resource (RFC 8707) is not for the server's own endpoints.
      guard request.resources.isEmpty else { return }
      var user = try await userinfo(credentials)
      if user == nil, !wasKnown { user = try await introspection(credentials) }
      // An answer for another user than the one of the token counts for nothing (OpenID Connect Core 1.0,
      // section 5.3.2).
      if let known = credentials.identity.subject, !hasOwnSubject, let other = user?.subject,
        other != known
      {
        return
      }
      if let user {
        credentials.identity.subject = credentials.identity.subject ?? user.subject
        credentials.userName =
          credentials.userName ?? user.name.map(context.world.held.redactor.redact)
      }
    } catch {
      if !wasKnown { credentials.notices.append(.identityUnknown(because: error)) }
    }
  }

  private func userinfo(_ credentials: NewCredentials) async throws(EngineError) -> UserIdentity? {
    guard let endpoint = server.userinfoEndpoint else { return nil }
    let response = try await context.client.get(
      endpoint,
      with: credentials.token,
      credentials.tokenType,
      boundTo: credentials.key,
      reach: server.reach(to: endpoint)
    )
    return try user(in: response, endpoint, rules.subjectMember, rules.nameMember)
  }

  private func introspection(
    _ credentials: NewCredentials
  ) async throws(EngineError) -> UserIdentity? {
    guard let endpoint = server.introspectionEndpoint else { return nil }
    let form = RefreshRequest.introspection(of: credentials.token, clientID: client.formID)
    let response = try await context.client.send(form, to: endpoint, of: server, by: client)
    // Many servers keep it from public clients.
    guard response.status == 200 else { return nil }
    guard response.json?.objectValue?["active"]?.boolValue == true else { return nil }
    return try user(in: response, endpoint, nil, "username")
  }

  private func user(
    in response: HTTPResponse,
    _ endpoint: HTTPURL,
    _ subject: String?,
    _ name: String?
  ) throws(EngineError) -> UserIdentity? {
    let answer = ServerAnswer(response, redacting: context.world.held.redactor)
    guard response.status == 200 else { throw EngineError(answer.noAnswer, endpoint.origin) }
    guard response.field("Content-Type").isJSON, let object = response.json?.objectValue else {
      throw .server(.oauth(.notJSON(status: response.status), endpoint.origin))
    }
    guard let user = UserIdentity(object, subject: subject, name: name) else {
      throw .server(.oauth(.malformedAnswer(member: subject ?? "sub"), endpoint.origin))
    }
    return user
  }
}
