import AcctModel
import AcctPorts
import AcctProtocol

/// The authorization code grant through the user's browser (RFC 6749, section 4.1; RFC 8252).
struct BrowserGrant: Sendable {
  private let world: World
  private let exchange: Exchange

  init(_ world: World, _ exchange: Exchange) {
    self.world = world
    self.exchange = exchange
  }

  /// What is asked for, of whom.
  struct Terms: Sendable {
    var server: AuthorizationServer
    var clientID: String
    var scope: String?
    var resources: [HTTPURL] = []
    var loginHint: String?
    /// The key that the tokens are to be bound to, if any.
    var key: DPoPKey?
    /// Whether the very first request carries a proof, as AT Protocol asks.
    var provesAtOnce = false
    var opensBrowser: Bool
    var redirectPort: Int?
  }

  /// What came of it.
  struct Outcome: Sendable {
    var response: TokenResponse
    /// What an ID token must repeat, if one was asked for.
    var nonce: String?
  }

  /// Sends the user to the server, waits for the callback, and exchanges its code.
  ///
  /// - Parameters:
  ///   - terms: What is asked for.
  ///   - tell: Takes what the user must see while it waits.
  /// - Returns: What the token endpoint granted.
  /// - Throws: ``EngineError``; nothing is left behind.
  func callAsFunction(
    _ terms: Terms,
    tell: @escaping @Sendable (SignInPrompt) -> Void
  ) async throws(EngineError) -> Outcome {
    let origin = terms.server.issuer.url.origin
    guard let endpoint = terms.server.authorizationEndpoint else {
      throw .oauth(.unsupported(.authorizationCode), origin)
    }
    guard terms.server.offersS256 else { throw .oauth(.unsupported(.codeChallengeS256), origin) }
    let listening: Listening
    do { listening = try await world.listener.listen(terms.redirectPort) } catch {
      throw .listen(error)
    }
    let request = AuthorizationRequest(
      clientID: terms.clientID,
      redirectURI: "http://127.0.0.1:\(listening.port)/callback",
      scope: terms.scope,
      resources: terms.resources,
      loginHint: terms.loginHint,
      thumbprint: terms.provesAtOnce ? nil : terms.key?.thumbprint,
      random: world.entropy.bytes(AuthorizationRequest.randomCount)
    )
    world.held.hold([Secret(request.state), request.pkce.verifier])
    if let nonce = request.nonce { world.held.hold(Secret(nonce)) }
    let code: Result<Secret, EngineError>
    do throws(EngineError) {
      let pushed = try await PushedRequest(exchange)
        .push(request, to: terms.server, key: terms.key, provesAtOnce: terms.provesAtOnce)
      let address = request.browserAddress(at: endpoint, pushed: pushed)
      let wait = CallbackWait(world, listening, request, terms.server)
      code = .success(
        try await wait.answer(
          at: address,
          of: origin,
          opensBrowser: terms.opensBrowser,
          tell: tell
        ).code()
      )
    } catch {
      code = .failure(error)
    }
    await listening.close()
    let response = try await TokenEndpoint(of: terms.server, exchange)
      .grant(request.exchange(try code.get()), key: terms.key)
    return Outcome(response: response, nonce: request.nonce)
  }
}
