import AcctModel
import AcctPorts
import AcctProtocol

/// Asks a token endpoint, with a proof where there is a key, and classifies the answer.
struct TokenEndpoint: Sendable {
  private let server: AuthorizationServer
  private let client: DPoPClient

  init(of server: AuthorizationServer, _ client: DPoPClient) {
    self.server = server
    self.client = client
  }

  /// What an answer means, and what is still to be done with it.
  struct Answer {
    let outcome: TokenOutcome
    /// Keeps the nonce that came with it: after what was granted has been kept.
    let learn: () -> Void
  }

  /// Sends a form.
  ///
  /// - Parameters:
  ///   - form: The grant.
  ///   - key: The key that the tokens are to be bound to, if any.
  /// - Returns: The answer.
  /// - Throws: ``NetworkError/http(_:_:)`` where there is no answer.
  func ask(_ form: FormBody, key: DPoPKey?) async throws(EngineError) -> Answer {
    let unlearned = try await client.sendUnlearned(
      .form(form, to: server.tokenEndpoint, of: server, client),
      key: key
    )
    let outcome = TokenOutcome(
      ServerAnswer(unlearned.response, redacting: client.held.redactor),
      boundTo: key?.thumbprint
    )
    return Answer(outcome: outcome) { client.learn(from: unlearned) }
  }

  /// The same, where anything but tokens is an error.
  func grant(_ form: FormBody, key: DPoPKey?) async throws(EngineError) -> TokenResponse {
    let answer = try await ask(form, key: key)
    answer.learn()
    if case .granted(let response) = answer.outcome { return response }
    throw EngineError(answer.outcome, server.tokenEndpoint.origin)
  }
}

extension HTTPRequest {
  /// A form for one of a server's endpoints.
  static func form(
    _ form: FormBody,
    to url: HTTPURL,
    of server: AuthorizationServer,
    _ client: DPoPClient
  ) -> HTTPRequest {
    HTTPRequest(
      method: "POST",
      url: url,
      fields: [
        ("Content-Type", Secret(FormBody.mediaType)), ("Accept", Secret("application/json")),
      ],
      body: form.secret(),
      timeout: client.timeout,
      reach: server.naming.reach(to: url.origin)
    )
  }
}

extension EngineError {
  /// What an answer without tokens means where they were asked for.
  init(_ outcome: TokenOutcome, _ origin: Origin) {
    switch outcome {
    case .unanswered(let noAnswer): self.init(noAnswer, origin)
    case .ended(let description):
      self = .server(
        .oauth(.refused(code: "invalid_grant", description: description, status: 400), origin)
      )
    case .granted: self = .server(.oauth(.malformedAnswer(member: "body"), origin))
    }
  }
}
