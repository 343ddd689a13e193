package import AcctEngine
package import AcctModel
import AcctPorts
package import AcctProtocol
package import Release
package import Secrets
package import StrictJSON

/// Begins a guest session at a backend, or a new one in place of one that has expired.
///
/// Each backend has one, and another for each name that the user gives: their limits belong to this machine's identifier,
/// so a second guest has no quota of its own.
package struct AddGuest: Sendable {
  private let context: EngineContext
  private let adding: AddAccount
  private let client: DPoPClient

  package init(_ context: EngineContext) {
    self.context = context
    adding = AddAccount(context)
    client = context.client
  }

  /// Requests a guest session, and stores it.
  ///
  /// - Parameters:
  ///   - service: The backend's URL, as the user typed it.
  ///   - options: The user's options.
  /// - Returns: The account, and whether it was there before.
  /// - Throws: ``EngineError``; the previous session is then still stored.
  package func add(at service: String, _ options: AddAccount.Options) async throws(EngineError) -> AddAccount.Added {
    let service = try parsed { () throws(ParseError) in try Origin(service) }
    // A keyring that can't store the token is detected before one of the few tokens is requested.
    let keyring = try await adding.prepare()
    guard keyring.accounts == nil else { throw .keyring(.guestNotShared(keyring.kind)) }
    let known = try context.accountStore.listing().accounts.first { account in
      account.isGuest(of: service) && (options.name == nil || account.name == options.name)
    }
    let response = try await ask(service)
    let ledger = LimitsLedger(context.world)
    if let known { await ledger.learn(from: response.fields, of: service, for: known.id) }
    let grant = try grant(response, service)
    let added = try await adding.add(credentials(grant, service, known), options)
    await ledger.learn(from: response.fields, of: service, for: added.account.id)
    return added
  }

  /// Requests a new session for a guest, in the keyring that has the guest's token.
  ///
  /// - Parameter account: The guest.
  /// - Returns: The account.
  /// - Throws: ``EngineError``; the previous session is then still stored.
  package func renew(_ account: Account) async throws(EngineError) -> AddAccount.Added {
    guard let service = account.backend else { throw .signIn(.noWay(account: account.name)) }
    try await adding.prepare(for: account)
    let response = try await ask(service)
    await LimitsLedger(context.world).learn(from: response.fields, of: service, for: account.id)
    return try await adding.renew(account, with: credentials(grant(response, service), service, account))
  }

  private func ask(_ service: Origin) async throws(EngineError) -> HTTPResponse {
    let deviceID = try await DeviceID(context.world).field()
    let url = try service.url("/api/auth/guest")
    return try await client.send(
      HTTPRequest(
        method: "POST",
        url: url,
        fields: [("Accept", "application/json"), ("Content-Type", "application/json")],
        body: Array("{}".utf8),
        releasing: Permit(backTo: url).release(body: nil, beside: deviceID),
        timeout: client.timeout
      )
    )
  }

  private func grant(_ response: HTTPResponse, _ service: Origin) throws(EngineError) -> GuestGrant {
    switch response.status {
    case 200..<300:
      let redactor = context.world.held.redactor
      guard let answer = ServerAnswer(response, redacting: redactor).grant else {
        throw .guest(.malformed(member: response.json == nil ? nil : "guestToken", service))
      }
      do {
        let grant = try GuestGrant(answer, receivedAt: context.world.clock.now(), redacting: redactor)
        client.tell(of: grant.blemishes, in: service)
        return grant
      } catch {
        throw .guest(.malformed(member: error.member, service))
      }
    case 300..<400, 500...: throw .noAnswer(response, service, context.world.held)
    default:
      let limits = RateLimitFields.limits(from: response.fields, of: service, at: context.world.clock.now())
      throw .guest(
        GuestError(
          status: response.status,
          BackendFault(response.json, redacting: context.world.held.redactor),
          limits,
          service
        )
      )
    }
  }

  private func credentials(
    _ grant: GuestGrant,
    _ service: Origin,
    _ known: Account?
  ) throws(EngineError) -> NewCredentials {
    let issuer = try parsed { () throws(ParseError) in try Issuer(service.description) }
    // No other guest has it; once stored, it identifies this guest from now on.
    let subject = grant.subject ?? known?.identity.subject ?? context.world.entropy.accountID().description
    var credentials = NewCredentials(
      .guest,
      grant.token,
      as: .guest,
      of: Identity(subject: subject, issuer: issuer, clientID: nil),
      from: service,
      until: grant.tokenLifetime
    )
    credentials.issuerSource = .given
    credentials.validatedAt = context.world.clock.now()
    credentials.limitations = grant.limitations
    return credentials
  }
}

