import AcctPorts
import AcctTestSupport
import FleetPorts
import Testing

/// An engine that clients reach through a relay, which ends their TLS and writes down what they say and are told.
struct TracedEngine: SharedEngine {
  private let engine: any SharedEngine
  private let relay: PythonServer
  private let traces: TemporaryFolder
  let place: [String]

  /// Starts an engine, and a relay before it.
  ///
  /// - Parameter kind: The engine's.
  /// - Throws: What starting them throws.
  init(_ kind: EngineKind) async throws {
    traces = try TemporaryFolder()
    let port: UInt16
    let identity: (certificate: String, key: String)
    switch kind {
    case .etcd:
      // One member: all that is said goes through the relay.
      let etcd = try await EtcdEngine()
      port = try #require(etcd.cluster.endpoints.first?.split(separator: ":").last.flatMap { UInt16($0) })
      let issued = try await etcd.authority.issue("relay", for: ["127.0.0.1"])
      identity = (issued.certificate, issued.key)
      engine = etcd
    case .postgres:
      let postgres = try await PostgresEngine()
      port = postgres.server.port
      // The server's own: the password's exchange is bound to it (RFC 5929, tls-server-end-point).
      let data = postgres.server.data
      identity = ("\(data)/server.crt", "\(data)/server.key")
      engine = postgres
    }
    relay = try await PythonServer(
      "Leaks/engine_trace.py",
      [kind.rawValue, "\(port)", engine.authority.certificate, identity.certificate, identity.key, traces.path]
    )
    let traced = relay.greeting
    switch kind {
    case .etcd: place = ["etcd", "https://127.0.0.1:\(traced)"] + engine.place.dropFirst(2)
    case .postgres: place = engine.place.map { $0.replacing("port=\(port) ", with: "port=\(traced) ") }
    }
  }

  /// The folder with what was said.
  var trace: String { traces.path }

  var placeOfStranger: [String] { engine.placeOfStranger }
  func store() throws -> SharedStore { try engine.store() }

  var authority: MadeUpAuthority { engine.authority }
  var folders: [String] { engine.folders }
  func strike(_ blow: Blow) async throws { try await engine.strike(blow) }
  func takeAway() async throws { try await engine.takeAway() }
  func bringBack() async throws { try await engine.bringBack() }
  func backUp() async throws { try await engine.backUp() }
  func restore() async throws { try await engine.restore() }
  func compact() async throws { try await engine.compact() }
  func dump() async throws -> [UInt8] { try await engine.dump() }
}
