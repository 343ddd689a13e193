import AcctConsole
import AcctDevices
import AcctEngine
import AcctModel

/// A sign-in and the storing of what it brought, in one: of `acct add`, and of `acct login`.
struct SignInRun {
  private let context: Context

  init(_ context: Context) { self.context = context }

  /// Signs in, and stores the account; a key that was made in a token for it does not outlive a failure.
  ///
  /// - Parameters:
  ///   - signIn: Obtains credentials.
  ///   - remembersClient: `true` if the user has named the client, for the next account with its provider, too.
  ///   - store: Stores them.
  /// - Returns: The stored account.
  /// - Throws: The error of `signIn` or `store`; nothing is left behind.
  func run(
    _ signIn: @escaping @Sendable () async throws(EngineError) -> NewCredentials,
    remembersClient: Bool = true,
    store: @escaping @Sendable (NewCredentials) async throws(EngineError) -> AddAccount.Added
  ) async throws(EngineError) -> AddAccount.Added {
    let newKeys = NewKeys(context.engine)
    let (credentials, added): (NewCredentials, AddAccount.Added)
    do throws(EngineError) {
      (credentials, added) = try await newKeys.guarding { [context] () async throws(EngineError) in
        let credentials = try await signIn()
        try newKeys.requireUse(in: credentials)
        context.report(credentials.notices)
        return (credentials, try await store(credentials))
      }
      context.report(newKeys.keep())
    } catch {
      context.report(await newKeys.discard())
      throw error
    }
    if added.hasLostRefreshToken { context.report([.refreshTokenLost(account: added.account.name)]) }
    await revokeReplaced(added, by: credentials)
    if remembersClient { context.report(await ClientChoice(context.engine).remember(added.account)) }
    return added
  }

  /// Ends the session that a new sign-in has replaced, and says so where that fails.
  private func revokeReplaced(_ added: AddAccount.Added, by credentials: NewCredentials) async {
    let replaced = ReplacedSession(context.engine)
    if let notice = await replaced.revoke(added, replacedBy: credentials) { context.report([notice]) }
    if let notice = await RemoveHardwareKey(context.engine).removeReplaced(added, by: credentials) {
      context.report([notice])
    }
  }
}
