import AcctModel
import Secrets
import AcctPorts
import AcctProtocol
import Release

extension ServerHint {
  /// Makes the proof of one request to the server.
  ///
  /// - Parameters:
  ///   - method: The method exactly as it will be sent.
  ///   - url: The URL of the request.
  ///   - key: The key to prove possession of.
  ///   - token: The access token sent along to a resource server; its hash goes into the proof.
  ///   - world: For the time here and random bytes.
  /// - Returns: The value of the header field `DPoP`.
  /// - Throws: ``KeyError/proof(_:)``, ``KeyError/hardware(_:_:)``.
  func proof(
    for method: String,
    _ url: HTTPURL,
    key: DPoPKey,
    token: Token?,
    in world: World
  ) async throws(EngineError) -> String {
    do {
      return try await DPoPProof.make(
        key: key,
        method: method,
        url: url,
        issuedAt: time(at: world.clock.now()),
        random: world.entropy.bytes(16),
        nonce: nonce,
        accessToken: token
      )
    } catch .device(let failure, let storage) {
      throw .key(.hardware(failure, storage))
    } catch {
      throw .key(.proof(error))
    }
  }
}
