import AcctTestSupport
import StrictJSON
import Testing

/// Many processes that all find the same expired token, of each kind of client.
@Suite("A renewal of each kind of client in many processes")
struct ConfidentialCrowdTests {
  private static let processes = 20
  private static let secret = "s3cret +/:% of a test"

  private func server() async throws -> StrictServer {
    func client(_ members: JSONObject = [:]) -> JSON {
      var client: JSONObject = ["redirect_uris": []]
      for (name, value) in members { client[name] = value }
      return .object(client)
    }
    return try await StrictServer([
      "device_interval": 1, "device_approve_after": 0,
      // Every token has expired when it comes.
      "lifetime": -10,
      "clients": [
        "public": client(), "keyed": client(["key": MadeUpKeys.p256Public]),
        "basic": client(["secret": .string(Self.secret), "auth": "basic"]),
        "post": client(["secret": .string(Self.secret), "auth": "post"]),
      ],
    ])
  }

  @Test("20 processes at once make one refresh of a public client that signed in on another device")
  func device() async throws { try await renew(["--client-id", "public", "--device"], "refreshes") }

  @Test("20 processes at once make one refresh with the client's secret", arguments: ["basic", "post"])
  func refresh(method: String) async throws {
    try await renew(["--client-id", method, "--device", "--client-auth", method], secret: Self.secret, "refreshes")
  }

  @Test("20 processes at once make one refresh with an assertion of the client's key")
  func privateKey() async throws {
    try await renew(["--client-id", "keyed", "--device"], key: MadeUpKeys.p256, "refreshes")
  }

  @Test("20 processes at once ask once for client credentials")
  func clientCredentials() async throws {
    try await renew(
      ["--client-id", "basic", "--grant", "client-credentials"],
      secret: Self.secret,
      "client_credentials"
    )
  }

  @Test("20 processes at once ask once for client credentials with an assertion of the client's key")
  func keyedCredentials() async throws {
    try await renew(
      ["--client-id", "keyed", "--grant", "client-credentials"],
      key: MadeUpKeys.p256,
      "client_credentials"
    )
  }

  @Test("20 processes at once use one assertion as a grant")
  func assertion() async throws {
    try await renew(
      ["--client-id", "keyed", "--grant", "jwt-bearer", "--token-param", "sub=keyed"],
      key: MadeUpKeys.p256,
      "jwt_bearer"
    )
  }

  private func renew(_ options: [String], secret: String? = nil, key: String? = nil, _ counted: String) async throws {
    let server = try await server()
    let home = try AcctHome()
    let folder = try TemporaryFolder()
    var options = ["add", "--issuer", server.issuer] + options
    if let secret { options += ["--client-secret-file", try folder.file("secret", containing: secret + "\n")] }
    if let key { options += ["--client-key", try folder.file("key", containing: key + "\n")] }
    let added = try await home.command(options).run()
    try #require(added.status == 0, "\(added.errorText)")
    let before = try await server.counts()[counted] ?? 0
    try await server.set(["lifetime": 3600])

    // The first one's request is held until all of the others have been started. What still loads by then
    // finds the new token.
    try await server.fault(["endpoint": "token", "kind": "delay", "count": 1])
    let crowd = try (0..<Self.processes).map { _ in try RunningProcess(home.command(["token"])) }
    try await server.wait(held: 1)
    try await server.control("release")

    var tokens: Set<[UInt8]> = []
    for process in crowd {
      let status = await process.ended(within: .seconds(120))
      let message = String(decoding: process.standardError.contents(), as: UTF8.self)
      #expect(status == 0, "\(message)")
      tokens.insert(process.standardOutput.contents())
    }
    #expect(tokens.count == 1)
    let after = try await server.counts()[counted] ?? 0
    #expect(after == before + 1, "\(before), \(after)")
    try await server.expectNothingWrong()
  }
}
