package import AcctModel
import Secrets
import AcctPorts
import AcctProtocol
import Release

/// Renewal of tokens at their authorization server (RFC 6749, section 6).
extension Renewal {
  func renewTokens(of account: Account, because reason: RenewalReason) async throws(EngineError) -> Outcome {
    try await renewing(account) { (current, credentialStore) throws(EngineError) in
      try current.requireNotEnded(at: context.world.clock.now(), insisting: reason.insists)
      var credentials = try await credentialStore.readForRenewal()
      let now = context.world.clock.now()
      guard reason.applies(to: credentials, since: account, at: now) else {
        context.tell(.renewedElsewhere(current.name, nil))
        return Outcome(credentials: credentials, wasDue: false)
      }
      try requireNoLimit(of: current, at: now)
      context.tell(.renew(current.name, nil, reason.cause(credentials.token, current.tokenLifetime, at: now)))
      guard credentials.canBeRenewed else { throw .signIn(.required(account: current.name, .expired)) }

      credentials.inputTokens = try await inputTokens(of: credentials.account)
      let server = try await server(of: &credentials.account)
      // A rotated token that can't be stored is a lost session, so this is checked before anything is sent.
      try await credentialStore.prepare()
      let due = credentials
      return try await uncancelled { () throws(EngineError) in
        let renewed = try await renew(due, at: server, credentialStore)
        return Outcome(credentials: renewed, wasDue: true)
      }
    }
  }

  /// Runs `body` with an account's credentials, which it may use up, and repeats it from the reading on if another
  /// machine that shares the keyring was faster.
  package func renewing<Value>(
    _ account: Account,
    _ body: (Account, CredentialStore) async throws(EngineError) -> Value
  ) async throws(EngineError) -> Value {
    do throws(EngineError) {
      return try await context.unlessChanged { () throws(EngineError) -> Value in
        try await context.withExclusiveAccess(to: account, body)
      }
    } catch {
      await context.dropClient(refusedBy: error)
      throw error
    }
  }

  /// The tokens of other issuers that the account's requests start from, read anew.
  func inputTokens(of account: Account) async throws(EngineError) -> ReadTokens {
    try await GrantToken(context).read(account.client, of: account.identity.issuer, for: account.id)
  }

