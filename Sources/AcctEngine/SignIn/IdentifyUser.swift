import AcctModel
import Secrets
import AcctPorts
import AcctProtocol
import StrictJSON
import Release
import Text

/// Identifies the user who has signed in, so that a new sign-in finds the same account.
///
/// The response's own `sub` and the ID token name the user, else the userinfo, else an introspection. The request is
/// made with the new token, before that is stored; if it fails, the sign-in still counts.
final class IdentifyUser: Sendable {
  private let context: EngineContext
  private let server: AuthorizationServer
  private let client: ServerClient
  private let request: SignIn.Request

  init(_ context: EngineContext, _ server: AuthorizationServer, _ client: ServerClient, _ request: SignIn.Request) {
    self.context = context
    self.server = server
    self.client = client
    self.request = request
  }

  private var rules: SignIn.Identification { request.identification }

  /// Verifies the ID token of a response, if there is one.
  ///
  /// - Parameters:
  ///   - response: The token endpoint's answer to the sign-in.
  ///   - nonce: The nonce that the token must repeat.
  /// - Returns: The token, which this server issued for this sign-in; `nil` also for one that can't be read and was not
  ///   requested.
  /// - Throws: ``OAuthError/idToken(_:)``.
  func checked(_ response: TokenResponse, nonce: String?) throws(EngineError) -> IDToken? {
    guard let reading = response.idToken else { return nil }
    let origin = server.tokenEndpoint.origin
    do throws(IDToken.Flaw) {
      let token = try reading.get()
      try token.check(
        from: try issuer(of: token),
        for: request.clientID,
        repeating: nonce,
        at: context.client.hint(for: origin).time(at: context.world.clock.now())
      )
      return token
    } catch .unreadable where !Scope.words(request.scope).contains("openid") {
      return nil
    } catch {
      throw .server(.oauth(.idToken(error), origin))
    }
  }

  /// The issuer that a token must have; with a template, the token's own issuer, if it matches.
  private func issuer(of token: IDToken) throws(IDToken.Flaw) -> Issuer? {
    guard let template = rules.issuerTemplate else { return server.issuer }
    guard let issuer = token.issuer(of: template) else { throw .issuer }
    return issuer
  }

  /// Completes new credentials.
  ///
  /// - Parameters:
  ///   - credentials: Get the subject, the name, and the origins of a provider.
  ///   - idToken: The checked ID token, if there is one.
  /// - Returns: The credentials, with a notice if the server did not name the user.
  /// - Throws: ``ServerError/otherUser(_:_:)`` for a userinfo about another user than the ID token's.
  func identified(_ credentials: NewCredentials, _ idToken: IDToken?) async throws(EngineError) -> NewCredentials {
    var credentials = credentials
    if !rules.origins.isEmpty, request.resources.isEmpty {
      credentials.origins = OwnOrigins(rules.origins, for: .signIn)
      credentials.service = credentials.origins.first
    }
    if let idToken {
      if request.settings.provider != nil {
        take(idToken, into: &credentials)
      } else if credentials.identity.subject == idToken.subject {
        credentials.userName = idToken.name(nil).map(context.world.held.redactor.redact)
      }
    }
    // The provider distinguishes its users by another member than `sub`, which an access token may have, too.
    if hasOwnSubject, idToken == nil, request.resources.isEmpty, server.userinfoEndpoint != nil {
      credentials.identity.subject = nil
    }
    // A subject that people can read is a name.
    let isReadable = request.settings.provider == nil && credentials.identity.subject?.isOpaque != true
    let isNamed = isReadable || credentials.userName != nil
    if credentials.identity.subject == nil || !isNamed { try await ask(&credentials) }
    return credentials
  }

  private var hasOwnSubject: Bool { rules.subjectMember.map { $0 != "sub" } ?? false }

  private func take(_ token: IDToken, into credentials: inout NewCredentials) {
    credentials.identity.subject = token.subject
    if let template = rules.issuerTemplate { credentials.identity.issuer = token.issuer(of: template) }
    credentials.userName = token.name(rules.nameMember).map(context.world.held.redactor.redact)
  }

  /// Asks the server with the new token.
  private func ask(_ credentials: inout NewCredentials) async throws(EngineError) {
    // A token for another resource (RFC 8707) is not for the server's own endpoints.
    guard request.resources.isEmpty else { return }
    let wasKnown = credentials.identity.subject != nil
    var user: UserIdentity?
    do throws(EngineError) {
      user = try await userinfo(&credentials)
      if user == nil, !wasKnown { user = try await introspection(credentials) }
    } catch .server(.otherUser(let other, let origin)) {
      throw .server(.otherUser(other, origin))
    } catch {
      if !wasKnown { credentials.notices.append(.identityUnknown(because: error)) }
      return
    }
    // An answer about another user than the token's is ignored.
    if let known = credentials.identity.subject, !hasOwnSubject, let other = user?.subject, other != known { return }
    if let user {
      credentials.identity.subject = credentials.identity.subject ?? user.subject
      credentials.userName = credentials.userName ?? user.name.map(context.world.held.redactor.redact)
    }
  }

  private func userinfo(_ credentials: inout NewCredentials) async throws(EngineError) -> UserIdentity? {
    guard let endpoint = server.userinfoEndpoint, credentials.tokenType != .none else { return nil }
    let token = credentials.token
    let response = try await context.client.get(
      endpoint,
      with: server.release(token, in: credentials.tokenType, to: endpoint),
      token,
      boundTo: credentials.key,
      reach: server.reach(to: endpoint),
      presenting: client.identity
    )
    let user = try user(in: response, .userinfo, endpoint, rules.subjectMember, rules.nameMember)
    let stated = response.json?.objectValue?["sub"]?.identifier
    try credentials.subjectStatements.require(userinfo: stated, of: endpoint.origin, context)
    credentials.subjectStatements.userinfo = stated ?? user?.subject
    return user
  }

  private func introspection(_ credentials: NewCredentials) async throws(EngineError) -> UserIdentity? {
    guard let endpoint = server.introspectionEndpoint else { return nil }
    let form = RefreshRequest.introspection(of: credentials.token, clientID: client.formID)
    let response = try await context.client.send(form, to: endpoint, of: server, by: client)
    // Many servers do not open it to public clients.
    guard response.status == 200 else { return nil }
    guard response.json?.objectValue?["active"]?.boolValue == true else { return nil }
    return try user(in: response, .introspection, endpoint, nil, "username")
  }

  private func user(
    in response: HTTPResponse,
    _ statement: OAuthError.Statement,
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
      let member = subject ?? "sub"
      let isThere = object[member] ?? .null != .null
      throw .server(
        .oauth(
          isThere ? .malformedAnswer(member: member) : .userUnnamed(member: member, in: statement),
          endpoint.origin
        )
      )
    }
    return user
  }
}

extension String {
  /// `true` for an identifier that no person has chosen: a UUID, or digits and letters of a number.
  fileprivate var isOpaque: Bool {
    let digits = utf8.count(where: \.isASCIIDigit)
    return utf8.count >= 8 && digits > 0 && allSatisfy { $0.isHexDigit || $0 == "-" }
  }
}
