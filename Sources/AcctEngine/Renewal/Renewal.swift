import AcctModel
import AcctPorts
import AcctProtocol

/// Renews an account's credentials so that neither a race, a crash nor a bad network loses them.
///
/// A refresh token is often good for one use, a backend may accept a session once, and some servers
/// end the session when either is used twice. So only one process at a time renews an account; a process
/// that waited for it takes its result; what the server answers is written down before anything else
/// happens; and only the server's own answer ends a session.
struct Renewal: Sendable {
  let context: EngineContext

  init(_ context: EngineContext) { self.context = context }

  /// What a renewal leaves in hand, without another conversation with the keyring.
  struct Outcome: Sendable {
    var credentials: Credentials
    /// Whether this process asked the server.
    var wasDue: Bool

    /// The token, however short its life.
    func grant(at now: Timestamp) throws(EngineError) -> AccessGrant { try credentials.grant(at: now) }
  }

  /// Renews an account if its reason still applies under its lock.
  ///
  /// - Parameters:
  ///   - account: As this command knows it.
  ///   - reason: Decides whether the server is asked.
  /// - Returns: The credentials as they are stored then, whichever process has renewed them.
  /// - Throws: Why they could not be renewed; they are kept in every case.
  func renew(_ account: Account, because reason: Reason) async throws(EngineError) -> Outcome {
    switch account.kind {
    case .oauth:
      try context.requireLocalLocks()
      return try await renewTokens(of: account, because: reason)
    case .session:
      try context.requireLocalLocks()
      return try await renewSession(of: account, because: reason)
    case .guest, .static: throw account.notRenewable
    }
  }
}

extension Renewal {
  /// What a renewal sends: the refresh token, or the same request as at first.
  func form(for credentials: Credentials, _ client: ServerClient, _ server: AuthorizationServer) -> GrantForm {
    let account = credentials.account
    guard let refreshToken = credentials.refreshToken, !account.client.grant.renewsItself else {
      return GrantForm(direct: account.scope, account.resources, of: server, by: client)
    }
    return GrantForm(RefreshRequest.form(refreshToken, clientID: client.formID, resource: account.resources.first))
  }
}

extension Credentials {
  /// Whether there is what a renewal needs.
  var canBeRenewed: Bool {
    guard account.tokenType != .dpop || key != nil else { return false }
    return account.client.grant.renewsItself || refreshToken != nil
  }
}

extension ServerClient {
  /// The client of an account.
  ///
  /// - Throws: ``SignInError/clientSecretMissing(account:)`` where the keyring lacks what its method needs.
  init(_ credentials: Credentials, at server: AuthorizationServer) throws(EngineError) {
    self.init(
      id: credentials.account.identity.clientID,
      credentials.account.client,
      secret: credentials.clientSecret,
      key: credentials.clientKey,
      at: server
    )
    guard isComplete else { throw .signIn(.clientSecretMissing(account: credentials.account.name)) }
  }
}
