package import AcctModel
package import AcctPorts
import AcctProtocol
package import Release
import StrictJSON

/// Renews an account's credentials so that no race, crash or bad network loses them.
///
/// A refresh token is often valid for one use, a backend may accept a session once, and some servers end the session
/// when either is used twice. So only one process at a time renews an account; a process that waited for it uses its
/// result; the server's answer is stored before anything else happens; and only the server's own answer ends a
/// session.
package struct Renewal: Sendable {
  let context: EngineContext

  package init(_ context: EngineContext) { self.context = context }

  /// The result of a renewal, so that the keyring need not be read again.
  package struct Outcome: Sendable {
    @Boxed package var credentials: Credentials
    /// `true` if this process asked the server.
    package var wasDue: Bool

    /// The token, even if it expires soon.
    package func grant(at now: Timestamp) throws(EngineError) -> AccessGrant { try credentials.grant(at: now) }
  }

  /// Renews an account if its reason still applies under its lock.
  ///
  /// - Parameters:
  ///   - account: The account as this command knows it.
  ///   - reason: Decides whether the server is asked.
  /// - Returns: The credentials as they are then stored, whichever process has renewed them.
  /// - Throws: The reason why they could not be renewed; they are kept in every case.
  package func renew(_ account: Account, because reason: RenewalReason) async throws(EngineError) -> Outcome {
    guard account.kind == .oauth || account.kind == .session else { throw account.notRenewable }
    try context.requireLocalLocks()
    do throws(EngineError) {
      let outcome =
        account.kind == .oauth
        ? try await renewTokens(of: account, because: reason) : try await renewSession(of: account, because: reason)
      if outcome.wasDue { await RenewalCounts.count(isFailure: false, in: context.world) }
      return outcome
    } catch {
      await RenewalCounts.count(isFailure: true, in: context.world)
      throw error
    }
  }

  /// Has the account's backend renew its session.
  private func renewSession(
    of account: Account,
    because reason: RenewalReason
  ) async throws(EngineError) -> Outcome {
    guard let backends = context.backends else { throw account.notRenewable }
    let renewed = try await backends.renew(account, because: reason, context)
    return Outcome(
      credentials: Credentials(account: renewed.account, token: renewed.token),
      wasDue: renewed.wasDue
    )
  }
}

extension Renewal {
  /// The form of a renewal: the refresh token, or the same request as at first.
  func form(for credentials: Credentials, _ client: ServerClient, _ server: AuthorizationServer) -> GrantForm {
    let account = credentials.account
    guard let refreshToken = credentials.refreshToken, !account.client.grant.renewsItself else {
      return GrantForm(direct: account.scope, account.resources, of: server, by: client)
    }
    return GrantForm(RefreshRequest.form(refreshToken, clientID: client.formID, resource: account.resources.first))
  }
}

extension Credentials {
  /// `true` if they include everything that a renewal needs.
  var canBeRenewed: Bool {
    guard account.tokenType != .dpop || key != nil else { return false }
    return account.client.grant.renewsItself || refreshToken != nil
  }
}

extension ServerClient {
  /// The client of an account.
  ///
  /// - Throws: ``SignInError/clientSecretMissing(account:)`` if the keyring lacks the secret or key of its method.
  convenience init(_ credentials: Credentials, at server: AuthorizationServer) throws(EngineError) {
    self.init(
      id: credentials.account.identity.clientID,
      credentials.account.client,
      secret: credentials.clientSecret,
      key: credentials.clientKey,
      certificate: credentials.certificate,
      tokens: credentials.inputTokens,
      at: server
    )
    guard isComplete else { throw .signIn(.clientSecretMissing(account: credentials.account.name)) }
  }
}

/// The limit of a token endpoint, which every command obeys until it has passed.
extension Renewal {
  /// Seconds after which a server that named a later time is asked all the same: such a time is a mistake.
  private static let longest: Int64 = 86_400

