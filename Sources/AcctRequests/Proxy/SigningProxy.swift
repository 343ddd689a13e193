import AcctEngine
import AcctModel
import AcctPorts
import AcctProtocol
import Release
import Secrets
import Synchronization

/// Forwards requests of unchanged clients, with an account's own header lines.
///
/// Each is authorized anew: a proof is for one request, and one that is sent later notices that the keyring was locked.
/// Accounts and credentials are kept from one request to the next for as long as nothing may have changed: see
/// ``KeptCredentials``. Other needs of a request, a nonce or a renewal, are met as by ``MakeRequest``, and limits are
/// stored.
struct SigningProxy: Sendable {
  private let context: EngineContext
  private let targets: ProxyTargets
  private let gate: ProxyGate
  private let makeRequest: MakeRequest
  private let limits: LatestLimits
  private let kept: KeptCredentials
  private let noted = NotedUses()

  /// - Parameters:
  ///   - context: Its timeout is the longest time without a byte in either direction.
  ///   - targets: The origins of the requests, with the account of each.
  ///   - secret: The required beginning of a path on a port; `nil` on a socket.
  ///   - restsSecrets: `true` if secrets may stay in memory while no request is in progress, for a second: where no
  ///     other process can read it.
  init(_ context: EngineContext, for targets: ProxyTargets, secret: Secret?, restsSecrets: Bool) {
    var context = context
    context.hints = KeptHints()
    context.world.secretService = context.world.secretService.sharingReads()
    context.world.vaultKeyring = context.world.vaultKeyring.sharingReads()
    // No user sits at a proxy: a locked keyring is an error at once, and no wait is reported.
    context.interaction = .forbidden
    let report = context.report
    context.report = { if case .forTouch = $0 { report($0) } }
    self.context = context
    self.targets = targets
    gate = ProxyGate(origins: targets.origins, secret: secret, direct: targets.direct)
    limits = LatestLimits(context.world, rests: true)
    makeRequest = MakeRequest(context, limits, aside: context.world.localServer.sideExecutor)
    kept = KeptCredentials(context, outlivesRequests: restsSecrets)
  }

  /// Ends the proxy: discards the kept credentials, and stores pending limits.
  func end() async {
    kept.drop()
    await limits.end()
  }

  /// A secret of 128 bits for a run on a port, in the form in which it occurs in a path.
  static func newSecret(_ entropy: Entropy) -> Secret { Secret(Base64URL.encode(entropy.bytes(16).span)) }

  /// Answers one request.
  ///
  /// - Parameters:
  ///   - request: The request as it came in.
  ///   - report: Takes errors; the client gets fewer details, or none if there is a response.
  /// - Returns: The server's response, or the proxy's own if there is none.
  func answer(_ request: LocalRequest, report: @Sendable (EngineError) -> Void) async -> LocalResponse {
    // A proxy runs for days: no secret is held for longer than the credentials kept for the next request.
    context.world.held.enter()
    kept.enter()
    defer {
      kept.leave()
      context.world.held.leave()
    }
    let url: HTTPURL
    do throws(ProxyRefusal) {
      url = try gate.url(method: request.method, target: request.target, fields: request.fields, port: request.port)
    } catch {
      // A client that has not presented the secret keeps no connection open.
      return own(error.status, error, endsConnection: true)
    }
    do throws(EngineError) {
      guard let account = try targets.account(for: url) else {
        let accounts = targets.accounts
        if accounts.count == 1 { note(.authorization(accounts[0].refusal(of: url.origin))) }
        return own(ProxyRefusal.foreignHost.status, .foreignHost, endsConnection: true)
      }
      let answer = try await passOn(request, to: url, as: account)
      // The client gets the response; the failure to handle it concerns the user.
      if let cause = answer.cause, !Task.isCancelled { report(cause) }
      return LocalResponse(
        status: answer.response.head.status,
        fields: ProxyFields.downstream(answer.response.head.fields, keepsSession: account.kind == .session),
        next: answer.response.next
      )
    } catch {
      note(error)
      // If the client has disconnected, or the proxy ends, there is nothing to report.
      if !Task.isCancelled { report(error) }
      return own(error.proxyStatus, nil, endsConnection: error.isMalformedAnswer)
    }
  }

