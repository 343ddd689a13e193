import AcctModel
import AcctPorts
import AcctProtocol

/// Renews an account's tokens so that neither a race, a crash nor a bad network loses them.
///
/// A refresh token is often good for one use, and some servers end the session when it is used
/// twice. So only one process at a time renews an account; whoever waited for it takes its
/// result; what the server answers is written down before anything else happens; and only the
/// server's own `invalid_grant` ends a session.
struct Renewal: Sendable {
  private let context: EngineContext
  private let accountStore: AccountStore

  init(_ context: EngineContext) {
    self.context = context
    accountStore = AccountStore(context.world.files)
  }

  /// Makes sure that a token has enough time left, renewing it if need be.
  ///
  /// - Parameters:
  ///   - account: Whose token.
  ///   - isDue: Decides, for the account as it is now, whether it must be renewed.
  /// - Throws: Why it could not be renewed; the credentials are kept in every case.
  func renew(
    _ account: Account,
    ifDue isDue: (Account) -> Bool
  ) async throws(EngineError) {
    try await accountStore.exclusively(account.id) { () throws(EngineError) in
      // Another process may have renewed while this one waited for the lock.
      guard var current = try accountStore.account(account.id) else {
        throw .unknownAccount(
          reference: account.name.description,
          selectedBy: .option,
          candidates: []
        )
      }
      guard current.recordedState.state != .reauthRequired else {
        throw current.stateError(current.lastKnownState(at: context.world.clock.now()))
      }
      current = try await ReplaceCredentials(context).settled(current)
      let credentialStore = try CredentialStore(of: current, in: context)
      let contents = try await credentialStore.readForRenewal()
      if let expiresAt = contents.expiresAt { current.tokenLifetime.expiresAt = expiresAt }
      guard isDue(current) else { return }
      guard let refreshToken = contents.refreshToken,
        current.tokenType != .dpop || contents.key != nil
      else { throw .signInRequired(account: current.name, .expired) }

      let server = try await server(of: &current)
      // A rotated token that can't be stored is a lost session: see before anything is sent.
      try await credentialStore.prepare()
      let (due, key) = (current, contents.key)
      try await uncancelled { () throws(EngineError) in
        try await renew(due, refreshToken, key, at: server, credentialStore)
      }
    }
  }

  private func server(of account: inout Account) async throws(EngineError) -> AuthorizationServer {
    var naming = account.naming
    if account.issuerSource == .did {
      naming = try await IdentityCheck(context).check(&account)
    }
    guard let issuer = account.identity.issuer else {
      throw .issuerUnknown(account: account.name)
    }
    return try await Discovery(context).server(issuer, named: naming)
  }

  /// From the note that a renewal is in flight to the last write, nothing may interrupt.
  private func renew(
    _ account: Account,
    _ refreshToken: Token,
    _ key: DPoPKey?,
    at server: AuthorizationServer,
    _ credentialStore: CredentialStore
  ) async throws(EngineError) {
    let held = context.world.signals.holdBack()
    defer { held.release() }
    let wasInterrupted = account.renewalStartedAt != nil
    var account = account
    account.renewalStartedAt = context.world.clock.now()
    try accountStore.save(account)

    let endpoint = TokenEndpoint(of: server, context.client)
    let form = RefreshRequest.form(refreshToken, clientID: account.identity.clientID)
    let answer: TokenEndpoint.Answer
    do { answer = try await endpoint.ask(form, key: key) } catch {
      try settle(&account, wasSent: error.mayHaveReachedTheServer || wasInterrupted)
      throw error
    }
    defer { answer.learn() }
    switch answer.outcome {
    case .granted(let response):
      try await keep(response, &account, credentialStore)
    case .ended(let description):
      let reason = Self.reason(description, wasInterrupted: wasInterrupted)
      account.take(.ended, reason: reason, at: context.world.clock.now())
      try settle(&account, wasSent: false)
      throw .signInRequired(account: account.name, .ended(reason: reason))
    case .unanswered:
      try settle(&account, wasSent: answer.outcome.mayHaveSpentTheToken || wasInterrupted)
      throw EngineError(answer.outcome, server.tokenEndpoint.origin)
    }
  }

  /// Writes what the server granted: the refresh token first, since with it alone the rest can be
  /// had again; then the access token, then the time; then the note goes.
  private func keep(
    _ response: TokenResponse,
    _ account: inout Account,
    _ credentialStore: CredentialStore
  ) async throws(EngineError) {
    account.tokenLifetime = response.tokenLifetime(from: context.world.clock.now(), canRenew: true)
    var items: [Keyring.Item] = []
    if let token = response.refreshToken { items.append(.init(.refreshToken, token.secret)) }
    items.append(.init(.accessToken, response.accessToken.secret))
    if let expiresAt = account.tokenLifetime.expiresAt {
      items.append(.init(.expiresAt, Secret(expiresAt.description)))
    }
    try await KeyringRetry(context).write(items, to: credentialStore)
    if let scope = response.scope { account.scope = scope }
    account.take(.confirmed, at: context.world.clock.now())
    try settle(&account, wasSent: false)
  }

  /// Saves the account; the note stays where the refresh token may have been used up.
  private func settle(_ account: inout Account, wasSent: Bool) throws(EngineError) {
    if !wasSent { account.renewalStartedAt = nil }
    try accountStore.save(account)
  }

  private static func reason(_ description: String?, wasInterrupted: Bool) -> String {
    let words = description ?? "the refresh token is no longer valid"
    return wasInterrupted ? interrupted(because: words) : words
  }

  /// Why a session is over whose last renewal may have been the reason.
  static func interrupted(because words: String) -> String {
    "an earlier renewal was interrupted before its answer could be stored, and \(words)"
  }
}

extension TokenOutcome {
  /// Whether the server may have taken the refresh token although no tokens came of it.
  var mayHaveSpentTheToken: Bool {
    switch self {
    case .unanswered(.serverFailed), .unanswered(.failed(.notJSON)),
      .unanswered(.failed(.malformedAnswer)), .unanswered(.failed(.tokenType)):
      true
    case .unanswered(.failed), .unanswered(.limited), .granted, .ended: false
    }
  }
}

extension EngineError {
  /// Whether a request may have been taken although no answer came.
  var mayHaveReachedTheServer: Bool {
    switch self {
    case .http(.unresolved, _), .http(.unreachable, _), .http(.untrusted, _), .http(.proxy, _),
      .http(.unsendable, _), .http(.inside, _):
      false
    default: true
    }
  }
}
