import AcctModel
import AcctPorts
import AcctProtocol

/// Tells the server that a session is over (RFC 7009, or a backend's own way); best effort, and
/// never for long.
struct Revocation: Sendable {
  private let context: EngineContext

  /// A server that is slow to say goodbye is left: 5 seconds for each request at most.
  init(_ context: EngineContext) {
    var context = context
    context.timeout = min(context.timeout, 5)
    self.context = context
  }

  /// Asks the server to end a session.
  ///
  /// - Parameter credentials: Its tokens and key; the refresh token goes first, since it is the session.
  /// - Returns: What happened, for the user to know; `nil` where there is nothing to revoke.
  func revoke(_ credentials: Credentials) async -> Notice? {
    let account = credentials.account
    if account.kind == .session { return await logOut(account, credentials.token) }
    guard account.kind == .oauth, account.hasServer else { return nil }
    let refreshToken = credentials.refreshToken.map { ($0, "refresh_token") }
    guard let (token, hint) = refreshToken ?? credentials.token.map({ ($0, "access_token") }) else { return nil }
    do throws(EngineError) {
      let server = try await Discovery(context)
        .server(of: account, named: IdentityResolver(context).naming(ofIssuerOf: account), using: [.revocation])
      guard let endpoint = server.revocationEndpoint else { return .notRevoked(account: account.name, .noEndpoint) }
      let client = try ServerClient(credentials, at: server)
      let form = RefreshRequest.revocation(of: token, hint: hint, clientID: client.formID)
      let response = try await context.client.send(form, to: endpoint, of: server, by: client, key: credentials.key)
      return response.status == 200
        ? .revoked(account: account.name)
        : .notRevoked(account: account.name, .refused(status: response.status))
    } catch {
      return .notRevoked(account: account.name, .failed(error))
    }
  }

  private func logOut(_ account: Account, _ session: Token?) async -> Notice? {
    guard let session, let origin = account.service else { return nil }
    do throws(EngineError) {
      let backend = SessionBackend(origin, context)
      let status = try await backend.logOut(session)
      return status == 200
        ? .revoked(account: account.name)
        : .notRevoked(account: account.name, .refused(status: status))
    } catch {
      return .notRevoked(account: account.name, .failed(error))
    }
  }
}
