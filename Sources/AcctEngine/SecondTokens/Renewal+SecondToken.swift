package import AcctModel
import Secrets
import AcctPorts
import AcctProtocol
package import Release

/// Second tokens, requested with the account's refresh token under the account's lock.
extension Renewal {
  /// Requests a second token, unless another process has just done so.
  ///
  /// The account's own token, scope and expiry are unchanged. Its own grant is noted before the first such request, so
  /// that the account's own renewals can name it.
  ///
  /// - Parameters:
  ///   - purpose: The purpose of the token.
  ///   - account: The account as this command knows it.
  ///   - reason: Decides whether the server is asked.
  /// - Returns: The token as it is then stored.
  /// - Throws: The reason why there is none; the account's credentials are kept in every case.
  package func secondToken(
    for purpose: TokenPurpose,
    of account: Account,
    because reason: RenewalReason
  ) async throws(EngineError) -> AccessGrant {
    do throws(EngineError) {
      return try await requestSecondToken(for: purpose, of: account, because: reason)
    } catch .signIn(.requestRefused(let refusal)) where refusal.endCode != nil {
      // It is refused as if the session had ended. If the account's own token is due, its renewal is next anyway, and
      // shows whether that is so; a token that is still valid is not spent on the question.
      do throws(EngineError) { _ = try await renew(account, because: .due(leaving: nil)) } catch .signIn(
        .required(let name, let end)
      ) {
        throw .signIn(.required(account: name, end))
      } catch {
        // The first failure is the one to report.
      }
      throw .signIn(.requestRefused(refusal))
    }
  }

  private func requestSecondToken(
    for purpose: TokenPurpose,
    of account: Account,
    because reason: RenewalReason
  ) async throws(EngineError) -> AccessGrant {
    try await renewing(account) {
      (current, credentialStore) throws(EngineError) in
      try current.requireNotEnded(at: context.world.clock.now())
      var credentials = try await credentialStore.readForRenewal()
      let tokens = try await credentialStore.secondTokens()
      let key = current.tokenType == .dpop ? credentials.key : nil
      let now = context.world.clock.now()
      let stored = tokens[purpose]
      if let stored, !reason.applies(to: stored.token, stored.lifetime, at: now),
        current.tokenType != .dpop || key != nil
      {
        context.tell(.renewedElsewhere(current.name, purpose))
        return AccessGrant(stored, of: account, boundTo: key)
      }
      guard let refreshToken = credentials.refreshToken, current.tokenType != .dpop || key != nil
      else { throw .signIn(.required(account: current.name, .expired)) }
      try requireNoLimit(of: current, at: now)
      let cause: Decision.Cause = stored.map { reason.cause($0.token, $0.lifetime, at: now) } ?? .due(secondsLeft: nil)
      context.tell(.renew(current.name, purpose, cause))
      try context.requireLocalLocks()
      credentials.inputTokens = try await inputTokens(of: credentials.account)
      let server = try await server(of: &credentials.account)
      try await credentialStore.prepare()
      if credentials.account.ownGrant == nil { credentials.account.ownGrant = OwnGrant(of: credentials) }
      let due = credentials
      return try await uncancelled { () throws(EngineError) in
        let client = try ServerClient(due, at: server)
        let forms = SecondTokenRequest.forms(for: purpose, refreshToken, of: due.account, clientID: client.formID)
        return try await ask(
          forms.map { form in GrantForm(form) },
          due,
          by: client,
          at: server,
          in: credentialStore,
          for: purpose,
          replacing: purpose.audience == nil ? [] : ["audience"]
        ) { response, asked, account in
          grant(response, from: asked, for: purpose, beside: tokens, &account, key)
        }
      }
    }
  }

  /// The items to store of a grant: a new refresh token first, since all others can be obtained again with it.
  private func grant(
    _ response: TokenResponse,
    from asked: Timestamp,
    for purpose: TokenPurpose,
    beside tokens: SecondTokens,
    _ account: inout Account,
    _ key: DPoPKey?
  ) -> (items: [Keyring.Item], value: AccessGrant) {
    let now = context.world.clock.now()
    let second = SecondToken(
      purpose: purpose,
      token: response.accessToken,
      lifetime: response.tokenLifetime(from: asked, canRenew: true),
      granted: response.scope
    )
    let isFirst = tokens[purpose] == nil
    var tokens = tokens
    tokens.put(second, at: now)
    var items: [Keyring.Item] = []
    if let token = response.refreshToken { items.append(.init(token)) }
    items.append(.init(.secondTokens, tokens.item))
    // The refresh token works, so the last refusal was no end.
    if account.recordedState.doubt != nil { account.noteRenewal() }
    account.take(.confirmed, at: now)
    var grant = AccessGrant(second, of: account, boundTo: key)
    grant.notices = notices(response, lacking: purpose.scopeText, purpose.audiences, &account)
    if isFirst, purpose.scope.isEmpty { grant.notices += account.lacking(in: tokens) }
    return (items, grant)
  }

  /// Notices about a token that is not quite the requested one.
  ///
  /// - Parameters:
  ///   - response: The server's response.
  ///   - scope: The requested scope, or that of the account's own token.
  ///   - audiences: The requested audiences, or those of the account's own token.
  ///   - account: Remembers that its scope is not known: that is told once.
  /// - Returns: A notice of scopes, one of audiences, or none.
  func notices(
    _ response: TokenResponse,
    lacking scope: String?,
    _ audiences: [String],
    _ account: inout Account
  ) -> [Notice] {
    var notices: [Notice] = []
    if response.blemishes.contains(.scopeUnknown) {
      if !account.marks.contains(.scopeUnknown) { notices.append(.scopeUnknown) }
      account.marks.insert(.scopeUnknown)
    } else {
      account.marks.remove(.scopeUnknown)
    }
    let missing = Scope.missing(of: scope, in: response)
    if !missing.isEmpty { notices.append(.scopeNotGranted(missing)) }
    if let granted = TokenAudience.audiences(of: response.accessToken), !audiences.allSatisfy(granted.contains) {
      notices.append(.audienceNotGranted(granted.map(context.world.held.redactor.redact)))
    }
    return notices
  }
}

extension Account {
  /// A notice of the words that the sign-in asked for and no resource's token has; none as long as an answer is not known
  /// that could have them.
  fileprivate func lacking(in tokens: SecondTokens) -> [Notice] {
    guard resources.count > 1, let own = ownGrant?.scope else { return [] }
    var granted = Scope.words(own)
    for resource in resources.dropFirst() {
      let purpose = try? TokenPurpose(audience: resource.description, scope: nil)
      guard let scope = purpose.flatMap({ tokens[$0] })?.granted else { return [] }
      granted += Scope.words(scope)
    }
    let missing = Scope.missing(of: signIn?.scope, among: granted).filter { !Scope.ofSignIn.contains($0) }
    return missing.isEmpty ? [] : [.scopeNotGranted(missing)]
  }
}

extension OwnGrant {
  /// The scope and audiences of an account's own token, as far as the account and the token state them.
  fileprivate init(of credentials: Credentials) {
    self.init(
      scope: credentials.account.scope ?? credentials.token.flatMap(TokenAudience.scope),
      audiences: credentials.token.flatMap(TokenAudience.audiences) ?? []
    )
  }
}
