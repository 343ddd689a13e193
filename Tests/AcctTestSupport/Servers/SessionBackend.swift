package import StrictJSON

/// A backend of a test's own that keeps sealed sessions (`Tests/Backends/sealed/README.md`), and a second
/// origin that nothing should ever reach.
///
/// It ends when the last reference to it is released.
package final class SessionBackend: Sendable {
  /// Its address.
  package let address: String
  package let elsewhere: String
  private let server: PythonServer
  private let http: LoopbackHTTP

  /// Starts a backend, and returns when it serves.
  ///
  /// - Parameter settings: Differences from an ordinary one.
  /// - Throws: ``ProcessFailure`` if it does not start, ``HarnessFailure`` for a malformed answer.
  package init(_ settings: JSON = [:]) async throws {
    server = try await PythonServer("Backends/session_backend.py", settings: settings)
    address = try server.address("backend")
    elsewhere = try server.address("elsewhere")
    http = try server.http(at: address)
  }

  /// Changes settings.
  package func set(_ settings: JSON) async throws { try await control("settings", settings) }

  /// Adds a fault, as of the strict server; without one, removes all of them.
  package func fault(_ fault: JSON?) async throws {
    _ = try await http.send(fault == nil ? "DELETE" : "POST", "/control/faults", fault?.serialized() ?? [])
  }

  /// Waits until so many requests are held by a fault.
  package func wait(held count: Int64) async throws {
    let condition: JSON = ["held": .number(JSONNumber(count)), "timeout": 60]
    guard try await control("wait", condition)["reached"] == true else {
      throw HarnessFailure("the backend waited in vain for \(count) held requests")
    }
  }

  /// Releases the held requests.
  package func release() async throws { try await control("release") }

  /// Ends every session, for a reason.
  package func end(_ reason: String) async throws { try await control("end", ["reason": .string(reason)]) }

  /// The callback address at which the user's browser ends that was sent to `address`.
  package func callback(from address: String) async throws -> String {
    let answer = try await control("approve", ["address": .string(address)])
    return answer["callback"]?.stringValue ?? ""
  }

  /// The endpoints that were asked, oldest first, such as `session` or `refresh-token`.
  package func asked() async throws -> [String] { try await log("requests").compactMap { $0["endpoint"]?.stringValue } }

  /// How often each thing has happened: `validations`, `rolls`, `refreshes`, `logouts`.
  package func counts() async throws -> [String: Int64] {
    let counts = try await control("log")["counts"]?.objectValue ?? [:]
    return counts.reduce(into: [:]) { $0[$1.name] = $1.value.numberValue?.integer }
  }

  /// Requests that only a wrong client sends, in words; those to the second origin are among them.
  package func violations() async throws -> [String] {
    let strayed = try await log("requests").filter { $0["endpoint"] == "elsewhere" }
    return try await log("violations").map { $0["violation"]?.stringValue ?? "" }
      + strayed.map { "a request elsewhere: \($0["path"]?.stringValue ?? "")" }
  }

  private func log(_ part: String) async throws -> [JSONObject] {
    try await control("log")[part]?.arrayValue?.compactMap(\.objectValue) ?? []
  }

  @discardableResult
  func control(_ command: String, _ body: JSON? = nil) async throws -> JSONObject {
    let bytes = try await http.send("POST", "/control/\(command)", body?.serialized() ?? [])
    // The log of a long run is longer than anything that acct reads.
    return try JSON(parsing: bytes, maximumBytes: 1 << 26).objectValue ?? [:]
  }
}
