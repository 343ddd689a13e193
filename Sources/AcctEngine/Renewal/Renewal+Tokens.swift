import AcctModel
import AcctPorts
import AcctProtocol

/// Tokens, renewed at their authorization server (RFC 6749, section 6).
extension Renewal {
  func renewTokens(of account: Account, because reason: Reason) async throws(EngineError) -> Outcome {
    try await renewing(account) { (current, credentialStore) throws(EngineError) in
      try current.requireNotEnded(at: context.world.clock.now())
      var credentials = try await credentialStore.readForRenewal()
      guard reason.applies(to: credentials, since: account, at: context.world.clock.now()) else {
        return Outcome(credentials: credentials, wasDue: false)
      }
      guard credentials.canBeRenewed else { throw .signIn(.required(account: current.name, .expired)) }

      let server = try await server(of: &credentials.account)
      // A rotated token that can't be stored is a lost session: see before anything is sent.
      try await credentialStore.prepare()
      let due = credentials
      return try await uncancelled { () throws(EngineError) in
        let renewed = try await renew(due, at: server, credentialStore)
        return Outcome(credentials: renewed, wasDue: true)
      }
    }
  }

  /// Does something with an account's credentials that may spend them, and again, from the reading on, where another
  /// machine that shares the keyring was faster.
  func renewing<Value>(
    _ account: Account,
    _ body: (Account, CredentialStore) async throws(EngineError) -> Value
  ) async throws(EngineError) -> Value {
    try await context.unlessChanged { () throws(EngineError) -> Value in
      try await context.withExclusiveAccess(to: account, body)
    }
  }

  func server(of account: inout Account) async throws(EngineError) -> AuthorizationServer {
    var naming = account.naming
    if account.issuerSource == .did { naming = try await IdentityCheck(context).check(&account) }
    return try await Discovery(context).server(of: account, named: naming)
  }

  /// Renews the account's own token.
  ///
  /// Once the refresh token has brought other tokens, what the account's own is for is requested by name. A server that
  /// rejects that has spent nothing, and is asked as before.
  private func renew(
    _ credentials: Credentials,
    at server: AuthorizationServer,
    _ credentialStore: CredentialStore
  ) async throws(EngineError) -> Credentials {
    let client = try ServerClient(credentials, at: server)
    var forms = [form(for: credentials, client, server)]
    if let grant = credentials.account.ownGrant, let refreshToken = credentials.refreshToken {
      let named = SecondTokenRequest.form(for: grant, refreshToken, of: credentials.account, clientID: client.formID)
      forms.insert(GrantForm(named), at: 0)
    }
    return try await ask(forms, credentials, by: client, at: server, in: credentialStore) {
      (response, account) in
      let items = items(of: response, for: &account)
      // A server that keeps what a second token was for may have narrowed the account, or turned it to that.
      let own = credentials.account.ownGrant
      let notices = notices(response, lacking: own?.scope, own?.audiences ?? [])
      let renewed = Credentials(
        account: account,
        token: response.accessToken,
        refreshToken: account.client.grant.renewsItself
          ? nil : response.refreshToken ?? credentials.refreshToken,
        key: credentials.key,
        notices: notices
      )
      return (items, renewed)
    }
  }

