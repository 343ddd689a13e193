import AcctModel
import Release
import Secrets
import AcctPorts
import AcctProtocol
import StrictJSON

/// Calls an app's backend with JSON, and returns its JSON.
struct BackendCall: Sendable {
  private let client: DPoPClient
  private let backend: BackendURL

  init(_ backend: BackendURL, _ client: DPoPClient) {
    self.backend = backend
    self.client = client
  }

  /// Posts once; nothing is retried, since a code is valid for one use.
  ///
  /// - Parameters:
  ///   - path: Such as `/api/auth/start`.
  ///   - json: The body.
  /// - Returns: The response, if it is successful.
  /// - Throws: ``NetworkError/http(_:_:)`` if there is none, ``EngineError/backend(_:)`` for a rejection, and other
  ///   cases of ``EngineError`` for a malformed response.
  func post(_ path: String, _ json: JSON) async throws(EngineError) -> JSON {
    let url: HTTPURL
    do { url = try backend.url(path) } catch { throw .input(.malformed(error)) }
    var body = json.serialized()
    let response = try await client.send(
      HTTPRequest(
        method: "POST",
        url: url,
        fields: [("Content-Type", "application/json"), ("Accept", "application/json")],
        releasing: Permit(backTo: backend.origin).release(body: Secret(consuming: &body)),
        timeout: client.timeout
      )
    )
    return try answer(response)
  }

  private func answer(_ response: HTTPResponse) throws(EngineError) -> JSON {
    switch response.status {
    case 300..<400, 429, 500...: throw .noAnswer(response, backend.origin, client.held)
    default: break
    }
    let answer = ServerAnswer(response, redacting: client.held.redactor)
    if let grant = answer.grant {
      client.tell(of: grant.blemishes, in: backend.origin)
      return grant.json
    }
    guard !answer.isSuccess, answer.hasMembers else {
      throw .server(.oauth(.notJSON(status: response.status), backend.origin))
    }
    throw .backend(.refused(status: response.status, reason: answer.errorCode, backend.origin))
  }
}
