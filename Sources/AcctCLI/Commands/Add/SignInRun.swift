import AcctConsole
import AcctDevices
import AcctEngine
import AcctModel
import AcctPorts

/// A sign-in and the storing of what it brought, in one: of `acct add`, and of `acct login`.
struct SignInRun {
  private let context: Context
  /// `true` to end the session before at any server, `false` to tell that it is still valid; `nil` for neither.
  private let endsFormer: Bool?

  init(_ context: Context, endsFormer: Bool? = nil) {
    self.context = context
    self.endsFormer = endsFormer
  }

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
    if added.account.kind == .oauth,
      let notice = added.account.sessionWarning(at: context.world.clock.now(), within: .max)
    {
      context.report([notice])
    }
    if added.hasLostRefreshToken { context.report([.refreshTokenLost(account: added.account.name)]) }
    let isLeft = await revokeReplaced(added, by: credentials)
    if remembersClient { context.report(await ClientChoice(context.engine).remember(added.account)) }
    if isLeft, endsFormer == true { context.programStatus.value = ExitStatus.signInRequired.rawValue }
    return added
  }

  /// Ends the session that a new sign-in has replaced, and says so where that fails.
  ///
  /// - Returns: `true` if it failed.
  private func revokeReplaced(_ added: AddAccount.Added, by credentials: NewCredentials) async -> Bool {
    let replaced = ReplacedSession(context.engine)
    let notice = await replaced.revoke(added, replacedBy: credentials, asked: endsFormer)
    if let notice { context.report([notice]) }
    if let notice = await RemoveHardwareKey(context.engine).removeReplaced(added, by: credentials) {
      context.report([notice])
    }
    switch notice {
    case .replacedNotRevoked, .endedWithFormer: return true
    default: return false
    }
  }
}
