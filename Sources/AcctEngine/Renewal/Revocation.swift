import AcctModel
import AcctPorts
import AcctProtocol
import Release

/// Ends a session at the server (RFC 7009, or a backend's own way); best effort, and never for long.
struct Revocation: Sendable {
  private let context: EngineContext

  /// Limits each request to 5 seconds: a slow server is not waited for.
  init(_ context: EngineContext) { self.context = context.waiting(atMost: 5) }

  /// Asks the server to end a session.
  ///
  /// - Parameter credentials: Its tokens and key.
  /// - Returns: A notice of the result for the user; `nil` if there is nothing to revoke.
  func revoke(_ credentials: Credentials) async -> Notice? {
    let account = credentials.account
    if account.kind == .session { return await logOut(account, credentials.token) }
    guard account.kind == .oauth, account.hasServer else { return nil }
    let revocation =
      credentials.refreshToken.map { RefreshRequest.revocation(of: $0) }
      ?? credentials.token.map { RefreshRequest.revocation(of: $0) }
    guard let revocation else { return nil }
    let cause = await end(by: revocation, credentials)
    return cause.map { .notRevoked(account: account.name, $0) } ?? .revoked(account: account.name)
  }

  /// Asks an authorization server to end one token.
  ///
  /// - Parameters:
  ///   - revocation: The request, without the client.
  ///   - credentials: The credentials that the token is or was one of.
  /// - Returns: Why it was not ended; `nil` if it was.
  func end(by revocation: FormBody, _ credentials: Credentials) async -> Notice.Cause? {
    let account = credentials.account
    do throws(EngineError) {
      var credentials = credentials
      credentials.inputTokens = try InputTokens(context).client(account.client)
      let server = try await Discovery(context)
        .server(of: account, named: IdentityResolver(context).naming(ofIssuerOf: account), using: [.revocation])
      guard let endpoint = server.revocationEndpoint else { return .noEndpoint }
      let client = try ServerClient(credentials, at: server)
      var form = revocation
      form.add("client_id", client.formID)
      let response = try await context.client.send(form, to: endpoint, of: server, by: client, key: credentials.key)
      let answer = ServerAnswer(response, redacting: context.world.held.redactor)
      return response.status == 200 && !answer.isError ? nil : Notice.Cause(answer, endpoint.origin)
    } catch {
      return .failed(error)
    }
  }

  private func logOut(_ account: Account, _ session: Token?) async -> Notice? {
    guard let session, let backends = context.backends else { return nil }
    do throws(EngineError) {
      guard let status = try await backends.end(session, of: account, context) else { return nil }
      return status == 200
        ? .revoked(account: account.name)
        : .notRevoked(account: account.name, .refused(status: status))
    } catch {
      return .notRevoked(account: account.name, .failed(error))
    }
  }
}

/// Ends the session that a new sign-in to the same account has replaced.
///
/// Without this it would stay valid at the server, and nothing would ever end it. Only servers of the AT Protocol are
/// asked, which keep each session apart: others end all sessions of a user and a client with the revocation of one
/// refresh token (RFC 7009, section 2.1, allows it; Keycloak and Google do it), and so the new one.
package struct ReplacedSession: Sendable {
  private let context: EngineContext

  package init(_ context: EngineContext) { self.context = context }

  /// Revokes an account's earlier credentials, after the new ones are stored; best effort.
  ///
  /// Credentials from a file or a backend may be in use elsewhere, so they are left alone.
  ///
  /// - Parameters:
  ///   - added: The account, and its state before.
  ///   - credentials: Its new credentials; a token that is in both is not revoked.
  ///   - isAsked: `true` if the user wants the former session ended, at any server; `false` to tell that it is still valid.
  /// - Returns: A notice of the result; `nil` if there is nothing to say.
  package func revoke(
    _ added: AddAccount.Added,
    replacedBy credentials: NewCredentials,
    asked isAsked: Bool? = nil
  ) async -> Notice? {
    guard let before = added.before, before.account.kind == .oauth || before.account.kind == .session,
      before.account.recordedState.state != .reauthRequired
    else { return nil }
    let isApart =
      before.account.kind == .oauth && before.account.source == .issuer && credentials.source == .issuer
      && before.account.did != nil
    guard isApart || isAsked != nil else { return nil }
    // What can't be read can't be revoked.
    guard let replaced = try? CredentialStore(of: before.account, in: context).credentials(before.items) else {
      return nil
    }
    let isKept =
      replaced.refreshToken.map { $0.isSame(as: credentials.refreshToken) }
      ?? (replaced.token == credentials.token)
    let left = before.account.tokenLifetime.secondsLeft(at: context.world.clock.now()) ?? 1
    guard !isKept, replaced.refreshToken != nil || replaced.token != nil && left > 0 else { return nil }
    guard isApart || isAsked == true else { return .formerStays(account: added.account.name) }
    switch await Revocation(context).revoke(replaced) {
    case .notRevoked(_, .noEndpoint)? where isAsked != true: return nil
    case .revoked? where isAsked == true:
      let isEnded = await Rotation(context).hasEnded(added.account)
      return isEnded ? .endedWithFormer(account: added.account.name) : .formerEnded(account: added.account.name)
    case .notRevoked(_, let cause)?: return .replacedNotRevoked(account: added.account.name, cause)
    default: return nil
    }
  }
}
