package import AcctModel
package import AcctPorts
package import AcctProtocol
package import Release
import Secrets

/// Sends requests that may need a DPoP proof, and corrects a rejected proof.
///
/// Every response is used: its nonce is kept for its origin, whatever its status (RFC 9449, section 8.2), and its
/// `Date` shows the error of the clock. A request that is rejected for a missing nonce, or for its time, is sent once
/// more, with both corrected.
package struct DPoPClient: Sendable {
  let world: World
  private let nonceCache: NonceCache
  /// Seconds for one request.
  package let timeout: Int

  private let voice: Voice?

  init(_ context: EngineContext) {
    world = context.world
    timeout = context.timeout
    voice = context.voice
    nonceCache = NonceCache(world)
  }

  /// The secrets that have been sent and received so far.
  package var held: HeldSecrets { world.held }

  /// Tells of an answer that grants something in spite of these.
  package func tell(of blemishes: [Blemish], in origin: Origin) {
    if !blemishes.isEmpty { voice?.explain?(.readDespite(blemishes, origin)) }
  }

  /// A response with the hint that its request used, for ``learn(from:)``.
  struct Unlearned {
    let response: HTTPResponse
    fileprivate let origin: Origin
    /// The hint at the time of the request.
    fileprivate let hint: ServerHint
  }

  /// Sends a request.
  ///
  /// - Parameters:
  ///   - request: The request without proof and authorization.
  ///   - key: The key to prove possession of, if any.
  ///   - token: The access token, for a resource server alone; its hash goes into the proof.
  /// - Returns: The response, to the second attempt if there was one.
  /// - Throws: ``NetworkError/http(_:_:)``, ``KeyError/proof(_:)``.
  package func send(
    _ request: HTTPRequest,
    key: DPoPKey? = nil,
    token: Token? = nil
  ) async throws(EngineError) -> HTTPResponse {
    let unlearned = try await sendUnlearned(request, key: key, token: token)
    learn(from: unlearned)
    return unlearned.response
  }

  /// Sends a request and leaves the learning from the last response to the caller.
  ///
  /// Its tokens may have to be stored first: a process that dies while it stores a nonce must not lose a refresh
  /// token.
  func sendUnlearned(
    _ request: HTTPRequest,
    key: DPoPKey? = nil,
    token: Token? = nil
  ) async throws(EngineError) -> Unlearned {
    try await sendUnlearned(to: request.url.origin, key: key, token: token) { _ in request }
  }

  /// Sends a request that is made again for each attempt, with the current hint about the server.
  ///
  /// - Parameters:
  ///   - origin: The origin that it goes to.
  ///   - key: The key to prove possession of, if any.
  ///   - token: The access token, for a resource server alone.
  ///   - timed: The error codes of a server that may be due to a wrong time in the request.
  ///   - request: Makes the request.
  /// - Returns: The response, to the second attempt if there was one.
  /// - Throws: ``NetworkError/http(_:_:)``, ``KeyError``.
  func sendUnlearned(
    to origin: Origin,
    key: DPoPKey?,
    token: Token? = nil,
    timed: Set<String> = [],
    _ request: (ServerHint) throws(EngineError) -> HTTPRequest
  ) async throws(EngineError) -> Unlearned {
    let hint = nonceCache.hint(for: origin)
    let first = try await once(request(hint), key, token, hint)
    // A request without proof and time has nothing to correct: its body is not read here.
    let codes = key != nil || !timed.isEmpty ? first.refusalCodes : []
    guard !codes.isEmpty, key != nil || !codes.isDisjoint(with: timed) else {
      return Unlearned(response: first, origin: origin, hint: hint)
    }
    let refusesProof = key != nil && DPoPRefusal.refusesProof(codes)
    let learned = nonceCache.learn(from: first.fields, of: origin, knowing: hint, refusesProof: refusesProof)
    let wantsProof =
      refusesProof
      && DPoPRefusal.wantsNewProof(codes, isCorrected: learned.corrects(hint), isRepeated: false)
    // The time must differ from that of the request: with about the same one the answer would be the same. Both
    // offsets are differences of whole seconds, which change by one with the moment.
    let wantsTime =
      abs(learned.clockOffset - hint.clockOffset) > NonceCache.tolerance
      && !codes.isDisjoint(with: timed)
    guard wantsProof || wantsTime else { return Unlearned(response: first, origin: origin, hint: learned) }
    voice?.explain?(.sendWithNewProof(origin, status: first.status))
    voice?.tellTime(of: learned, after: hint, origin)
    let second = try await once(request(learned), key, token, learned)
    return Unlearned(response: second, origin: origin, hint: learned)
  }

  /// The hint for an origin.
  func hint(for origin: Origin) -> ServerHint { nonceCache.hint(for: origin) }

  /// Stores the hint from a response.
  func learn(from unlearned: Unlearned) {
    nonceCache.learn(from: unlearned.response.fields, of: unlearned.origin, knowing: unlearned.hint)
  }

  private func once(
    _ request: HTTPRequest,
    _ key: DPoPKey?,
    _ token: Token?,
    _ hint: ServerHint
  ) async throws(EngineError) -> HTTPResponse {
    guard let key else { return try await once(request) }
    let proof = try await hint.proof(for: request.method, request.url, key: key, token: token, in: world)
    var request = request
    request.add("DPoP", proof)
    return try await once(request)
  }

  private func once(_ request: HTTPRequest) async throws(EngineError) -> HTTPResponse {
    do { return try await world.transport.send(request) } catch { throw .network(.http(error, request.url.origin)) }
  }
}

