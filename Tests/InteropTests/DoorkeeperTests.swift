import AcctTestSupport
import Testing

@Suite("An account at Doorkeeper, a server without discovery")
struct DoorkeeperTests {
  @Test(
    "A sign-in with explicit endpoints is renewed, and ends at the server when it is removed",
    arguments: DoorkeeperServer.Client.allCases
  )
  func life(_ client: DoorkeeperServer.Client) async throws {
    let server = try await DoorkeeperServer.shared.value
    let home = try AcctHome()
    let added = try await server.signIn(to: home, as: client)
    try #require(added.status == 0, "\(added.errorText)")

    let header = try await home.acct("header", server.user)
    #expect(header.text.hasPrefix("Authorization: Bearer "))
    #expect(try await curl(server.user, headers: header.text).body.contains(#""alice""#))

    var tokens: Set<String> = [try await home.token()]
    for _ in 1...2 {
      let refreshed = try await home.acct("refresh", "--force")
      try #require(refreshed.status == 0, "\(refreshed.errorText)")
      tokens.insert(try await home.token())
    }
    #expect(tokens.count == 3)
    // A renewal ends the token before it.
    #expect(try await curl(server.user, headers: header.text).status == "401")

    let last = try await home.acct("header", server.user).text
    #expect(try await curl(server.user, headers: last).status == "200")
    let removed = try await home.acct("remove", "work")
    #expect(removed.status == 0)
    #expect(try await curl(server.user, headers: last).status == "401")
  }

  @Test("20 commands with an expired token renew it once", arguments: DoorkeeperServer.Client.allCases)
  func crowd(_ client: DoorkeeperServer.Client) async throws {
    let server = try await DoorkeeperServer.shared.value
    let home = try AcctHome()
    let added = try await server.signIn(to: home, as: client)
    try #require(added.status == 0, "\(added.errorText)")
    let before = try await (home.token(), server.issued())

    let printed = try await inCrowd(home.command(secondsAhead: 7201, ["token"]))
    #expect(Set(printed).count == 1)
    #expect(printed.first != "\(before.0)\n")
    #expect(try await server.issued() == before.1 + 1)
  }

  @Test("A wrong secret is reported in the server's words, and nothing is stored")
  func wrongSecret() async throws {
    let server = try await DoorkeeperServer.shared.value
    let home = try AcctHome()
    let added = try await server.signIn(to: home, as: .basic, secret: "another-made-up-secret")
    #expect(added.status != 0)
    #expect(added.errorText.contains("invalid_client"), "\(added.errorText)")
    #expect(!added.errorText.contains("another-made-up-secret"))
    #expect(try await home.acct("list", "--json").text.contains(#""accounts":[]"#))
    let files = try await ChildProcess("find", [home.path, "-name", "oauth.*"]).run()
    #expect(files.text.isEmpty)
  }

  @Test("A session that the server has ended is reported so, and the next sign-in begins another")
  func ended() async throws {
    let server = try await DoorkeeperServer.shared.value
    let home = try AcctHome()
    let added = try await server.signIn(to: home, as: .basic)
    try #require(added.status == 0, "\(added.errorText)")
    try await server.end()
    let refreshed = try await home.acct("refresh", "--force")
    #expect(refreshed.status == 4, "\(refreshed.errorText)")
    let again = try await server.signIn(to: home, as: .basic)
    try #require(again.status == 0, "\(again.errorText)")
    let header = try await home.acct("header", server.user).text
    #expect(try await curl(server.user, headers: header).status == "200")
  }

  @Test("An account of client credentials gets its tokens without a person, and each by the grant")
  func clientCredentials() async throws {
    let server = try await DoorkeeperServer.shared.value
    let home = try AcctHome()
    let added = try await home.acct(
      "add",
      "--name",
      "reports",
      "--grant",
      "client-credentials",
      "--token-url",
      "\(server.origin)/oauth/token",
      "--client-id",
      "app",
      "--client-secret-file",
      try server.secretFile(),
      "--scope",
      "api"
    )
    try #require(added.status == 0, "\(added.errorText)")
    let header = try await home.acct("header", server.user)
    try #require(header.status == 0, "\(header.errorText)")
    #expect(try await curl(server.user, headers: header.text).body == #"{"application":"app"}"#)

    let before = try await server.issued()
    let printed = try await inCrowd(home.command(secondsAhead: 7201, ["token"]))
    #expect(Set(printed).count == 1)
    #expect(try await server.issued() == before + 1)
    let renewed = "Authorization: Bearer \(printed[0])"
    #expect(try await curl(server.user, headers: renewed).status == "200")
  }
}
