import AcctTestSupport

/// A certificate and how to use it: a server's side of TLS.
struct ServerIdentity: Sendable {
  /// As Python's `ssl.TLSVersion` names them.
  enum Version: String, Sendable {
    case tls10 = "TLSv1", tls11 = "TLSv1_1", tls12 = "TLSv1_2", tls13 = "TLSv1_3"
  }

  /// PEM files.
  let certificate: String
  let key: String
  var newest = Version.tls13
  /// Asks clients for a certificate.
  var clients: Clients?

  struct Clients: Sendable {
    /// `true` to serve no client without one.
    var areRequired: Bool
    /// A PEM file of the accepted certificates, or of their authorities.
    var authorities: String
  }
}

/// A process that speaks TLS before a ``ScriptedServer``; it ends when this is released.
final class TLSFront: Sendable {
  let port: Int
  private let server: PythonServer

  /// Starts it, and returns when it accepts connections.
  init(_ identity: ServerIdentity, before backend: Int) async throws {
    server = try await PythonServer(
      "LiveHTTPTests/tls_front.py",
      [identity.certificate, identity.key, identity.newest.rawValue, "\(backend)"]
        + (identity.clients.map { [$0.areRequired ? "required" : "optional", $0.authorities] } ?? [])
    )
    guard let port = Int(server.greeting) else { throw NoPort() }
    self.port = port
  }

  struct NoPort: Error {}
}
