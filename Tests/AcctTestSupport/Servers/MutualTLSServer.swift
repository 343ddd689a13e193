package import StrictJSON

/// An authorization server and a resource server of a test's own that authenticate clients by their certificates
/// (`Tests/StrictServer/mtls_server.py`).
///
/// It ends when the last reference to it is released.
package final class MutualTLSServer: Sendable {
  package let issuer: String
  /// The origin of its endpoints for clients with certificates.
  package let endpoints: String
  /// The resource server's origin.
  package let resource: String
  private let server: PythonServer
  private let http: LoopbackHTTP

  /// Starts a server, and returns when it serves.
  ///
  /// - Parameters:
  ///   - own: Its own certificate.
  ///   - authorities: A PEM file of the authorities, or the certificates, of its clients.
  ///   - settings: Differences from a server with `tls_client_auth`, aliases and JWTs.
  /// - Throws: ``ProcessFailure`` if it does not start, ``HarnessFailure`` for a malformed answer.
  package init(_ own: MadeUpAuthority.Issued, clients authorities: String, _ settings: JSON = [:]) async throws {
    server = try await PythonServer(
      "StrictServer/mtls_server.py",
      [own.certificate, own.key, authorities],
      settings: settings
    )
    issuer = try server.address("issuer")
    endpoints = try server.address("mtls")
    resource = try server.address("resource")
    http = try server.http(at: server.address("control"))
  }

  /// Changes settings.
  package func set(_ settings: JSON) async throws {
    _ = try await http.send("POST", "/control/settings", settings.serialized())
  }

  /// The requests that came to one of its places (`issuer`, `mtls`, `resource`), as `path status`, oldest first.
  package func requests(to place: String) async throws -> [String] {
    try await log("requests").compactMap(\.objectValue).filter { $0["place"] == .string(place) }.map {
      "\($0["path"]?.stringValue ?? "") \($0["status"]?.numberValue?.integer ?? 0)"
    }
  }

  /// What only a wrong client sends.
  package func violations() async throws -> [String] { try await log("violations").compactMap(\.stringValue) }

  private func log(_ part: String) async throws -> [JSON] {
    try JSON(parsing: try await http.send("GET", "/control/log")).objectValue?[part]?.arrayValue ?? []
  }
}
