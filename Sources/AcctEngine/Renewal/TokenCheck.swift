import AcctModel
import AcctPorts
import AcctProtocol
import Release
import StrictJSON

/// Asks an authorization server whether one of its access tokens works.
struct TokenCheck: Sendable {
  private let context: EngineContext

  init(_ context: EngineContext) { self.context = context }

  /// The server's verdict.
  enum Verdict {
    case accepted
    case rejected(reason: String, Origin)
    /// It calls the token inactive (RFC 7662, section 2.2): it has ended, or the client may not ask about it.
    case inactive(reason: String, Origin)
    /// It named another user than before.
    case otherUser(OtherUser, Origin)
    /// It has no endpoint for this token, or this client, or its answer does not tell.
    case unknown(Notice.NotChecked, Origin)

    /// `true` if a renewal may turn it into another.
    var isNo: Bool {
      switch self {
      case .rejected, .inactive: true
      case .accepted, .otherUser, .unknown: false
      }
    }
  }

  /// Asks the userinfo endpoint, if the token was granted for it (OpenID Connect Core 1.0, section 5.3) or the sign-in
  /// got its subject there, else the introspection endpoint (RFC 7662), which many servers do not open to public
  /// clients.
  ///
  /// - Parameters:
  ///   - grant: The token.
  ///   - account: The account of the token.
  /// - Returns: The server's verdict.
  /// - Throws: ``EngineError`` if there is no answer, or no metadata.
  func verdict(on grant: AccessGrant, of account: Account) async throws(EngineError) -> Verdict {
    // A token for another resource (RFC 8707) is not for the server's own userinfo.
    let isForUserinfo =
      account.resources.isEmpty && account.tokenType != .none
      && (account.mustPassUserinfo || account.client.endpoints[.userinfo] != nil)
    let server = try await Discovery(context)
      .server(of: account, named: account.naming, using: [isForUserinfo ? .userinfo : .introspection])
    var unknown = Verdict.unknown(.nothingToAsk, server.origin)
    if isForUserinfo, let endpoint = server.userinfoEndpoint {
      let verdict = try await userinfo(at: endpoint, of: server, account, grant)
      guard case .unknown = verdict else { return verdict }
      unknown = verdict
    }
    guard let endpoint = server.introspectionEndpoint else { return unknown }
    return try await introspection(at: endpoint, of: server, account, grant)
  }

  private func userinfo(
    at endpoint: HTTPURL,
    of server: AuthorizationServer,
    _ account: Account,
    _ grant: AccessGrant
  ) async throws(EngineError) -> Verdict {
    let response = try await context.client.get(
      endpoint,
      with: server.release(grant.token, in: account.tokenType, to: endpoint),
      grant.token,
      boundTo: grant.key,
      reach: server.reach(to: endpoint),
      presenting: try await CredentialStore(of: account, in: context).readCertificate().map(TLSIdentity.init)
    )
    switch response.status {
    case 200:
      do throws(EngineError) {
        let stated = response.json?.objectValue?["sub"]?.identifier
        try account.subjectStatements.require(userinfo: stated, of: endpoint.origin, context)
      } catch .server(.otherUser(let other, let origin)) {
        return .otherUser(other, origin)
      }
      return .accepted
    case 401 where account.mustPassUserinfo:
      return .rejected(reason: StateReason.unauthorized(endpoint.origin).text, endpoint.origin)
    case 429, 500...: throw .noAnswer(response, endpoint.origin, context.world.held)
    default: return .unknown(.answered(status: response.status), endpoint.origin)
    }
  }

  private func introspection(
    at endpoint: HTTPURL,
    of server: AuthorizationServer,
    _ account: Account,
    _ grant: AccessGrant
  ) async throws(EngineError) -> Verdict {
    var credentials = try await CredentialStore(of: account, in: context).readClient(account.client.itemKinds)
    credentials.inputTokens = try InputTokens(context).client(account.client)
    let serverClient = try ServerClient(credentials, at: server)
    let form = RefreshRequest.introspection(of: grant.token, clientID: serverClient.formID)
    let response = try await context.client.send(form, to: endpoint, of: server, by: serverClient)
    if response.status == 429 || response.status >= 500 {
      throw .noAnswer(response, endpoint.origin, context.world.held)
    }
    guard response.status == 200, response.field("Content-Type").isJSON,
      let isActive = response.json?.objectValue?["active"]?.boolValue
    else { return .unknown(.answered(status: response.status), endpoint.origin) }
    return isActive
      ? .accepted : .inactive(reason: StateReason.inactive(endpoint.origin).text, endpoint.origin)
  }
}

extension Account {
  /// `true` if its token must be accepted by the userinfo endpoint: a token that is not was rejected.
  ///
  /// The caller has checked that the token is for no other resource.
  fileprivate var mustPassUserinfo: Bool { Scope.words(scope).contains("openid") || subjectStatements.userinfo != nil }
}
