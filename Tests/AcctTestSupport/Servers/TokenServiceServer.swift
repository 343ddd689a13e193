package import StrictJSON

/// A strict token service of AWS of a test's own (`Tests/StrictServer/sts_server.py`).
///
/// It ends when the last reference to it is released.
package final class TokenServiceServer: Sendable {
  package let endpoint: String
  private let server: PythonServer
  private let http: LoopbackHTTP

  /// Starts a service, and returns when it serves.
  ///
  /// - Throws: ``ProcessFailure`` if it does not start, ``HarnessFailure`` for a malformed answer.
  package init(_ settings: JSON = [:]) async throws {
    server = try await PythonServer("StrictServer/sts_server.py", settings: settings)
    endpoint = try server.address("endpoint")
    http = try server.http(at: endpoint)
  }

  /// Changes settings.
  package func set(_ settings: JSON) async throws {
    _ = try await http.send("POST", "/control/settings", settings.serialized())
  }

  /// The parameters of each call but the token, oldest first.
  package func calls() async throws -> [JSONObject] { try await log("calls").compactMap(\.objectValue) }

  /// What only a wrong client sends.
  package func violations() async throws -> [String] { try await log("violations").compactMap(\.stringValue) }

  /// The secret keys and session tokens that it gave out.
  package func secrets() async throws -> [String] { try await log("secrets").compactMap(\.stringValue) }

  private func log(_ part: String) async throws -> [JSON] {
    try JSON(parsing: try await http.send("GET", "/control/log")).objectValue?[part]?.arrayValue ?? []
  }
}