  /// Rejects a renewal before the time that the server named in its last 429.
  ///
  /// - Parameters:
  ///   - account: The account.
  ///   - now: The time. A limit that was noted later than that is from a clock that was ahead.
  /// - Throws: ``ServerError/rateLimited(retryAfter:_:)``.
  func requireNoLimit(of account: Account, at now: Timestamp) throws(EngineError) {
    for limit in LimitsLedger(context.world).limits(of: account.id)
    where limit.extent == .renewals && (0..<Self.longest).contains(now.seconds(since: limit.observedAt)) {
      let seconds = limit.usableAgainAt?.seconds(since: now) ?? 0
      guard seconds > 0 else { continue }
      let wait: RetryAfter = limit.retryAfterSeconds == nil ? .reset(seconds) : .seconds(seconds)
      throw .server(.rateLimited(retryAfter: wait, limit.origin))
    }
  }

  /// Notes when a token endpoint that answered with 429 accepts the next renewal, if it says so.
  ///
  /// - Parameters:
  ///   - fields: The fields of the response; none if it was another one.
  ///   - origin: The endpoint's.
  ///   - id: The account.
  /// - Returns: When that is; `nil` if it does not say so.
  func noteLimit(
    _ fields: [(name: String, value: String)],
    of origin: Origin,
    for id: AccountID
  ) async -> RetryAfter? {
    guard !fields.isEmpty else { return nil }
    let now = context.world.clock.now()
    let serverTime = fields.only("Date").flatMap { HTTPDate.parse($0) } ?? now
    guard let wait = LimitVerdict(status: 429, fields, of: origin, at: serverTime).retryAfter else { return nil }
    let seconds = wait.seconds(from: serverTime)
    let isReset = wait == .reset(seconds)
    let limit = RateLimit(
      origin: origin,
      extent: .renewals,
      name: RateLimit.Extent.renewals.rawValue,
      resetsAt: isReset ? now.adding(seconds: seconds) : nil,
      retryAfterSeconds: isReset ? nil : seconds,
      observedAt: now
    )
    await LimitsLedger(context.world).learn([limit], of: origin, for: id)
    return wait
  }
}

extension RenewalReason {
  /// Decides whether a server must be asked.
  ///
  /// - Parameters:
  ///   - current: The credentials that are stored now that the account is locked: another process may have renewed
  ///     them while this one waited for the lock.
  ///   - known: The account as this command knows it.
  ///   - now: The time.
  /// - Returns: `true` if the server must be asked; otherwise the stored credentials are current.
  package func applies(to current: Credentials, since known: Account, at now: Timestamp) -> Bool {
    let account = current.account
    let isSession = account.kind == .session
    guard !isSession || account.validatedAt == known.validatedAt else { return false }
    switch self {
    case .forced where isSession, .checked where isSession: return true
    case .forced: return account.tokenLifetime.expiresAt == known.tokenLifetime.expiresAt
    case .refused(let token) where isSession: return current.token == token
    case .idToken(let minimum):
      guard account.validatedAt == known.validatedAt else { return false }
      return current.idToken?.state(at: now, leaving: minimum) != .valid
    case .due, .refused, .checked: return applies(to: current.token, account.tokenLifetime, at: now)
    }
  }

  /// `true` if the server must be asked, by a token and its end alone.
  func applies(to token: Token?, _ lifetime: TokenLifetime, at now: Timestamp) -> Bool {
    switch self {
    case .due, .checked: isDue(lifetime, at: now)
    case .refused(let refused): token == refused || isDue(lifetime, at: now)
    case .forced: true
    case .idToken: false
    }
  }

  /// `true` if the server is asked although it has ended the session.
  var insists: Bool { if case .forced = self { true } else { false } }

  /// The reason as it is told.
  package func cause(_ token: Token?, _ lifetime: TokenLifetime, at now: Timestamp) -> Decision.Cause {
    switch self {
    case .refused(let refused) where token == refused: .rejected
    case .forced: .forced
    case .checked: .checked
    case .idToken: .idToken
    case .due, .refused: .due(secondsLeft: lifetime.secondsLeft(at: now))
    }
  }

