import AcctModel
import AcctPorts
import AcctProtocol

/// Makes the `DPoP` field of a request, with the nonce and the time that its server wants.
struct ProofSigner: Sendable {
  private let world: World

  init(_ world: World) { self.world = world }

  /// Makes the field for one request.
  ///
  /// - Parameters:
  ///   - method: The method exactly as it will be sent.
  ///   - url: Where the request goes.
  ///   - key: The key to prove possession of.
  ///   - token: The access token sent along to a resource server; its hash goes into the proof.
  ///   - hint: What the server has taught.
  /// - Returns: The field.
  /// - Throws: ``EngineError/proof(_:)``.
  func field(
    _ method: String,
    _ url: HTTPURL,
    key: DPoPKey,
    token: Token?,
    knowing hint: ServerHint
  ) throws(EngineError) -> HeaderField {
    do {
      let proof = try DPoPProof.make(
        key: key,
        method: method,
        url: url,
        issuedAt: hint.time(at: world.clock.now()),
        random: world.entropy.bytes(16),
        nonce: hint.nonce,
        accessToken: token
      )
      return HeaderField("DPoP", Secret(proof))
    } catch {
      throw .proof(error)
    }
  }
}
