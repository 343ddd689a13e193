import AcctModel
import AcctPorts
import AcctProtocol

/// Sends requests that may need a DPoP proof, and gets the proof right.
///
/// Every response teaches: its nonce is kept for its origin, whatever its status (RFC 9449,
/// section 8.2), and its `Date` tells how wrong the clock is. A request that is refused for
/// want of a nonce, or for its time, is sent once more, with both corrected.
struct Exchange: Sendable {
  private let world: World
  /// Seconds for one request.
  let timeout: Int

  init(_ world: World, timeout: Int) {
    self.world = world
    self.timeout = timeout
  }

  /// Sends a request.
  ///
  /// - Parameters:
  ///   - request: Without proof and authorization.
  ///   - key: The key to prove possession of, if any.
  ///   - token: The access token, for a resource server alone; its hash goes into the proof.
  /// - Returns: The response, to the second try if there was one.
  /// - Throws: ``EngineError/http(_:_:)``.
  func send(
    _ request: HTTPRequest,
    key: DPoPKey? = nil,
    token: Token? = nil
  ) async throws(EngineError) -> HTTPResponse {
    let response = try await once(request, key, token)
    guard key != nil, isWorthRepeating(response, request.url.origin) else { return response }
    return try await once(request, key, token)
  }

  /// Fetches a public document; no credential goes with it.
  func fetch(_ url: HTTPURL) async throws(EngineError) -> HTTPResponse {
    let accept = (name: "Accept", value: Secret("application/json"))
    return try await once(HTTPRequest(method: "GET", url: url, fields: [accept], timeout: timeout))
  }

  private func once(
    _ request: HTTPRequest,
    _ key: DPoPKey? = nil,
    _ token: Token? = nil
  ) async throws(EngineError) -> HTTPResponse {
    let origin = request.url.origin
    let hints = ServerHints(world)
    var request = request
    if let key {
      let proof: String
      do {
        proof = try DPoPProof.make(
          key: key,
          method: request.method,
          url: request.url,
          issuedAt: hints.now(at: origin),
          random: world.entropy.bytes(16),
          nonce: hints.nonce(for: origin),
          accessToken: token
        )
      } catch {
        throw .proof(error)
      }
      request.fields.append(("DPoP", Secret(proof)))
    }
    let response: HTTPResponse
    do { response = try await world.transport.send(request) } catch { throw .http(error, origin) }
    hints.learn(from: response, of: origin)
    return response
  }

  private func isWorthRepeating(_ response: HTTPResponse, _ origin: Origin) -> Bool {
    let codes = DPoPRefusal.codes(
      status: response.status,
      headers: response.fields,
      body: response.body.withBytes { span in span.indices.map { span[$0] } }
    )
    return codes.contains("use_dpop_nonce")
      || codes.contains("invalid_dpop_proof") && ServerHints(world).isClockOff(at: origin)
  }
}
