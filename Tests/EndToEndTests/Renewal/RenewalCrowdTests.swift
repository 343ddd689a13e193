import AcctTestSupport
import StrictJSON
import Testing

/// Many processes that all find the same expired token, at a server that ends a session when a
/// refresh token is used twice.
@Suite("A renewal in many processes")
struct RenewalCrowdTests {
  private static let processes = 100
  /// As many as a keyring daemon answers within acct's 5 seconds on a machine with much else to do: they ask
  /// it all at once.
  private static let processesAtKeyring = 40

  @Test("100 processes at once make one refresh and print the same new token, round after round")
  func vault() async throws {
    let server = try await StrictServer()
    let home = try AcctHome()
    for round in 1...TestExtent.count(3, full: 20) { try await renew(Self.processes, home, server, round) }
    try await server.expectNothingWrong()
  }

  @Test("40 processes at once make one refresh in a GNOME Keyring, too")
  func secretService() async throws {
    let keyring = try GnomeKeyring()
    defer { keyring.stop() }
    let server = try await StrictServer()
    try await renew(Self.processesAtKeyring, try AcctHome(in: keyring), server, 1)
    try await server.expectNothingWrong()
  }

  @Test("20 processes that want the same second token at once make one refresh and print one token")
  func secondToken() async throws {
    let server = try await StrictServer()
    let home = try AcctHome()
    try await renew(20, home, server, 1, ["token", "--audience", "https://another.example"])
    // The account's own token is another one, and is still to be renewed.
    let refreshes = try await server.counts()["refreshes"]
    let own = try await home.acct("token")
    #expect(own.status == 0, "\(own.errorText)")
    #expect(try await server.counts()["refreshes"] == refreshes.map { $0 + 1 })
    try await server.expectNothingWrong()
  }

  @Test("20 times at once, git reports one rejected token, which makes one refresh")
  func rejected() async throws {
    let server = try await StrictServer(["dpop": "off"])
    let home = try AcctHome()
    let added = try await home.importing(try await server.issue([:]))
    try #require(added.status == 0, "\(added.errorText)")
    let token = try await home.acct("token")
    let question = "url=\(server.resource)/\npassword=\(token.text)\n"
    try await server.fault(["endpoint": "token", "kind": "delay", "count": 1])
    let crowd = try (0..<20).map { _ in try RunningProcess(home.command(["helper", "git", "erase"], input: question)) }
    try await server.wait(held: 1)
    try await server.control("release")
    for process in crowd {
      let status = await process.ended(within: .seconds(120))
      let message = String(decoding: process.standardError.contents(), as: UTF8.self)
      #expect(status == 0 && message.isEmpty, "\(message)")
    }
    let counts = try await server.counts()
    #expect(counts["refreshes"] == 1 && counts["replays"] == 0)
    try await server.expectNothingWrong()
  }

  private func renew(
    _ count: Int,
    _ home: AcctHome,
    _ server: StrictServer,
    _ round: Int,
    _ command: [String] = ["token"]
  ) async throws {
    try await home.importExpired(from: server)
    let before = try #require(try await server.counts()["refreshes"])
    // The first one's request is held until all of the others have been started. What still loads by then
    // finds the new token.
    try await server.fault(["endpoint": "token", "kind": "delay", "count": 1])
    let crowd = try (0..<count).map { _ in try RunningProcess(home.command(command)) }
    try await server.wait(held: 1)
    try await server.control("release")

    var tokens: Set<[UInt8]> = []
    for process in crowd {
      let status = await process.ended(within: .seconds(120))
      let message = String(decoding: process.standardError.contents(), as: UTF8.self)
      #expect(status == 0, "round \(round): \(message)")
      tokens.insert(process.standardOutput.contents())
    }
    #expect(tokens.count == 1, "round \(round)")
    let counts = try await server.counts()
    #expect(counts["refreshes"] == before + 1, "round \(round)")
    #expect(counts["replays"] == 0, "round \(round)")
  }
}
