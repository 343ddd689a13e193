package import AcctEngine
package import AcctModel
import AcctPorts
import AcctProtocol
import Release
import Secrets

/// Begins a guest session at a backend, or a new one in place of one that has expired.
///
/// Each backend has one: its limits belong to this machine's identifier, so a second guest would have no quota of its
/// own.
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
    guard keyring.accounts == nil else { throw .sharing(.guest(keyring.kind)) }
    let known = try context.accountStore.listing().accounts.first { $0.isGuest(of: service) }
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
    return try await client.send(
      HTTPRequest(
        method: "POST",
        url: try service.url("/api/auth/guest"),
        fields: [("Accept", "application/json"), ("Content-Type", "application/json")],
        body: Array("{}".utf8),
        releasing: Permit(backTo: service).release(body: nil, beside: deviceID),
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