extension HTTPResponse {
  /// The error codes of a rejected request; a body that grants tokens is not read.
  fileprivate var refusalCodes: Set<String> {
    guard (400..<500).contains(status) else { return [] }
    return DPoPRefusal.codes(
      status: status,
      headers: fields,
      body: body.withBytes { span in span.indices.map { span[$0] } }
    )
  }
}

extension EngineContext {
  /// Sends requests within the timeout.
  package var client: DPoPClient { DPoPClient(self) }
}

extension DPoPClient {
  /// Sends a form to one of a server's endpoints, from a client that authenticates itself there.
  ///
  /// - Parameters:
  ///   - form: The parameters, without the client's authentication.
  ///   - endpoint: The endpoint.
  ///   - server: The server of the endpoint.
  ///   - client: The client.
  ///   - key: The key to prove possession of, if any.
  /// - Returns: The response, to the second attempt if there was one.
  /// - Throws: ``NetworkError/http(_:_:)``, ``KeyError/proof(_:)``, ``KeyError/clientKey(_:)``.
  func send(
    _ form: FormBody,
    to endpoint: HTTPURL,
    of server: AuthorizationServer,
    by client: ServerClient,
    key: DPoPKey? = nil
  ) async throws(EngineError) -> HTTPResponse {
    let unlearned = try await sendUnlearned(GrantForm(form), to: endpoint, of: server, by: client, key: key)
    learn(from: unlearned)
    return unlearned.response
  }

  /// Sends a form and leaves the learning from the last response to the caller.
  ///
  /// If the server rejects the client's assertion, the request is repeated once with the other audience that servers
  /// use, and the accepted one is noted in the client.
  func sendUnlearned(
    _ form: GrantForm,
    to endpoint: HTTPURL,
    of server: AuthorizationServer,
    by client: ServerClient,
    key: DPoPKey? = nil,
    mayBeSent: (@Sendable () -> Bool)? = nil
  ) async throws(EngineError) -> Unlearned {
    let audience = client.audience.current
    let first = try await sendUnlearned(
      form,
      to: endpoint,
      of: server,
      by: client,
      for: audience,
      key: key,
      mayBeSent: mayBeSent
    )
    guard client.method == .privateKey else { return first }
    let answer = ServerAnswer(first.response, redacting: held.redactor)
    guard let next = client.nextAudience(after: answer, to: audience, at: endpoint, of: server) else { return first }
    learn(from: first)
    let second = try await sendUnlearned(
      form,
      to: endpoint,
      of: server,
      by: client,
      for: next,
      key: key,
      mayBeSent: mayBeSent
    )
    if ServerAnswer(second.response, redacting: held.redactor).hasTakenClient { client.audience.learn(next) }
    return second
  }

  // Not a copy of it in each use case that sends a form.
  @inline(never)
  private func sendUnlearned(
    _ form: GrantForm,
    to endpoint: HTTPURL,
    of server: AuthorizationServer,
    by client: ServerClient,
    for audience: AssertionAudience,
    key: DPoPKey?,
    mayBeSent: (@Sendable () -> Bool)?
  ) async throws(EngineError) -> Unlearned {
    let permit: Permit
    do { permit = try server.permit(to: endpoint) } catch { throw .authorization(error) }
    // Made again for each attempt: a server accepts an assertion once, and the two of one client differ.
    return try await sendUnlearned(to: endpoint.origin, key: key, timed: client.assertionRefusals) {
      (hint) throws(EngineError) -> HTTPRequest in
      var form = try form.make(moment(hint))
      let field = try client.authenticate(&form, of: server, for: audience, moment(hint))
      return HTTPRequest(
        method: "POST",
        url: endpoint,
        fields: [("Content-Type", FormBody.mediaType), ("Accept", "application/json")],
        releasing: permit.release(body: form.secret(), beside: field),
        timeout: timeout,
        reach: server.reach(to: endpoint),
        mayBeSent: mayBeSent,
        identity: client.identity
      )
    }
  }

  private func moment(_ hint: ServerHint) -> ServerClient.Moment {
    ServerClient.Moment(now: hint.time(at: world.clock.now()), random: world.entropy.bytes(16))
  }
}

extension DPoPClient {
  /// Gets JSON with an access token, and with a proof if the token is bound to a key.
  ///
  /// - Parameters:
  ///   - url: The address.
  ///   - released: The access token, released for that address.
  ///   - token: The same, whose hash goes into the proof.
  ///   - key: The key that it is bound to, if it is.
  ///   - reach: The addresses that the request may go to.
  ///   - identity: Presented to the server if it asks for a certificate.
  /// - Returns: The response, to the second attempt if there was one.
  /// - Throws: ``NetworkError/http(_:_:)``, ``KeyError/proof(_:)``.
  func get(
    _ url: HTTPURL,
    with released: Released,
    _ token: Token,
    boundTo key: DPoPKey?,
    reach: Reach,
    presenting identity: TLSIdentity? = nil
  ) async throws(EngineError) -> HTTPResponse {
    try await send(
      HTTPRequest(
        method: "GET",
        url: url,
        fields: [("Accept", "application/json")],
        releasing: released,
        timeout: timeout,
        reach: reach,
        identity: identity
      ),
      key: key,
      token: key == nil ? nil : token
    )
  }
}

extension AuthorizationServer {
  /// Releases one of its access tokens for one of its endpoints.
  func release(_ token: Token, in type: Account.TokenType, to endpoint: HTTPURL) throws(EngineError) -> Released {
    do { return try permit(to: endpoint).release(token, in: type.rawValue) } catch { throw .authorization(error) }
  }
}
