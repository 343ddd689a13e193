package import AcctModel
package import AcctPorts
import AcctProtocol

/// Learns from a response that another program received: its nonce, its clock and its limits.
package struct Observe: Sendable {
  private let world: World

  package init(_ world: World) { self.world = world }

  /// Reads response heads on standard input and learns from the last one.
  ///
  /// Nothing but hints comes of it: whatever stands there, no credential is touched.
  ///
  /// - Parameters:
  ///   - url: What was asked for.
  ///   - account: Whose credentials the request carried.
  /// - Throws: ``EngineError/refusedOrigin(_:account:allowed:)``, ``EngineError/input(_:)``,
  ///   ``EngineError/nothingObserved``.
  package func callAsFunction(_ url: HTTPURL, as account: Account) async throws(EngineError) {
    let origin = url.origin
    guard account.origins.contains(origin) else {
      throw .refusedOrigin(origin, account: account.name, allowed: account.origins)
    }
    let input: Secret
    do { input = try world.streams.input("-", Self.limit) } catch { throw .input(error) }
    let bytes = input.withBytes { span in span.indices.map { span[$0] } }
    guard let head = PrintedHead.last(in: bytes) else { throw .nothingObserved }
    ServerHints(world).learn(
      from: HTTPResponse(status: head.status ?? 200, fields: head.fields, body: Secret("")),
      of: origin
    )
    await LimitsLedger(world).learn(from: head.fields, of: origin, for: account.id)
  }

  /// In bytes: servers and curl stop at far less for one head, and redirects bring several.
  private static let limit = 1 << 20
}