  private func note(_ error: EngineError) { WaitingRefusals(context.world).note(error, for: context.program) }

  private func passOn(
    _ request: LocalRequest,
    to url: HTTPURL,
    as owner: Account
  ) async throws(EngineError) -> MakeRequest.Answer {
    var current = try await kept.current(owner, for: url.origin, in: request.turn)
    let account = current.account
    // Only the account's own token is kept.
    do { if try account.purpose(for: url, nil) != nil { current.grant = nil } } catch { throw .authorization(error) }
    let outgoing = MakeRequest.Request(
      method: request.method,
      url: url,
      fields: RequestFields(passing: gate.withoutOwnReferer(request.fields, port: request.port), for: account),
      retries: 0
    )
    var body: RequestBody?
    if let source = request.body {
      do { body = try await .passing(source) } catch { throw .input(.stream(error)) }
    }
    let grant = current.grant
    if noted.isFirst(of: account.id, at: url.origin, context.world.clock.now()) {
      await makeRequest.aside { await UseLog(context).note(account, at: url.origin) }
    }
    guard current.isAtHand else {
      return try await makeRequest.aside { () async throws(EngineError) in
        try await makeRequest.perform(outgoing, as: account, sending: body, holding: grant)
      }
    }
    return try await makeRequest.perform(outgoing, as: account, sending: body, holding: grant)
  }

  /// A response of the proxy itself.
  private func own(_ status: Int, _ refusal: ProxyRefusal?, endsConnection: Bool) -> LocalResponse {
    let text = Array("acct: \(words(for: refusal))\n".utf8)
    let rest = Mutex<[UInt8]?>(text)
    return LocalResponse(
      status: status,
      fields: [("Content-Type", "text/plain"), ("Content-Length", "\(text.count)")],
      endsConnection: endsConnection
    ) { rest.withLock { $0.take() } }
  }
}

extension EngineError {
  /// `true` if a server's response is not HTTP, such as one with two lengths (RFC 9112, section 6.3).
  fileprivate var isMalformedAnswer: Bool {
    if case .network(.http(.malformed, _)) = self { true } else { false }
  }

  /// The status of the proxy's own response if there is none to forward.
  fileprivate var proxyStatus: Int {
    switch self {
    case .network(.http(.timedOut, _)), .network(.renewalUnanswered(.timedOut, _)): 504
    case .network(.http), .network(.renewalUnanswered), .server(.oauth), .server(.resource),
      .server(.otherUser), .server(.failed), .server(.renewalFailed), .server(.signInFailed),
      .server(.renewalUnread):
      502
    case .server(.rateLimited): 429
    case .signIn(.required), .signIn(.requestRefused), .authorization(.noTokenForResource), .keyring(.failed),
      .keyring(.notChosen), .selection(.unknown), .key(.hardware):
      503
    case .authorization(.originRefused), .input(.malformed), .selection(.severalOwn): 421
    case .input(.stream): 400
    case .selection, .authorization, .input, .inputToken, .keyring, .key, .network, .signIn, .provider,
      .atproto, .transfer, .told, .files, .cancelled:
      500
    }
  }
}

extension Keyring {
  /// Returns a keyring that reads once for all callers that want the same items at the same time.
  ///
  /// A conversation with a desktop's keyring takes milliseconds, and it holds one at a time: fifty clients of the
  /// proxy would wait for fifty. Nothing is cached beyond that: the next caller notices a keyring that was locked.
  func sharingReads() -> Keyring {
    // Behind a keyring that does not answer, no request waits longer than one deadline.
    let readings = Coalescer<Reading, Result<[ItemKind: Secret], KeyringFailure>> { reading in
      if case .failure(.timedOut) = reading { true } else { false }
    }
    var shared = self
    let read = self.read
    shared.read = { account, kinds, interaction throws(KeyringFailure) in
      let reading = Reading(account: account, kinds: kinds, mayAsk: interaction == .allowed)
      return try await readings.join(reading) {
        do throws(KeyringFailure) {
          return .success(try await read(account, kinds, interaction))
        } catch {
          return .failure(error)
        }
      }.get()
    }
    return shared
  }
}

/// The items of one account that are read together.
private struct Reading: Hashable {
  var account: AccountID
  var kinds: [ItemKind]
  var mayAsk: Bool
}
