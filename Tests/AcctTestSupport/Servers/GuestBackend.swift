package import StrictJSON

/// A backend with guest sessions, of a test's own (`Tests/Backends/guest_backend.md`).
///
/// It ends when the last reference to it is released.
package final class GuestBackend: Sendable {
  package let origin: String
  private let server: PythonServer
  private let http: LoopbackHTTP

  /// Starts a backend, and returns when it serves.
  ///
  /// - Parameter settings: Differences from 15 minutes and 5 edits a day.
  /// - Throws: ``ProcessFailure`` if it does not start, ``HarnessFailure`` for a malformed answer.
  package init(_ settings: JSON = [:]) async throws {
    server = try await PythonServer("Backends/guest_backend.py")
    origin = try server.address("backend")
    http = try server.http(at: origin)
    try await set(settings)
  }

  /// Changes settings.
  package func set(_ settings: JSON) async throws { try await control("settings", settings) }

  /// Invalidates every token issued so far.
  package func revoke() async throws { try await control("revoke", [:]) }

  /// The requests that came, oldest first.
  package func requests() async throws -> [JSONObject] {
    try await control("log", [:])["requests"]?.arrayValue?.compactMap(\.objectValue) ?? []
  }

  @discardableResult
  func control(_ command: String, _ body: JSON) async throws -> JSONObject {
    let answer = try await http.send("POST", "/control/\(command)", body.serialized())
    return try JSON(parsing: answer).objectValue ?? [:]
  }
}
