import AcctModel
import AcctPorts
import AcctProtocol

/// Sends requests to a token endpoint, with a proof if there is a key, and classifies the answer.
struct TokenEndpoint: Sendable {
  private let server: AuthorizationServer
  private let serverClient: ServerClient
  private let client: DPoPClient

  init(of server: AuthorizationServer, by serverClient: ServerClient, _ client: DPoPClient) {
    self.server = server
    self.serverClient = serverClient
    self.client = client
  }

  /// A classified answer, and the learning from it.
  struct Answer {
    let outcome: TokenOutcome
    /// The fields of a 429; none of another response.
    let limiting: [(name: String, value: String)]
    /// Stores the nonce of the response; to be called after the granted tokens are stored.
    let learn: () -> Void
  }

  /// Sends a form, with the user's parameters and the client's authentication.
  ///
  /// - Parameters:
  ///   - form: The grant.
  ///   - replaced: The names of the user's parameters that the form has with another value.
  ///   - key: The key that the tokens are to be bound to, if any.
  ///   - mayBeSent: Asked before each try; see ``HTTPRequest/mayBeSent``.
  /// - Returns: The answer.
  /// - Throws: ``NetworkError/http(_:_:)`` if there is no answer.
  func ask(
    _ form: GrantForm,
    replacing replaced: Set<String> = [],
    key: DPoPKey?,
    mayBeSent: (@Sendable () -> Bool)? = nil
  ) async throws(EngineError) -> Answer {
    let unlearned = try await client.sendUnlearned(
      form.adding(serverClient.formParameters.filter { !replaced.contains($0.name) }),
      to: server.tokenEndpoint,
      of: server,
      by: serverClient,
      key: key,
      mayBeSent: mayBeSent
    )
    let outcome = TokenOutcome(
      ServerAnswer(unlearned.response, redacting: client.held.redactor),
      boundTo: key?.thumbprint,
      certificate: serverClient.certificate.map {
        $0.note(isBound: serverClient.settings.certificate?.isBound ?? false)
      },
      requesting: serverClient.settings.inputs.requestedType
    )
    if case .granted(let response) = outcome { client.tell(of: response.blemishes, in: server.tokenEndpoint.origin) }
    let limiting = unlearned.response.status == 429 ? unlearned.response.fields : []
    return Answer(outcome: outcome, limiting: limiting) { client.learn(from: unlearned) }
  }

  /// Sends a form, and treats any answer but tokens as an error.
  func grant(_ form: GrantForm, key: DPoPKey?) async throws(EngineError) -> TokenResponse {
    let answer = try await ask(form, key: key)
    answer.learn()
    if case .granted(let response) = answer.outcome { return response }
    throw EngineError(answer.outcome, server.tokenEndpoint.origin)
  }
}

extension EngineError {
  /// The error for an answer without tokens to a request for them.
  init(_ outcome: TokenOutcome, _ origin: Origin) {
    switch outcome {
    case .unanswered(let noAnswer): self.init(noAnswer, origin)
    case .unusable(_, let error): self = .server(.oauth(error, origin))
    case .ended(let code, let description, let status):
      self = .server(.oauth(.refused(code: code, description: description, status: status), origin))
    case .granted: self = .server(.oauth(.malformedAnswer(member: "body"), origin))
    }
  }
}

/// The form of a grant, made again for each attempt: a server accepts an assertion once (RFC 7523, section 3).
struct GrantForm: Sendable {
  /// Makes it for a moment.
  let make: @Sendable (ServerClient.Moment) throws(EngineError) -> FormBody

  /// A form that is the same each time.
  init(_ form: FormBody) { make = { (_) throws(EngineError) in form } }

  /// The form of a grant that needs no person.
  init(
    direct scope: String?,
    _ resources: [ResourceIndicator],
    of server: AuthorizationServer,
    by client: ServerClient
  ) { make = { (moment) throws(EngineError) in try client.directGrant(scope, resources, of: server, moment) } }

  /// Returns a copy with more parameters.
  func adding(_ parameters: [RequestParameter]) -> GrantForm {
    let make = make
    return GrantForm { (moment) throws(EngineError) in
      var form = try make(moment)
      form.add(parameters)
      return form
    }
  }

  private init(make: @escaping @Sendable (ServerClient.Moment) throws(EngineError) -> FormBody) { self.make = make }
}
