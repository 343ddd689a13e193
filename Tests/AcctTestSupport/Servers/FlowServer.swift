import StrictJSON

/// A resource server of a test's own, for bodies and statuses (`Tests/StrictServer/flow_server.py`).
///
/// It ends when the last reference to it is released.
package final class FlowServer: Sendable {
  /// Its origin.
  package let url: String
  private let server: PythonServer
  private let http: LoopbackHTTP

  /// Starts a server, and returns when it serves.
  package init() async throws {
    server = try await PythonServer("StrictServer/flow_server.py")
    url = "http://127.0.0.1:\(server.greeting)"
    http = try server.http(at: url)
  }

  /// How many requests came to a path so far.
  package func seen(_ path: String) async throws -> Int64 {
    let counts = try JSON(parsing: try await http.send("GET", "/seen"))
    return counts[path]?.numberValue?.integer ?? 0
  }

  /// A home with one account of a bearer token for this server.
  package func home() async throws -> AcctHome {
    let home = try AcctHome()
    let added = try await home.importing(
      """
      {"access_token": "made-up", "token_type": "Bearer", "handle": "flow.example.com",
       "origins": ["\(url)"]}
      """
    )
    guard added.status == 0 else { throw HarnessFailure(added.errorText) }
    return home
  }
}
