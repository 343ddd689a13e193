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
