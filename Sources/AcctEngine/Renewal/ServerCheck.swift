package import AcctModel
import AcctPorts
import AcctProtocol

/// Asks the server whether an account's credentials still work.
package struct ServerCheck: Sendable {
  private let context: EngineContext

  package init(_ context: EngineContext) { self.context = context }

  /// Asks; returns if the server takes the credentials.
  ///
  /// A backend and an AT Protocol data server are asked for the session; a backend's word that it
  /// is over is written down. Of another account the authorization server is asked whether the token
  /// works, after a renewal if that was due. Where it offers no endpoint for that, its metadata is all
  /// that can be known without knowing what its resource server offers. For a guest no server is
  /// asked: its backend
  /// offers nothing, and any request to it could use up what little a guest has.
  ///
  /// - Parameter account: Whose credentials.
  /// - Throws: ``EngineError``; a refusal changes nothing of what is kept.
  package func check(_ account: Account) async throws(EngineError) {
    switch account.kind {
    case .session: _ = try await Renewal(context).renew(account, because: .checked)
    // What its token says of itself is looked at.
    case .guest: _ = try await TokenProvider(context, .allowed).grant(to: account)
    case .oauth: try await checkTokens(of: account)
    // No server is known that could be asked about it alone.
    case .static: return
    }
  }

  private func checkTokens(of account: Account) async throws(EngineError) {
    var grant = try await TokenProvider(context, .allowed).grant(to: account)
    guard account.did != nil, let service = account.service else {
      return try await checkToken(grant, of: account)
    }
    var response = try await session(at: service, of: account, grant)
    if response.status == 401, account.tokenLifetime.canRenew {
      // A renewal by another process may have ended this token before its time.
      grant = try await Renewal(context).renew(account, because: .refused(grant.token))
        .grant(at: context.world.clock.now())
      response = try await session(at: service, of: account, grant)
    }
    await LimitsLedger(context.world).learn(from: response.fields, of: service, for: account.id)
    switch response.status {
    case 200: try await confirm(account)
    case 401:
      throw .signIn(.required(account: account.name, .ended(reason: "\(service) answered 401")))
    case 429, 500...: throw .noAnswer(response, service, context.world.held)
    default: throw .server(.oauth(.unexplained(status: response.status), service))
    }
  }

  /// Asks the authorization server itself, and once more after a renewal.
  private func checkToken(
    _ grant: AccessGrant,
    of account: Account
  ) async throws(EngineError) {
    guard account.hasServer else { return }
    let check = TokenCheck(context)
    var verdict = try await check.verdict(on: grant, of: account)
    if case .rejected = verdict, account.tokenLifetime.canRenew {
      let renewed = try await Renewal(context).renew(account, because: .refused(grant.token))
        .grant(at: context.world.clock.now())
      verdict = try await check.verdict(on: renewed, of: account)
      // The server has just renewed the session, so this endpoint is not for such a token.
      if case .rejected = verdict { return }
    }
    switch verdict {
    case .accepted: try await confirm(account)
    case .rejected(let reason):
      throw .signIn(.required(account: account.name, .ended(reason: reason)))
    case .unknown: return
    }
  }

  /// Writes down that the server has just taken the credentials.
  private func confirm(_ account: Account) async throws(EngineError) {
    let accountStore = context.accountStore
    try await context.withExclusiveRecord(of: account) { (shared) throws(EngineError) in
      guard var current = try accountStore.account(account.id) else { return }
      current.take(.confirmed, at: context.world.clock.now())
      try accountStore.save(current, sharing: shared)
    }
  }

  private func session(
    at service: Origin,
    of account: Account,
    _ grant: AccessGrant
  ) async throws(EngineError) -> HTTPResponse {
    let naming = IdentityResolver(context).naming(ofServiceOf: account)
    return try await context.client.get(
      try service.url("/xrpc/com.atproto.server.getSession"),
      with: grant.token,
      account.tokenType,
      boundTo: grant.key,
      reach: try naming.checkedReach(to: service)
    )
  }
}
