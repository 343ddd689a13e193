package import StrictJSON

/// A strict server of a test's own: authorization server, resource server, and a third origin that
/// nothing should ever reach (`Tests/StrictServer/README.md`).
///
/// It ends when the last reference to it is released.
package final class StrictServer: Sendable {
  package let issuer: String
  /// The authorization server's origin, whatever path its issuer has.
  package var base: String {
    issuer.split(separator: "/", omittingEmptySubsequences: false).prefix(3).joined(separator: "/")
  }
  /// The resource server's origin.
  package let resource: String
  package let elsewhere: String
  private let server: PythonServer
  private let http: LoopbackHTTP

  /// Starts a server, and returns when it serves.
  ///
  /// - Parameters:
  ///   - settings: Differences from the strictest choice.
  ///   - script: In its folder; another one than this has more commands.
  /// - Throws: ``ProcessFailure`` if it does not start, ``HarnessFailure`` for a malformed answer.
  package convenience init(_ settings: JSON = [:], script: String = "strict_server.py") async throws {
    try self.init(await PythonServer("StrictServer/\(script)", settings: settings))
  }

  /// Starts it under the addresses and in the words of another server, which a file of the zoo describes.
  ///
  /// - Throws: ``HarnessFailure`` with the words of a file that can't be read.
  package convenience init(playing file: String) async throws {
    try self.init(await PythonServer("StrictServer/zoo_server.py", [file]))
  }

  private init(_ server: PythonServer) throws {
    self.server = server
    issuer = try server.address("issuer")
    resource = try server.address("resource")
    elsewhere = try server.address("elsewhere")
    http = try server.http(at: issuer)
  }

  /// Where a browser of the tests' own is that signs in there; a value for `BROWSER`.
  package static let browser = Product.source("Tests/StrictServer/browser.py")

  /// The same, which begins to browse and returns at once, as what opens a browser on a desktop does.
  ///
  /// acct gives one that is still at work a second in which it may fail.
  package static let desktopBrowser = Product.source("Tests/StrictServer/desktop-browser")

  /// Gives a command of the control API, and returns its answer.
  ///
  /// - Throws: ``HarnessFailure`` with the server's words, if it rejects the command.
  @discardableResult
  package func control(_ command: String, _ body: JSON? = nil) async throws -> JSONObject {
    let bytes = try await http.send("POST", "/control/\(command)", body?.serialized() ?? [])
    // The log of a long run is longer than anything that acct reads.
    return try JSON(parsing: bytes, maximumBytes: 1 << 26).objectValue ?? [:]
  }

  /// Changes settings.
  package func set(_ settings: JSON) async throws { try await control("settings", settings) }

  /// Adds a fault; without one, removes all of them.
  package func fault(_ fault: JSON?) async throws {
    _ = try await http.send(fault == nil ? "DELETE" : "POST", "/control/faults", fault?.serialized() ?? [])
  }

  /// A session without a sign-in, as JSON for `add --import`.
  package func issue(_ request: JSON) async throws -> String {
    String(decoding: JSON.object(try await control("issue", request)).serialized(), as: UTF8.self)
  }

  /// Waits until so many requests are held by a fault.
  package func wait(held count: Int64) async throws {
    try await wait(["held": .number(JSONNumber(count)), "timeout": 60])
  }

  /// Waits until only this caller is connected: every earlier request has had its effect.
  package func waitUntilIdle() async throws { try await wait(["idle": true, "timeout": 60]) }

  private func wait(_ condition: JSON) async throws {
    guard try await control("wait", condition)["reached"] == true else {
      throw HarnessFailure("the strict server waited in vain for \(condition)")
    }
  }

  /// How often each thing has happened, such as `refreshes` or `replays`.
  package func counts() async throws -> [String: Int64] {
    let counts = try await control("counts")["counts"]?.objectValue ?? [:]
    return counts.reduce(into: [:]) { $0[$1.name] = $1.value.numberValue?.integer }
  }

  /// Every session, oldest first.
  package func sessions() async throws -> [JSONObject] {
    try await control("counts")["sessions"]?.arrayValue?.compactMap(\.objectValue) ?? []
  }

  /// The requests that came to one of its endpoints, oldest first.
  package func requests(to endpoint: String) async throws -> [JSONObject] {
    try await log("requests").filter { $0["endpoint"] == .string(endpoint) }
  }

  /// A part of the log: `requests`, or of those the `violations` or the `misplaced` ones.
  package func log(_ part: String) async throws -> [JSONObject] {
    // A part, since all of it takes long to read after thousands of requests.
    try await control("log?part=\(part)")[part]?.arrayValue?.compactMap(\.objectValue) ?? []
  }
}
