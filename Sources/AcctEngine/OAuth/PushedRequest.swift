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

  /// What the server answered.
  enum Outcome {
    /// The server takes the address for so many seconds, where it says that.
    case pushed(requestURI: String, validFor: Int64?)
    /// The server takes no pushed requests.
    case notOffered
    /// The endpoint takes no such request; the browser may take the parameters instead.
    case refused(EngineError)

    var requestURI: String? { if case .pushed(let uri, _) = self { uri } else { nil } }

    var validFor: Int64? { if case .pushed(_, let seconds) = self { seconds } else { nil } }

    /// What the user should know of it.
    func notice(_ origin: Origin) -> Notice? {
      if case .refused(let error) = self { .requestNotPushed(origin, because: error) } else { nil }
    }
  }

  /// Pushes the request wherever the server has an endpoint for it.
  ///
  /// A generic server gets `dpop_jkt` in the form, which binds the code just as well, and a proof
  /// only after it has asked for one: some answer a proof that comes unasked with a bare 403.
  ///
  /// - Parameters:
  ///   - request: What is asked for.
  ///   - server: The server.
  ///   - key: The key that the tokens are to be bound to, if any.
  ///   - provesAtOnce: Send the proof unasked, as AT Protocol wants it.
  /// - Returns: What the server answered; a rejection only where the server does not require pushed requests, and
  ///   the browser may still bring this one.
  /// - Throws: ``EngineError``.
  func push(
    _ request: AuthorizationRequest,
    to server: AuthorizationServer,
    key: DPoPKey?,
    provesAtOnce: Bool = false
  ) async throws(EngineError) -> Outcome {
    guard let endpoint = server.pushedRequestEndpoint else { return .notOffered }
    // The client's identifier is a parameter of the request here, however the client authenticates itself.
    let form = request.parameters
    var response = try await client.send(
      form,
      to: endpoint,
      of: server,
      by: serverClient,
      key: provesAtOnce ? key : nil
    )
    var answer = ServerAnswer(response, redacting: client.held.redactor)
    // A client, scope or resource that is refused is not accepted with a proof, and a failed authentication counts.
    if let key, !provesAtOnce, (400...403).contains(response.status), answer.refusedPart == nil {
      response = try await client.send(form, to: endpoint, of: server, by: serverClient, key: key)
      answer = ServerAnswer(response, redacting: client.held.redactor)
    }
    if answer.refusesPushedRequest, !server.requiresPushedRequest, !provesAtOnce {
      return .refused(EngineError(answer.noAnswer, endpoint.origin))
    }
    return try pushed(in: response, answer, endpoint.origin)
  }

  private func pushed(
    in response: HTTPResponse,
    _ answer: ServerAnswer,
    _ origin: Origin
  ) throws(EngineError) -> Outcome {
    // 201 is the one that the RFC names; 200 is seen.
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
  /// Whole seconds, if it is a number of them (RFC 9126, section 2.2).
  fileprivate var seconds: Int64? {
    guard let number = numberValue?.integer, number > 0 else { return nil }
    return Int64(number)
  }
}