  /// Asks for tokens with a refresh token.
  ///
  /// From the note that a renewal is in flight to the last write, nothing may interrupt; another machine is waited for
  /// before that.
  ///
  /// - Parameters:
  ///   - forms: What to ask for; the next one only where the server rejects what the one before asks for.
  ///   - credentials: Whose refresh token it is.
  ///   - client: The account's client.
  ///   - server: The server.
  ///   - credentialStore: Takes what comes of it.
  ///   - purpose: What they ask for, where that is not the account's own token; a refusal of that is not the account's.
  ///   - replaced: The account's own parameters of token requests that the forms have in another way.
  ///   - keep: What is to be stored of the server's grant, with the account as it is then.
  /// - Returns: The value that `keep` returned.
  /// - Throws: Why there are no tokens; what the account has is kept.
  func ask<Value>(
    _ forms: [GrantForm],
    _ credentials: Credentials,
    by client: ServerClient,
    at server: AuthorizationServer,
    in credentialStore: CredentialStore,
    for purpose: TokenPurpose? = nil,
    replacing replaced: Set<String> = [],
    keep: (TokenResponse, inout Account) -> (items: [Keyring.Item], value: Value)
  ) async throws(EngineError) -> Value {
    var account = credentials.account
    let wasInterrupted = account.renewalStartedAt != nil
    account.renewalStartedAt = context.world.clock.now()
    let mayBeSent = try await credentialStore.claim(account)
    let held = context.world.signals.holdBack()
    defer { held.release() }
    try context.accountStore.save(account)

    let endpoint = TokenEndpoint(of: server, by: client, context.client)
    // A grant that is asked for anew uses nothing up: an answer that is lost loses nothing.
    let usesToken = !account.client.grant.renewsItself
    var outcome = TokenOutcome.unanswered(.failed(.malformedAnswer(member: "body")))
    var learn: () -> Void = {}
    // What was granted, whatever the type of its token.
    var granted: TokenResponse?
    for form in forms {
      let answer: TokenEndpoint.Answer
      do {
        answer = try await endpoint.ask(form, replacing: replaced, key: credentials.key, mayBeSent: mayBeSent)
      } catch {
        let isInDoubt = error.mayHaveReachedTheServer || wasInterrupted
        try settle(&account, wasSent: usesToken && isInDoubt, in: credentialStore)
        throw usesToken ? error.ofRenewal(inDoubt: wasInterrupted) : error
      }
      learn()
      if case .granted(let response) = answer.outcome { granted = response }
      (outcome, learn) = (answer.outcome.requiring(account.tokenType), answer.learn)
      guard outcome.rejectsRequest else { break }
    }
    defer { learn() }
    account.client.assertionAudience = client.rememberedAudience
    switch outcome {
    case .granted(let response):
      if let other = account.otherUser(in: response, showing: context.world.held.redactor.redact) {
        try end(&account, for: other, in: credentialStore)
        throw .server(.otherUser(other, server.tokenEndpoint.origin))
      }
      account.subjectStatements.idToken = response.idTokenSubject ?? account.subjectStatements.idToken
      account.renewalStartedAt = nil
      let (items, value) = keep(response, &account)
      try await KeyringRetry(context).store(items, with: account, in: credentialStore)
      return value
    case .ended where !usesToken:
      // It has no session that could end: the key, the clock or the client's registration is wrong.
      try settle(&account, wasSent: false, in: credentialStore)
      throw EngineError(outcome, server.tokenEndpoint.origin)
    case .ended(let description):
      let reason = Self.reason(description, wasInterrupted: wasInterrupted)
      account.take(.ended, reason: reason, at: context.world.clock.now())
      try settle(&account, wasSent: false, in: credentialStore)
      throw .signIn(.required(account: account.name, .ended(reason: reason)))
    case .unanswered where usesToken && granted != nil:
      // The token is of no use; the session goes on with the refresh token that came with it, if one did.
      account.renewalStartedAt = nil
      let items = granted?.refreshToken.map { [Keyring.Item(.refreshToken, $0.secret)] }
      try await KeyringRetry(context).store(items ?? [], with: account, in: credentialStore)
      throw EngineError(outcome, server.tokenEndpoint.origin)
    case .unanswered:
      let error = EngineError(outcome, server.tokenEndpoint.origin)
        .refusing(.init(credentials.account, for: purpose, by: client))
      if purpose == nil, case .signIn(.requestRefused(let refusal)) = error {
        account.noteRefusedRenewal(refusal.reason)
      }
      try settle(&account, wasSent: usesToken && (outcome.mayHaveSpentTheToken || wasInterrupted), in: credentialStore)
      throw usesToken ? error.ofRenewal(inDoubt: wasInterrupted) : error
    }
  }

  /// What is stored of a grant: the refresh token first, since with it alone the rest can be had again; then the access
  /// token, then the time; then, with the account, the note goes.
  private func items(of response: TokenResponse, for account: inout Account) -> [Keyring.Item] {
    account.tokenLifetime = response.tokenLifetime(from: context.world.clock.now(), canRenew: true)
    var items: [Keyring.Item] = []
    let renewsItself = account.client.grant.renewsItself
    if let token = response.refreshToken, !renewsItself { items.append(.init(.refreshToken, token.secret)) }
    items.append(.init(.accessToken, response.accessToken.secret))
    if let expiresAt = account.tokenLifetime.expiresAt {
      items.append(.init(.expiresAt, Secret(expiresAt.description)))
    }
    if let scope = response.scope, !renewsItself { account.scope = scope }
    account.noteRenewal()
    account.take(.confirmed, at: context.world.clock.now())
    return items
  }

  /// Ends an account's session whose renewal brought another user's tokens, of which none is stored.
  ///
  /// The refresh token is used up, and the access token from before is still the user's own.
  private func end(
    _ account: inout Account,
    for other: OtherUser,
    in credentialStore: CredentialStore
  ) throws(EngineError) {
    account.take(.otherUser, reason: other.reason, at: context.world.clock.now())
    try settle(&account, wasSent: false, in: credentialStore)
  }

  /// Saves the account; the note stays where the refresh token may have been used up.
  private func settle(
    _ account: inout Account,
    wasSent: Bool,
    in credentialStore: CredentialStore
  ) throws(EngineError) {
    if !wasSent { account.renewalStartedAt = nil }
    try credentialStore.save(account)
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
