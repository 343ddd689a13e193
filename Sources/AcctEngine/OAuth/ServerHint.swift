import AcctModel
import AcctPorts
import AcctProtocol

/// What an origin's last response taught: its DPoP nonce, and how far its clock is from ours.
///
/// It is read once for a request; the proof, the decision to send another and what the response adds
/// are all based on this one value.
package struct ServerHint: Equatable, Sendable {
  var nonce: String?
  /// Seconds by which the server's clock is ahead of ours; 0 where it is right within a minute.
  var clockOffset: Int64 = 0
  /// When it was learned; `nil` where nothing is known.
  var learnedAt: Timestamp?

  /// Nothing is known.
  static let none = ServerHint()

  /// Whether the server's clock is known to be more than a minute off.
  var isClockOff: Bool { clockOffset != 0 }

  /// The time at the server.
  ///
  /// - Parameter now: The time here.
  /// - Returns: The time that a proof for the server has.
  func time(at now: Timestamp) -> Timestamp { now.adding(seconds: clockOffset) }

  /// Makes the proof of one request to the server.
  ///
  /// - Parameters:
  ///   - method: The method exactly as it will be sent.
  ///   - url: Where the request goes.
  ///   - key: The key to prove possession of.
  ///   - token: The access token sent along to a resource server; its hash goes into the proof.
  ///   - world: For the time here and random bytes.
  /// - Returns: The header field `DPoP`.
  /// - Throws: ``KeyError/proof(_:)``, ``KeyError/hardware(_:_:)``.
  func proof(
    for method: String,
    _ url: HTTPURL,
    key: DPoPKey,
    token: Token?,
    in world: World
  ) async throws(EngineError) -> HeaderField {
    do {
      let proof = try await DPoPProof.make(
        key: key,
        method: method,
        url: url,
        issuedAt: time(at: world.clock.now()),
        random: world.entropy.bytes(16),
        nonce: nonce,
        accessToken: token
      )
      return HeaderField("DPoP", Secret(proof))
    } catch .device(let failure, let storage) {
      throw .key(.hardware(failure, storage))
    } catch {
      throw .key(.proof(error))
    }
  }
}
