import AcctModel
import AcctPorts
import AcctProtocol

/// The session of another identity than the requested one.
struct UnwantedSession: Sendable {
  private let context: EngineContext

  init(_ context: EngineContext) { self.context = context }

  /// Revokes it at its server, best effort and never for long; it was not stored.
  ///
  /// - Parameters:
  ///   - credentials: The tokens.
  ///   - person: Their identity, for people.
  ///   - report: Takes the reason why the server may still accept them.
  func revoke(_ credentials: NewCredentials, of person: String, report: @Sendable (SignInPrompt) -> Void) async {
    let id = context.world.entropy.accountID()
    // A name of people's may have what an account's can't.
    guard let name = (try? AccountName(person)) ?? (try? AccountName(id.description)) else { return }
    var account = credentials.account(id, name, createdAt: context.world.clock.now())
    do throws(EngineError) {
      // A backend need not name the issuer of its tokens; then the identity's own document leads there.
      if account.kind == .oauth, account.identity.issuer == nil {
        var brief = context
        brief.timeout = min(context.timeout, 5)
        _ = try await IdentityCheck(brief).check(&account)
      }
    } catch {
      report(.unwantedNotEnded(person, .failed(error)))
      return
    }
    let session = Credentials(
      account: account,
      token: credentials.token,
      refreshToken: credentials.refreshToken,
      key: credentials.key,
      certificate: credentials.certificate
    )
    if case .notRevoked(_, let cause)? = await Revocation(context).revoke(session) {
      report(.unwantedNotEnded(person, cause))
    }
  }
}
