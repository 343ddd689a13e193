package import AcctModel
import AcctPorts
import AcctProtocol
package import Release
import StrictJSON

/// Asks the server whether an account's credentials still work.
package struct ServerCheck: Sendable {
  private let context: EngineContext

  package init(_ context: EngineContext) { self.context = context }

  /// The result of a check that found no error.
  package enum Outcome: Equatable, Sendable {
    /// The server accepts the credentials.
    case confirmed
    /// The server could not be asked, or gave no verdict.
    case notChecked(Notice.NotChecked, Origin)
    /// No server is known that could be asked.
    case notCheckable
  }

  /// Asks the server; returns normally if it accepts the credentials, or can't be asked.
  ///
  /// A backend and an AT Protocol data server are asked for the session; a backend's statement that it has ended is
  /// stored. For any other account the authorization server is asked whether the token works, after a renewal if that
  /// was due. For a guest no server is asked: its backend has no endpoint for it, and any request to it could use up a
  /// part of the guest's small quota.
  ///
  /// - Parameter account: The account to check.
  /// - Returns: The result.
  /// - Throws: ``EngineError``; a rejection does not change the stored credentials.
  package func check(_ account: Account) async throws(EngineError) -> Outcome {
    switch account.kind {
    case .session:
      _ = try await Renewal(context).renew(account, because: .checked)
      return .confirmed
    // Only the token's own expiry is checked.
    case .guest:
      _ = try await TokenProvider(context, .allowed).grant(to: account)
      return .notCheckable
    case .oauth: return try await checkTokens(of: account)
    case .static: return .notCheckable
    }
  }

  private func checkTokens(of account: Account) async throws(EngineError) -> Outcome {
    // One that was rejected may be accepted again.
    var grant = try await TokenProvider(context, .allowed).grant(to: account.tried)
    guard account.did != nil, let service = account.service else { return try await checkToken(grant, of: account) }
    var response = try await session(at: service, of: account, grant)
    if response.status == 401, account.tokenLifetime.canRenew {
      // A renewal by another process may have ended this token before its time.
      grant = try await Renewal(context).renew(account, because: .refused(grant.token))
        .grant(at: context.world.clock.now())
      response = try await session(at: service, of: account, grant)
    }
    await LimitsLedger(context.world).learn(from: response.fields, of: service, for: account.id)
    switch response.status {
    case 200:
      try await record(.confirmed, of: account)
      return .confirmed
    case 401:
      throw try await rejected(grant, of: account, by: service, because: StateReason.unauthorized(service).text)
    case 429, 500...: throw .noAnswer(response, service, context.world.held)
    default: throw .server(.oauth(.unexplained(status: response.status), service))
    }
  }

  /// Asks the authorization server itself, and again after a renewal.
  private func checkToken(_ grant: AccessGrant, of account: Account) async throws(EngineError) -> Outcome {
    guard account.hasServer else { return .notCheckable }
    let check = TokenCheck(context)
    var verdict = try await check.verdict(on: grant, of: account)
    if verdict.isNo, account.tokenLifetime.canRenew {
      let renewed = try await Renewal(context).renew(account, because: .refused(grant.token))
        .grant(at: context.world.clock.now())
      verdict = try await check.verdict(on: renewed, of: account)
      // The server has just renewed the session, so this endpoint is not for such a token.
      if case .rejected = verdict { return .confirmed }
    }
    switch verdict {
    case .accepted:
      try await record(.confirmed, of: account)
      return .confirmed
    case .otherUser(let other, let origin):
      try await record(.otherUser, because: other.reason, of: account)
      throw .server(.otherUser(other, origin))
    // A client that is not the token's audience may not be told of it, so nothing is stored.
    case .inactive(let reason, _) where !account.resources.isEmpty:
      throw .signIn(.required(account: account.name, .ended(reason: reason)))
    case .rejected(let reason, let origin), .inactive(let reason, let origin):
      throw try await rejected(grant, of: account, by: origin, because: reason)
    case .unknown(let cause, let origin): return .notChecked(cause, origin)
    }
  }

  /// Stores that a token that can't be renewed was rejected, and returns the error to report.
  private func rejected(
    _ grant: AccessGrant,
    of account: Account,
    by origin: Origin,
    because reason: String
  ) async throws(EngineError) -> EngineError {
    guard !account.canRenew else { return .signIn(.required(account: account.name, .ended(reason: reason))) }
    let rejection = Rejection(by: origin, at: context.world.clock.now())
    try await TokenVerdict(context).record(rejection, isConclusive: true, on: grant.token, of: account)
    return .signIn(.required(account: account.name, .rejected(rejection)))
  }

  /// Records the server's statement about the credentials.
  private func record(
    _ event: SessionEvent,
    because reason: String = "",
    of account: Account
  ) async throws(EngineError) {
    let accountStore = context.accountStore
    try await context.withExclusiveRecord(of: account) { (shared) throws(EngineError) in
      guard var current = try accountStore.account(account.id) else { return }
      if event == .confirmed { current.noteAcceptance() }
      current.take(event, reason: reason, at: context.world.clock.now())
      try accountStore.save(current, sharing: shared)
    }
  }

  /// Asks the data server of an AT Protocol account for the session.
  func session(
    at service: Origin,
    of account: Account,
    _ grant: AccessGrant
  ) async throws(EngineError) -> HTTPResponse {
    let naming = IdentityResolver(context).naming(ofServiceOf: account)
    let url = try service.url("/xrpc/com.atproto.server.getSession")
    let released: Released
    do { released = try account.permit(to: url).release(grant.own) } catch {
      throw .authorization(error)
    }
    return try await context.client.get(
      url,
      with: released,
      grant.token,
      boundTo: grant.key,
      reach: try naming.checkedReach(to: service)
    )
  }
}

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

  /// Asks the introspection endpoint whether a refresh token of an account is active.
  ///
  /// - Parameters:
  ///   - token: The refresh token.
  ///   - credentials: The credentials that it is or was one of, with the client's.
  /// - Returns: The answer; `nil` if the server gives none.
  func isActive(_ token: RefreshToken, of credentials: Credentials) async -> Bool? {
    var credentials = credentials
    do throws(EngineError) {
      let account = credentials.account
      let server = try await Discovery(context).server(of: account, named: account.naming, using: [.introspection])
      guard let endpoint = server.introspectionEndpoint else { return nil }
      credentials.inputTokens = try InputTokens(context).client(account.client)
      let client = try ServerClient(credentials, at: server)
      let form = RefreshRequest.introspection(of: token, clientID: client.formID)
      let response = try await context.client.send(form, to: endpoint, of: server, by: client)
      guard response.status == 200, response.field("Content-Type").isJSON else { return nil }
      return response.json?.objectValue?["active"]?.boolValue
    } catch {
      return nil
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

extension Account {
  /// The account for a request, which may find that a rejected token is accepted after all.
  package var tried: Account {
    guard recordedState.rejection != nil else { return self }
    var account = self
    account.noteAcceptance()
    return account
  }

  /// `true` if a 401 ends its token until a person signs in: nothing renews it, and no new session begins by itself.
  package var keepsRejection: Bool { !canRenew && kind != .guest }
}

/// Stores a server's verdict on a token that can't be renewed.
package struct TokenVerdict {
  private let context: EngineContext

  package init(_ context: EngineContext) { self.context = context }

  /// Stores the verdict, unless another token has replaced this one meanwhile.
  ///
  /// - Parameters:
  ///   - rejection: The rejection; `nil` if the token was accepted.
  ///   - isConclusive: `true` where the server was asked for the token itself.
  ///   - token: The token that was sent.
  ///   - account: The account as it was then.
  /// - Throws: ``EngineError``: files or keyring fail.
  package func record(
    _ rejection: Rejection?,
    isConclusive: Bool = false,
    on token: Token,
    of account: Account
  ) async throws(EngineError) {
    do {
      try await context.withExclusiveAccess(to: account) { (current, credentialStore) throws(EngineError) in
        guard try await credentialStore.read().token == token else { return }
        var current = current
        if let rejection { current.note(rejection, isConclusive: isConclusive) } else { current.noteAcceptance() }
        if current != credentialStore.account { try credentialStore.save(current) }
      }
    } catch .selection(.unknown) {
      // Removed meanwhile.
    }
  }
}