  /// Returns `true` if a session that its backend has just confirmed must be extended.
  package func extends(_ account: Account, at now: Timestamp) -> Bool {
    switch self {
    case .forced: true
    case .due, .refused, .checked, .idToken: isDue(account.tokenLifetime, at: now)
    }
  }

  private func isDue(_ lifetime: TokenLifetime, at now: Timestamp) -> Bool {
    var minimum: Int64?
    if case .due(let leaving) = self { minimum = leaving }
    return lifetime.state(at: now, leaving: minimum) != .valid
  }
}

extension Renewal {
  /// The account's server, as its metadata describes it.
  ///
  /// Where no metadata can be read, a renewal goes on with the token endpoint of the metadata from before, and waits no
  /// longer than 10 seconds for each document. What has to be found anew each time, such as the server that a DID leads
  /// to, is found first.
  ///
  /// - Parameter account: Gets the token endpoint, for the next time.
  /// - Returns: The server.
  /// - Throws: The reason why there is no metadata, if the account knows no token endpoint; metadata of another issuer.
  func server(of account: inout Account) async throws(EngineError) -> AuthorizationServer {
    var naming = account.naming
    if account.issuerSource == .did { naming = try await IdentityCheck(context).check(&account) }
    let discovering = account.signIn?.tokenEndpoint == nil ? context : context.waiting(atMost: 10)
    do throws(EngineError) {
      let server = try await Discovery(discovering).server(of: account, named: naming)
      account.signIn?.tokenEndpoint = SignInSettings(knowing: server).tokenEndpoint
      return server
    } catch {
      guard let issuer = account.identity.issuer,
        let server = AuthorizationServer(
          account.client.endpoints,
          of: issuer,
          tokenEndpoint: account.signIn?.tokenEndpoint.flatMap { try? HTTPURL($0) },
          named: naming.document(at: issuer.url.origin)
        ), error.isWantOfMetadata(besides: server.tokenEndpoint)
      else { throw error }
      let endpoint = server.tokenEndpoint
      if !server.isGiven(endpoint) { try server.naming.checkedReach(to: endpoint.origin) }
      context.tell(.renewWithoutMetadata(account.name, at: endpoint.origin, because: error))
      return server
    }
  }
}

extension EngineError {
  /// `true` if it says nothing about a server but that its metadata can't be read now.
  ///
  /// A server that can't be reached has no answer at a token endpoint of the same origin either.
  fileprivate func isWantOfMetadata(besides tokenEndpoint: HTTPURL) -> Bool {
    if case .server(let error) = self {
      switch error {
      case .failed, .rateLimited, .oauth(.noMetadata, _), .oauth(.metadata(.notJSON), _): return true
      case .oauth, .resource, .otherUser, .renewalFailed, .signInFailed, .renewalUnread: return false
      }
    }
    guard case .network(.http(let failure, let origin)) = self else { return false }
    switch failure {
    case .timedOut, .closed, .malformed, .tooLarge: return true
    case .unresolved, .unreachable: return origin != tokenEndpoint.origin
    case .untrusted, .cancelled, .unsendable, .source, .inside, .withheld, .proxy, .device: return false
    }
  }
}

// The effects of a failed renewal that the server may have carried out all the same.

extension TokenOutcome {
  /// `true` if the server may reject the request's parameters, and not the client or the session.
  ///
  /// Servers have their own codes for a scope or an audience that they do not know, and some have none. Any other
  /// status without a code is not about the parameters: 401 is the client's, and the rest may be a gateway's.
  var rejectsRequest: Bool {
    switch self {
    case .unanswered(.failed(.refused(let code, _, _))): code != "invalid_client"
    case .unanswered(.failed(.unexplained(let status))): status == 400 || status == 403
    case .ended(let code, _, _): code != SessionEnds.standard
    case .unanswered(.failed), .unanswered(.limited), .unanswered(.serverFailed), .granted, .unusable: false
    }
  }

