import AcctTestSupport
import Testing

@Suite("Signing in at Glewlwyd")
struct GlewlwydSignInTests {
  @Test("A sign-in through the browser gets tokens that Glewlwyd accepts", arguments: GlewlwydServer.Demand.allCases)
  func browser(_ demand: GlewlwydServer.Demand) async throws {
    let server = try await GlewlwydServer(demanding: demand)
    let home = try AcctHome()
    let added = try await server.signIn(to: home)
    try #require(added.status == 0, "\(added.errorText)")
    #expect(added.standardOutput.isEmpty)

    try await expectAcceptance(of: home, at: server)

    // The server, not acct, has to make a proof worthless elsewhere.
    let elsewhere = try await home.acct("header", "\(server.issuer)/token")
    try #require(elsewhere.status == 0, "\(elsewhere.errorText)")
    #expect(try await server.curl(server.userInfo, headers: elsewhere.text).status == "401")
    await server.stop()
  }

  @Test("A device sign-in ends when the user has consented elsewhere", arguments: GlewlwydServer.Demand.allCases)
  func device(_ demand: GlewlwydServer.Demand) async throws {
    let server = try await GlewlwydServer(demanding: demand)
    let home = try AcctHome()
    let added = try await server.signInOnDevice(to: home)
    try #require(added.status == 0, "\(added.errorText)")
    try await expectAcceptance(of: home, at: server)
    await server.stop()
  }

  @Test("A repeated sign-in renews the account, which keeps its id and name")
  func again() async throws {
    let server = try await GlewlwydServer()
    let home = try AcctHome()
    let first = try await server.signIn(to: home)
    try #require(first.status == 0, "\(first.errorText)")
    let renamed = try await home.acct("rename", try await name(in: home), "work")
    try #require(renamed.status == 0, "\(renamed.errorText)")
    let before = try await home.acct("list", "--json").text

    let second = try await server.signIn(to: home)
    #expect(second.errorText.contains("renewed work"))
    let device = try await server.signInOnDevice(to: home)
    #expect(device.errorText.contains("renewed work"))
    let after = try await home.acct("list", "--json").text
    // The id stands before what a sign-in changes: the thumbprint of a new key, and the times.
    let unchanged = before.prefix(upTo: try #require(before.firstRange(of: "\"kind\"")).lowerBound)
    #expect(after.hasPrefix(unchanged))
    #expect(after.ranges(of: "\"id\"").count == 1)
    try await expectAcceptance(of: home, at: server)
    await server.stop()
  }

  private func expectAcceptance(of home: AcctHome, at server: GlewlwydServer) async throws {
    let header = try await home.acct("header", server.userInfo)
    try #require(header.status == 0, "\(header.errorText)")
    #expect(header.text.hasPrefix("Authorization: DPoP "))
    let answer = try await server.curl(server.userInfo, headers: header.text)
    #expect(answer.status == "200")
    #expect(answer.body.contains("alice@example.test"))
  }

  /// The name of the only account.
  private func name(in home: AcctHome) async throws -> String {
    let listed = try await home.acct("list", "--json").text
    let start = try #require(listed.firstRange(of: "\"name\":\"")).upperBound
    return String(listed[start...].prefix { $0 != "\"" })
  }
}
