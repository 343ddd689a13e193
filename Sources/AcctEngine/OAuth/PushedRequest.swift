import AcctModel
import AcctPorts
import AcctProtocol
import StrictJSON

/// Pushes an authorization request to the server before the browser goes there (RFC 9126).
struct PushedRequest: Sendable {
  private let serverClient: ServerClient
  private let client: DPoPClient

  init(by serverClient: ServerClient, _ client: DPoPClient) {
    self.serverClient = serverClient
    self.client = client
  }

  /// The server's answer.
  indirect enum Outcome {
    /// The server accepts the address for so many seconds, if it states that.
    case pushed(requestURI: String, validFor: Int64?)
    /// The server accepts no pushed requests.
    case notOffered
    /// The endpoint rejects such a request; the browser may send the parameters instead.
    case refused(EngineError)

    var requestURI: String? { if case .pushed(let uri, _) = self { uri } else { nil } }

    var validFor: Int64? { if case .pushed(_, let seconds) = self { seconds } else { nil } }

    /// A notice about a rejected request; `nil` for any other.
    func notice(_ origin: Origin) -> Notice? {
      if case .refused(let error) = self { .requestNotPushed(origin, because: error) } else { nil }
    }
  }

  /// Pushes the request if the server has an endpoint for it.
  ///
  /// A generic server gets `dpop_jkt` in the form, which binds the code just as well, and a proof only after it has
  /// asked for one: some answer an unrequested proof with a bare 403.
  ///
  /// - Parameters:
  ///   - request: The authorization request.
  ///   - server: The server.
  ///   - key: The key that the tokens are to be bound to, if any.
  ///   - provesAtOnce: Send the proof with the first request, as AT Protocol requires.
  /// - Returns: The server's answer; a rejection only if the server does not require pushed requests, and the browser
  ///   may still send this one.
  /// - Throws: ``EngineError``.
  func push(
    _ request: AuthorizationRequest,
    to server: AuthorizationServer,
    key: DPoPKey?,
    provesAtOnce: Bool = false
  ) async throws(EngineError) -> Outcome {
    guard let endpoint = server.pushedRequestEndpoint else { return .notOffered }
    // Here the client's identifier is a parameter of the request, whichever way the client authenticates itself.
    let form = request.parameters
    var response = try await client.send(
      form,
      to: endpoint,
      of: server,
      by: serverClient,
      key: provesAtOnce ? key : nil
    )
    var answer = ServerAnswer(response, redacting: client.held.redactor)
    // A rejected client, scope or resource is not accepted with a proof either, and failed authentications are
    // counted.
    if let key, !provesAtOnce, (400...403).contains(response.status), answer.refusedPart == nil {
      response = try await client.send(form, to: endpoint, of: server, by: serverClient, key: key)
      answer = ServerAnswer(response, redacting: client.held.redactor)
    }
    if answer.refusesPushedRequest, !server.requiresPushedRequest, !provesAtOnce {
      return .refused(EngineError(answer.noAnswer, endpoint.origin))
    }
    if case .failed(.unexplained(let status)) = answer.noAnswer, (400...404).contains(status) {
      throw .signIn(.notPushed(status: status, redirect: request.redirectURI, endpoint.origin))
    }
    return try pushed(in: response, answer, endpoint.origin)
  }

  private func pushed(
    in response: HTTPResponse,
    _ answer: ServerAnswer,
    _ origin: Origin
  ) throws(EngineError) -> Outcome {
    // The RFC specifies 201; some servers send 200.
    guard (200...201).contains(response.status), !answer.isError else { throw EngineError(answer.noAnswer, origin) }
    guard response.field("Content-Type").isJSON, let json = response.json
    else { throw .server(.oauth(.notJSON(status: response.status), origin)) }
    guard let uri = json.objectValue?["request_uri"]?.stringValue, !uri.isEmpty else {
      throw .server(.oauth(.malformedAnswer(member: "request_uri"), origin))
    }
    return .pushed(requestURI: uri, validFor: json.objectValue?["expires_in"]?.seconds)
  }
}

extension JSON {
  /// A positive whole number of seconds (RFC 9126, section 2.2); `nil` for anything else.
  fileprivate var seconds: Int64? {
    guard let number = numberValue?.integer, number > 0 else { return nil }
    return Int64(number)
  }
}
