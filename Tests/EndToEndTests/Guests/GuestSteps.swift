import AcctTestSupport
import StrictJSON
import Testing

/// A guest's steps at a real backend: signing in with acct, making requests with curl.
struct GuestSteps {
  let backend: GuestBackend
  let home: AcctHome

  init(_ settings: JSON = [:]) async throws {
    backend = try await GuestBackend(settings)
    home = try AcctHome()
  }

  var url: String { "\(backend.origin)/api/edit" }

  func add(
    expecting status: Int32 = 0,
    _ location: SourceLocation = #_sourceLocation
  ) async throws -> ChildProcess.Output {
    let added = try await home.acct("add", "--guest", backend.origin)
    #expect(added.status == status, "\(added.errorText)", sourceLocation: location)
    return added
  }

  func token() async throws -> String { try await home.acct("token").text }

  /// Makes an edit as people do, has acct observe the answer, and returns its status.
  func edit(_ headers: String? = nil) async throws -> String {
    let lines: String
    if let headers { lines = headers } else { lines = try await home.acct("header", url).text }
    let curl = ChildProcess("curl", ["-sS", "-H", "@-", "-D", "-", "-o", "/dev/null", url], input: lines)
    let heads = try await curl.run().text
    let observed = try await home.acct("observe", url, input: heads)
    #expect(observed.status == 0, "\(observed.errorText)")
    return heads.split(separator: " ").dropFirst().first.map(String.init) ?? ""
  }

  /// The only limit that is known.
  func limit() async throws -> JSONObject {
    let json = try JSON(parsing: try await home.acct("limits", "--json").standardOutput)
    let limits = try #require(json.objectValue?["limits"]?.arrayValue)
    try #require(limits.count == 1)
    return try #require(limits[0].objectValue)
  }

  func state() async throws -> JSON? {
    let json = try JSON(parsing: try await home.acct("status", "--json").standardOutput)
    return json.objectValue?["account"]?.objectValue?["state"]
  }
}