/// This machine's identifier: a UUID, made once and kept, for guest sessions alone.
struct DeviceID: Sendable {
  private let world: World

  init(_ world: World) { self.world = world }

  /// The header line with the identifier.
  ///
  /// - Returns: `X-Device-ID` and the identifier.
  /// - Throws: ``FilesError/failed(_:)``, ``GuestError/damagedDeviceID``.
  func field() async throws(EngineError) -> HeaderField { HeaderField("X-Device-ID", Secret(try await value())) }

  /// Returns the identifier, which is created if there is none.
  private func value() async throws(EngineError) -> String {
    if let known = try read() { return known }
    return try await world.files.withLock(.deviceID, waiting: 30, failure: { .files(.failed($0)) }) {
      () throws(EngineError) in
      // Another process may have made it while this one waited for the lock.
      if let known = try read() { return known }
      let made = world.entropy.accountID().description
      do throws(FilesFailure) { try world.files.replace(.deviceID, Array("\(made)\n".utf8)) } catch {
        throw .files(.failed(error))
      }
      return made
    }
  }

  /// Reads the file, and rejects other contents: to every backend a new identifier would be another machine.
  private func read() throws(EngineError) -> String? {
    let bytes: [UInt8]?
    do { bytes = try world.files.read(.deviceID) } catch { throw .files(.failed(error)) }
    guard let bytes else { return nil }
    let text = String(decoding: bytes, as: UTF8.self)
    guard let id = try? AccountID(text.last == "\n" ? String(text.dropLast()) : text) else {
      throw .guest(.damagedDeviceID)
    }
    return id.description
  }
}

/// A guest session as a backend grants it: `{"guestToken", "expiresIn", "limitations"}`.
package struct GuestGrant: Sendable {
  package let token: Token
  /// The token's `sub`, if it has one.
  package let subject: String?
  package let tokenLifetime: TokenLifetime
  package let limitations: GuestLimitations?

  /// The member that is missing or malformed.
  package struct Flaw: Error, Equatable, Sendable {
    package let member: String
  }

  /// The flaws of the answer that cost nothing of the grant.
  package let blemishes: [Blemish]

  /// Reads a grant.
  ///
  /// The earlier of the token's own `exp` and `expiresIn` is its end; without either that is not known: it is valid
  /// until the backend rejects it.
  ///
  /// - Parameters:
  ///   - json: The backend's answer.
  ///   - now: The time from which `expiresIn` counts.
  ///   - redactor: Takes secrets out of the names of features.
  /// - Throws: ``Flaw``.
  package init(_ json: JSON, receivedAt now: Timestamp, redacting redactor: Redactor) throws(Flaw) {
    guard let object = json.objectValue else { throw Flaw(member: "guestToken") }
    try self.init(GrantMembers(object), receivedAt: now, redacting: redactor)
  }

  /// Reads a grant; see ``init(_:receivedAt:redacting:)-(JSON,_,_)``.
  package init(_ answer: GrantMembers, receivedAt now: Timestamp, redacting redactor: Redactor) throws(Flaw) {
    var answer = answer
    guard let token = answer.token("guestToken") else { throw Flaw(member: "guestToken") }
    self.token = token
    let claims = TokenClaims(of: token)
    subject = claims.subject.flatMap { $0.isEmpty ? nil : $0 }
    tokenLifetime = TokenLifetime(
      granted: answer.seconds("expiresIn"),
      until: claims.expiry,
      by: answer.serverTime,
      at: now,
      canRenew: false
    )
    limitations = answer.object["limitations"]?.objectValue.map(GuestLimitations.init)?.redacted(by: redactor)
    blemishes = answer.blemishes
  }
}

