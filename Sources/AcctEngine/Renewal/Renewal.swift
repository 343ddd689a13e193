package import AcctModel
import AcctPorts
import AcctProtocol

/// Renews an account's credentials so that no race, crash or bad network loses them.
///
/// A refresh token is often valid for one use, a backend may accept a session once, and some servers end the session
/// when either is used twice. So only one process at a time renews an account; a process that waited for it uses its
/// result; the server's answer is stored before anything else happens; and only the server's own answer ends a
/// session.
package struct Renewal: Sendable {
  let context: EngineContext

  package init(_ context: EngineContext) { self.context = context }

  /// The result of a renewal, so that the keyring need not be read again.
  package struct Outcome: Sendable {
    @Boxed package var credentials: Credentials
    /// `true` if this process asked the server.
    package var wasDue: Bool

    /// The token, even if it expires soon.
    package func grant(at now: Timestamp) throws(EngineError) -> AccessGrant { try credentials.grant(at: now) }
  }

  /// Renews an account if its reason still applies under its lock.
  ///
  /// - Parameters:
  ///   - account: The account as this command knows it.
  ///   - reason: Decides whether the server is asked.
  /// - Returns: The credentials as they are then stored, whichever process has renewed them.
  /// - Throws: The reason why they could not be renewed; they are kept in every case.
  package func renew(_ account: Account, because reason: Reason) async throws(EngineError) -> Outcome {
    guard account.kind == .oauth || account.kind == .session else { throw account.notRenewable }
    try context.requireLocalLocks()
    do throws(EngineError) {
      let outcome =
        account.kind == .oauth
        ? try await renewTokens(of: account, because: reason) : try await renewSession(of: account, because: reason)
      if outcome.wasDue { await RenewalCounts.count(isFailure: false, in: context.world) }
      return outcome
    } catch {
      await RenewalCounts.count(isFailure: true, in: context.world)
      throw error
    }
  }
}

extension Renewal {
  /// The form of a renewal: the refresh token, or the same request as at first.
  func form(for credentials: Credentials, _ client: ServerClient, _ server: AuthorizationServer) -> GrantForm {
    let account = credentials.account
    guard let refreshToken = credentials.refreshToken, !account.client.grant.renewsItself else {
      return GrantForm(direct: account.scope, account.resources, of: server, by: client)
    }
    return GrantForm(RefreshRequest.form(refreshToken, clientID: client.formID, resource: account.resources.first))
  }
}

extension Credentials {
  /// `true` if they include everything that a renewal needs.
  var canBeRenewed: Bool {
    guard account.tokenType != .dpop || key != nil else { return false }
    return account.client.grant.renewsItself || refreshToken != nil
  }
}

extension ServerClient {
  /// The client of an account.
  ///
  /// - Throws: ``SignInError/clientSecretMissing(account:)`` if the keyring lacks the secret or key of its method.
  convenience init(_ credentials: Credentials, at server: AuthorizationServer) throws(EngineError) {
    self.init(
      id: credentials.account.identity.clientID,
      credentials.account.client,
      secret: credentials.clientSecret,
      key: credentials.clientKey,
      certificate: credentials.certificate,
      tokens: credentials.inputTokens,
      at: server
    )
    guard isComplete else { throw .signIn(.clientSecretMissing(account: credentials.account.name)) }
  }
}
