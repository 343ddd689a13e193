import AcctModel
import Release
import Secrets
import AcctPorts
import AcctProtocol

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