extension GuestLimitations {
  fileprivate func redacted(by redactor: Redactor) -> GuestLimitations {
    var limitations = self
    limitations.featuresDisabled = featuresDisabled.map(redactor.redact)
    return limitations
  }
}

/// A backend's error: `{"error": {"code", "message"}}`.
package struct BackendFault: Equatable, Sendable {
  package let code: String?
  package let message: String?

  /// Reads a body; also `{"error": "words"}` and `{"message": "words"}`, which are seen.
  ///
  /// - Parameters:
  ///   - json: The body, if it is JSON at all.
  ///   - redactor: Takes secrets out of the message.
  package init(_ json: JSON?, redacting redactor: Redactor) {
    let object = json?.objectValue
    let error = object?["error"]
    let message =
      error?.objectValue?["message"]?.stringValue ?? error?.stringValue
      ?? object?["message"]?.stringValue
    code = (error?.objectValue?["code"]?.stringValue).map(redactor.redact)
    // It goes into one line on a terminal.
    self.message = message.map { String(redactor.redact($0).prefix(300)) }
  }

  /// `true` if a 400 says that the request lacked `X-Device-ID`.
  package var namesDeviceID: Bool { message?.lowercased().contains("x-device-id") ?? false }
}

/// Discards a guest's token that has expired, or that its server rejected.
///
/// The token has no further use: it can't be renewed, and a new one does not bring new limits. The
/// account stays, so that `add --guest` of the same backend renews it.
struct GuestTokenEnd: Sendable {
  private let context: EngineContext

  init(_ context: EngineContext) { self.context = context }

  /// Records that the server answered 401 to a guest's token.
  ///
  /// - Parameter account: The account as it was when the request was made.
  /// - Returns: The error to report; `nil` if another token has replaced it meanwhile.
  /// - Throws: ``EngineError``; the token may then still be there.
  func refused(_ account: Account) async throws(EngineError) -> EngineError? {
    let reason = StateReason.rejected.text
    guard try await discard(account, reason) else { return nil }
    return account.stateError(Assessment(.expired, reason: reason, .discard))
  }

  /// Handles an answer by a guest's backend, and throws the failures that only a guest can have.
  func meet(_ response: inout StreamedResponse, from origin: Origin, for account: Account) async throws(EngineError) {
    switch response.head.status {
    case 401: if let end = try await refused(account) { throw end }
    case 400:
      guard await response.fault(redacting: context.world.held.redactor).namesDeviceID else { return }
      throw .guest(.requestLacksDeviceID(origin))
    default: return
    }
  }

  /// Discards a token that has expired.
  func past(_ account: Account) async throws(EngineError) {
    _ = try await discard(account, StateReason.lifetimeEnded.text)
  }

  /// Discards the token; it is deleted first, so that nothing is left that could be sent if the rest fails.
  private func discard(_ account: Account, _ reason: String) async throws(EngineError) -> Bool {
    guard account.kind == .guest else { return false }
    do {
      return try await context.withExclusiveAccess(to: account) {
        (current, credentialStore) throws(EngineError) in
        var current = current
        // `add --guest` may have obtained a new token meanwhile.
        guard current.tokenLifetime == account.tokenLifetime, current.validatedAt == account.validatedAt,
          current.take(.guestSpent, reason: reason, at: context.world.clock.now()) == .discard
        else { return false }
        let held = context.world.signals.holdBack()
        defer { held.release() }
        try await credentialStore.remove([.guest])
        try credentialStore.save(current)
        return true
      }
    } catch .selection(.unknown) {
      return false
    }
  }
}

extension StreamedResponse {
  /// A backend's statement about a request that it did not fulfil; the part that is read is returned again.
  fileprivate mutating func fault(redacting redactor: Redactor) async -> BackendFault {
    guard isJSON else { return BackendFault(nil, redacting: redactor) }
    return BackendFault(try? JSON(parsing: await peek()), redacting: redactor)
  }
}
