package import StrictJSON

/// A backend of an app that hands over tokens of a network (`Tests/Backends/README.md`).
///
/// It ends when the last reference to it is released.
package final class HandoffBackend: Sendable {
  /// Its address.
  package let address: String
  private let server: PythonServer
  private let http: LoopbackHTTP

  /// Starts a backend, and returns when it serves.
  ///
  /// - Parameters:
  ///   - network: The network of the identities that it signs in.
  ///   - settings: Differences from an ordinary one.
  /// - Throws: ``ProcessFailure`` if it does not start, ``HarnessFailure`` for a malformed answer.
  package init(on network: ATProtoNetwork, _ settings: JSON = [:]) async throws {
    server = try await PythonServer(
      "Backends/handoff_backend.py",
      ["--network", network["control"]],
      settings: settings
    )
    address = try server.address("backend")
    http = try server.http(at: address)
  }

  /// Changes settings.
  package func set(_ settings: JSON) async throws {
    _ = try await http.send("POST", "/control/settings", settings.serialized())
  }

  /// The paths that were called, oldest first.
  package func calls() async throws -> [String] { try await log("requests").compactMap { $0["path"]?.stringValue } }

  /// The handles that it was told to sign in; `nil` where that was left to its page.
  package func asked() async throws -> [String?] {
    try await log("requests").filter { $0["path"] == "/api/auth/start" }.map { $0["handle"]?.stringValue }
  }

  /// Requests that only a wrong client sends, in words.
  package func violations() async throws -> [String] {
    try await log("violations").compactMap { $0["violation"]?.stringValue }
  }

  private func log(_ part: String) async throws -> [JSON] { try await control("log")[part]?.arrayValue ?? [] }

  func control(_ command: String) async throws -> JSON {
    try JSON(parsing: try await http.send("GET", "/control/\(command)"))
  }
}