  /// Renews the account's own token.
  ///
  /// Once the refresh token has obtained other tokens, the account's own grant is requested by name. A server that
  /// rejects that has used up nothing, and gets the plain request.
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
      (response, asked, account) in
      let items = items(of: response, from: asked, for: &account)
      // A server that keeps the scope of a second token may have narrowed the account's, or replaced it by that.
      let own = credentials.account.ownGrant
      let notices = notices(response, lacking: own?.scope, own?.audiences ?? [], &account)
      let renewed = Credentials(
        account: account,
        token: response.accessToken,
        refreshToken: account.client.grant.renewsItself
          ? nil : response.refreshToken ?? credentials.refreshToken,
        key: credentials.key,
        certificate: credentials.certificate,
        idToken: response.newIDToken(for: account) ?? credentials.idToken,
        notices: notices
      )
      return (items, renewed)
    }
  }

  /// Requests tokens with a refresh token.
  ///
  /// From the note that a renewal is in flight to the last write, nothing may interrupt; acct waits for other machines
  /// before that.
  ///
  /// - Parameters:
  ///   - forms: The requests; each is sent only if the server rejects the parameters of the one before.
  ///   - credentials: The credentials with the refresh token.
  ///   - client: The account's client.
  ///   - server: The server.
  ///   - credentialStore: The store for the result.
  ///   - purpose: The purpose of the tokens, if it differs from the account's own; a rejection then does not concern
  ///     the account.
  ///   - replaced: The account's own parameters of token requests that the forms have with another value.
  ///   - keep: Returns the items to store from the server's grant, with the changed account. The tokens begin when they
  ///     were asked for: an answer may be on its way for as long as this machine sleeps.
  /// - Returns: The value that `keep` returned.
  /// - Throws: The reason why there are no tokens; the account's credentials are kept.
  func ask<Value>(
    _ forms: [GrantForm],
    _ credentials: Credentials,
    by client: ServerClient,
    at server: AuthorizationServer,
    in credentialStore: CredentialStore,
    for purpose: TokenPurpose? = nil,
    replacing replaced: Set<String> = [],
    keep: (TokenResponse, _ asked: Timestamp, inout Account) -> (items: [Keyring.Item], value: Value)
  ) async throws(EngineError) -> Value {
    var machine = RenewalStateMachine(
      credentials.account,
      forms,
      asking: RequestRefusal.Asked(credentials.account, for: purpose, by: client),
      at: server.tokenEndpoint.origin,
      since: context.world.clock.now(),
      redacting: { context.world.held.redactor.redact($0) }
    )
    machine.idToken = credentials.idToken
    if machine.account.mayHaveIDToken {
      machine.clockOffset = context.client.hint(for: server.tokenEndpoint.origin).clockOffset
    }
    let mayBeSent = try await credentialStore.claim(machine.account)
    let held = context.world.signals.holdBack()
    defer { held.release() }
    try context.accountStore.save(machine.account)

    let endpoint = TokenEndpoint(of: server, by: client, context.client)
    var answer: TokenEndpoint.Answer?
    var asked = context.world.clock.now()
    // The last answer's nonce is kept after its tokens.
    defer { answer?.learn() }
    var step = machine.begin()
    while true {
      switch step {
      case .send(let form):
        if let earlier = answer.take() {
          context.tell(.requestWithoutName(machine.account.name, purpose))
          // Needed by this request's proof.
          earlier.learn()
        }
        asked = context.world.clock.now()
        do throws(EngineError) {
          let next = try await endpoint.ask(form, replacing: replaced, key: credentials.key, mayBeSent: mayBeSent)
          answer = next
          var outcome = next.outcome
          let wait = await noteLimit(next.limiting, of: server.tokenEndpoint.origin, for: machine.account.id)
          if case .unanswered(.limited(retryAfter: nil)) = outcome { outcome = .unanswered(.limited(retryAfter: wait)) }
          machine.account.client.assertionAudience = client.rememberedAudience
          step = machine.take(outcome, at: context.world.clock.now())
        } catch {
          step = machine.take(error)
        }
      case .store(let response):
        var account = machine.account
        let (items, value) = keep(response, asked, &account)
        try await KeyringRetry(context).store(items, with: account, in: credentialStore)
        return value
      case .storeRefreshToken(let token, let error):
        let items = token.map { [Keyring.Item($0)] }
        try await KeyringRetry(context).store(items ?? [], with: machine.account, in: credentialStore)
        throw error
      case .fail(let error):
        context.noteRejection(of: &machine.account, since: credentials.account.recordedState)
        try credentialStore.save(machine.account)
        throw error
      }
    }
  }

  /// The items to store of a grant: the refresh token first, since all others can be obtained again with it; then the
  /// access token, then the time; then, with the account, the note is removed.
  private func items(of response: TokenResponse, from asked: Timestamp, for account: inout Account) -> [Keyring.Item] {
    account.tokenLifetime = response.tokenLifetime(from: asked, canRenew: true)
    var items: [Keyring.Item] = []
    let renewsItself = account.client.grant.renewsItself
    if let token = response.refreshToken, !renewsItself { items.append(.init(token)) }
    items.append(.init(.accessToken, response.accessToken))
    if let idToken = response.newIDToken(for: account) { items.append(.init(.idToken, idToken.token)) }
    if let expiresAt = account.tokenLifetime.expiresAt {
      items.append(.init(.expiresAt, Secret(expiresAt.description)))
    }
    if let scope = response.scope, !renewsItself { account.scope = scope }
    if !renewsItself {
      account.noteSessionEnd(response.sessionEnd(from: asked), isReplaced: response.refreshToken != nil)
    }
    if response.isCertificateBound == true { account.client.certificate?.isBound = true }
    account.noteRenewal()
    // The user asked in spite of the end, and the server has changed its mind.
    if account.recordedState.state == .reauthRequired { account.take(.replaced, at: context.world.clock.now()) }
    account.take(.confirmed, at: context.world.clock.now())
    context.note(.renewed, of: &account)
    return items
  }
}