  /// `true` if the server refuses the scope of the request.
  var rejectsScope: Bool {
    if case .unanswered(.failed(.refused(RefusedPart.scope.rawValue, _, _))) = self { true } else { false }
  }

  /// `true` if the server may have used up the refresh token although it sent no tokens.
  var mayHaveSpentTheToken: Bool {
    switch self {
    case .unanswered(.serverFailed), .unanswered(.failed(.notJSON)),
      .unanswered(.failed(.malformedAnswer)), .unanswered(.failed(.tokenType)), .unusable,
      // The server gave up waiting, or so says a proxy for it.
      .unanswered(.failed(.unexplained(status: 408))), .unanswered(.failed(.refused(_, _, 408))):
      true
    case .unanswered(.failed), .unanswered(.limited), .granted, .ended: false
    }
  }
}

extension EngineError {
  /// Returns the error for a renewal, which the server may have granted although there is no answer, or before it
  /// failed.
  ///
  /// - Parameter isInDoubt: `true` if an earlier one may have been granted, too: no answer to it was ever stored.
  /// - Returns: The error of a renewal whose result is unknown, or this error.
  package func ofRenewal(inDoubt isInDoubt: Bool) -> EngineError {
    switch self {
    // It was never sent, and is sent again: an earlier one that was in doubt still is.
    case .network(.http(.withheld, _)): self
    case .network(.http(let failure, let origin)) where isInDoubt || mayHaveReachedTheServer:
      .network(.renewalUnanswered(failure, origin))
    case .server(.failed(let status, let retryAfter, let origin)):
      .server(.renewalFailed(status: status, retryAfter: retryAfter, origin))
    case .selection, .authorization, .input, .inputToken, .keyring, .key, .network, .server, .signIn,
      .atproto, .provider, .transfer, .told, .files, .cancelled:
      self
    }
  }

  /// `true` if the server may have received a request although no answer came.
  package var mayHaveReachedTheServer: Bool {
    // A proof or an assertion that can't be made belongs to a request that was not sent.
    if case .key = self { return false }
    guard case .network(.http(let failure, _)) = self else { return true }
    return failure.wasSent
  }
}

/// The renewals that this machine has made and failed to make, in a file of its own.
///
/// It is written where a renewal ends, and by nothing else. A count that can't be written is lost: no renewal fails or
/// waits for it.
package struct RenewalCounts: Equatable, Sendable {
  package private(set) var renewals: Int64 = 0
  package private(set) var failures: Int64 = 0

  /// Reads the counts; zeros without a file, or with one that is of no use.
  package init(_ world: World) {
    do throws(FilesFailure) { try self.init(reading: world.files) } catch { self.init() }
  }

  private init() {}

  /// - Throws: ``FilesFailure``, also for a file of a later version of acct.
  private init(reading files: Files) throws(FilesFailure) {
    guard let file = try files.members(of: .renewals), let renewals = file["renewals"]?.numberValue?.integer,
      let failures = file["failures"]?.numberValue?.integer,
      (0..<Self.limit).contains(renewals), (0..<Self.limit).contains(failures)
    else { return }
    (self.renewals, self.failures) = (renewals, failures)
  }

  /// The numbers that a JSON reader keeps exactly (RFC 7493, section 2.2).
  private static let limit: Int64 = 1 << 53

  /// Counts the end of a renewal.
  ///
  /// A count that can't be stored is lost: the tokens that the renewal brought are worth more.
  static func count(isFailure: Bool, in world: World) async {
    do throws(FilesFailure) {
      let held = try await world.files.lock(.renewals, 2)
      defer { held.release() }
      var counts = try RenewalCounts(reading: world.files)
      if isFailure { counts.failures += 1 } else { counts.renewals += 1 }
      let file: JSON = ["version": 1, "renewals": JSON(counts.renewals), "failures": JSON(counts.failures)]
      try world.files.replace(.renewals, file.serialized())
    } catch {}
  }
}
