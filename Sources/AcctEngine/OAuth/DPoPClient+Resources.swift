import AcctModel
import AcctPorts
import AcctProtocol

extension DPoPClient {
  /// Gets JSON with an access token, and with a proof where the token is bound to a key.
  ///
  /// - Parameters:
  ///   - url: Where it is.
  ///   - token: The access token.
  ///   - type: How the token is sent.
  ///   - key: The key that it is bound to, if it is.
  ///   - reach: How far the request may go.
  /// - Returns: The response, to the second try if there was one.
  /// - Throws: ``NetworkError/http(_:_:)``, ``KeyError/proof(_:)``.
  func get(
    _ url: HTTPURL,
    with token: Token,
    _ type: Account.TokenType,
    boundTo key: DPoPKey?,
    reach: Reach
  ) async throws(EngineError) -> HTTPResponse {
    let authorization = HeaderField.authorization(type.rawValue, token)
    return try await send(
      HTTPRequest(
        method: "GET",
        url: url,
        fields: [(authorization.name, authorization.value), ("Accept", Secret("application/json"))],
        timeout: timeout,
        reach: reach
      ),
      key: key,
      token: key == nil ? nil : token
    )
  }
}
