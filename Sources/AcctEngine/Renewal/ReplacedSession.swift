import AcctModel
import AcctPorts
import AcctProtocol

/// Ends the session that a new sign-in to the same account has replaced.
///
/// Without this it would stay valid at the server, with no one left to end it. Only servers of the AT
/// Protocol are asked, which keep each session apart: others end all sessions of a user and a client with the
/// revocation of one refresh token (RFC 7009, section 2.1, allows it; Keycloak and Google do it), and so
/// the new one.
package struct ReplacedSession: Sendable {
  private let context: EngineContext

  package init(_ context: EngineContext) { self.context = context }

  /// Revokes what an account had before, once the new credentials are stored; best effort.
  ///
  /// Credentials that a file or a backend brought may be in use elsewhere, so they are left.
  ///
  /// - Parameters:
  ///   - added: The account, and what it was before.
  ///   - credentials: What it has now; a token that is in both is not revoked.
  /// - Returns: What the user should know; `nil` where the session is over, or can't be ended at this
  ///   server.
  package func revoke(_ added: AddAccount.Added, replacedBy credentials: NewCredentials) async -> Notice? {
    guard let before = added.before, before.account.kind == .oauth, before.account.source == .issuer,
      credentials.source == .issuer, before.account.did != nil, before.account.recordedState.state != .reauthRequired
    else { return nil }
    let replaced = Credentials(
      account: before.account,
      token: before.items[.accessToken].flatMap { try? Token($0) },
      refreshToken: before.items[.refreshToken].flatMap { try? Token($0) },
      key: before.items[.keypair].flatMap { try? context.key($0, of: before.account) }
    )
    let isKept =
      replaced.refreshToken.map { $0 == credentials.refreshToken }
      ?? (replaced.token == credentials.token)
    guard !isKept else { return nil }
    switch await Revocation(context).revoke(replaced) {
    case .notRevoked(_, .noEndpoint)?: return nil
    case .notRevoked(_, let cause)?: return .replacedNotRevoked(account: added.account.name, cause)
    default: return nil
    }
  }
}
