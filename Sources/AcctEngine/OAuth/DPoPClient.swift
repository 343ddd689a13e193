import AcctModel
import AcctPorts
import AcctProtocol

/// Sends requests that may need a DPoP proof, and gets the proof right.
///
/// Every response teaches: its nonce is kept for its origin, whatever its status (RFC 9449,
/// section 8.2), and its `Date` tells how wrong the clock is. A request that is refused for
/// want of a nonce, or for its time, is sent once more, with both corrected.
struct DPoPClient: Sendable {
  private let world: World
  /// Seconds for one request.
  let timeout: Int

  init(_ world: World, timeout: Int) {
    self.world = world
    self.timeout = timeout
  }

  /// The secrets that have been sent and received so far.
  var held: HeldSecrets { world.held }

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
    let response = try await sendUnlearned(request, key: key, token: token)
    learn(from: response, of: request.url.origin)
    return response
  }

  /// The same, but the last response is left for the caller to learn from.
  ///
  /// What it brought may have to be written down first: a process that dies over a nonce must not
  /// lose a refresh token.
  func sendUnlearned(
    _ request: HTTPRequest,
    key: DPoPKey? = nil,
    token: Token? = nil
  ) async throws(EngineError) -> HTTPResponse {
    let response = try await once(request, key, token)
    let refusal = key == nil ? [] : codes(response)
    guard !refusal.isEmpty else { return response }
    let origin = request.url.origin
    learn(from: response, of: origin)
    guard
      refusal.contains("use_dpop_nonce")
        || refusal.contains("invalid_dpop_proof") && NonceCache(world).isClockOff(at: origin)
    else { return response }
    return try await once(request, key, token)
  }

  /// Keeps what a response taught about its origin.
  func learn(from response: HTTPResponse, of origin: Origin) {
    NonceCache(world).learn(from: response, of: origin)
  }

  /// Fetches a public document; no credential goes with it.
  ///
  /// - Parameters:
  ///   - url: Its address.
  ///   - naming: Who named the address.
  /// - Returns: The response.
  /// - Throws: ``EngineError/http(_:_:)``.
  func fetch(_ url: HTTPURL, named naming: Naming) async throws(EngineError) -> HTTPResponse {
    let accept = (name: "Accept", value: Secret("application/json"))
    return try await send(
      HTTPRequest(
        method: "GET",
        url: url,
        fields: [accept],
        timeout: timeout,
        reach: try naming.checkedReach(to: url.origin)
      )
    )
  }

  private func once(
    _ request: HTTPRequest,
    _ key: DPoPKey? = nil,
    _ token: Token? = nil
  ) async throws(EngineError) -> HTTPResponse {
    let origin = request.url.origin
    let nonceCache = NonceCache(world)
    var request = request
    if let key {
      let proof: String
      do {
        proof = try DPoPProof.make(
          key: key,
          method: request.method,
          url: request.url,
          issuedAt: nonceCache.now(at: origin),
          random: world.entropy.bytes(16),
          nonce: nonceCache.nonce(for: origin),
          accessToken: token
        )
      } catch {
        throw .proof(error)
      }
      request.fields.append(("DPoP", Secret(proof)))
    }
    do { return try await world.transport.send(request) } catch { throw .http(error, origin) }
  }

  /// Why the request was refused, if it was; a body that grants tokens is not looked at.
  private func codes(_ response: HTTPResponse) -> Set<String> {
    guard (400..<500).contains(response.status) else { return [] }
    return DPoPRefusal.codes(
      status: response.status,
      headers: response.fields,
      body: response.body.withBytes { span in span.indices.map { span[$0] } }
    )
  }
}
