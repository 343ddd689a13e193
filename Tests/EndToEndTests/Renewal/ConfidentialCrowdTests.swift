import AcctTestSupport
import StrictJSON
import Testing

/// Many processes that all find the same expired token of a client with a secret.
@Suite("A renewal of a confidential client in many processes")
struct ConfidentialCrowdTests {
  private static let processes = 20
  private static let secret = "s3cret +/:% of a test"

  private func server(_ method: String) async throws -> StrictServer {
    try await StrictServer([
      "device_interval": 1, "device_approve_after": 0,
      // Every token has expired when it comes.
      "lifetime": -10,
      "clients": [
        "my client": ["redirect_uris": [], "secret": .string(Self.secret), "auth": .string(method)]
      ],
    ])
  }

  @Test(
    "20 processes at once make one refresh with the client's secret",
    arguments: ["basic", "post"]
  )
  func refresh(method: String) async throws {
    let server = try await server(method)
    try await renew(["--device", "--client-auth", method], "refreshes", server)
  }

  @Test("20 processes at once ask once for client credentials")
  func clientCredentials() async throws {
    let server = try await server("basic")
    try await renew(["--grant", "client-credentials"], "client_credentials", server)
  }

  private func renew(
    _ options: [String],
    _ counted: String,
    _ server: StrictServer
  ) async throws {
    let home = try AcctHome()
    let folder = try TemporaryFolder()
    let file = try folder.file("client-secret", containing: Self.secret + "\n")
    let added = try await home.command(
      [
        "add", "--issuer", server.issuer, "--client-id", "my client", "--client-secret-file", file,
      ] + options
    ).run()
    try #require(added.status == 0, "\(added.errorText)")
    let before = try await server.counts()[counted] ?? 0
    try await server.set(["lifetime": 3600])

    // The first one's request is held until all of the others are there.
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
