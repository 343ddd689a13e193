import AcctTestSupport
import StrictJSON
import Testing

@Suite(
  "An account at a Django site with django-oauth-toolkit",
  .enabled(if: TestExtent.isFull, "only in the long form")
)
struct ToolkitTests {
  typealias Client = ToolkitServer.Client

  @Test("A client of any kind signs in, renews, is checked, and ends its session", arguments: Client.allCases)
  func life(_ client: Client) async throws {
    let server = try await ToolkitServer.shared.value
    let home = try AcctHome()
    let added = try await server.signIn(to: home, as: client)
    try #require(added.status == 0, "\(added.errorText)")
    let header = try await home.acct("header", server.userInfo).text
    #expect(try await curl(server.userInfo, headers: header).body == #"{"sub": "1"}"#)
    #expect(try await home.acct("status", "--check").status == 0)

    let refreshed = try await home.acct("refresh", "--force")
    #expect(refreshed.status == 0, "\(refreshed.errorText)")
    // A renewal ends the token before it.
    #expect(try await curl(server.userInfo, headers: header).status == "401")
    let last = try await home.acct("header", server.userInfo).text
    #expect(try await curl(server.userInfo, headers: last).status == "200")
    let facts = try await server.facts(of: try await home.token())
    #expect(facts["active"] == true)
    #expect(facts["scope"] == "openid read")

    let removed = try await home.acct("remove", "work")
    #expect(removed.status == 0)
    #expect(removed.errorText.contains("has ended the session of work"), "\(removed.errorText)")
    #expect(try await curl(server.userInfo, headers: last).status == "401")
  }

  @Test("20 commands with an expired token renew it once", arguments: Client.allCases)
  func crowd(_ client: Client) async throws {
    let server = try await ToolkitServer.shared.value
    let home = try AcctHome()
    // Without an ID token, whose end would stay where it is.
    let added = try await server.signIn(to: home, as: client, scope: "read")
    try #require(added.status == 0, "\(added.errorText)")
    let before = try await (home.token(), server.issued())
    let printed = try await inCrowd(home.command(secondsAhead: 36_001, ["token"]))
    #expect(Set(printed).count == 1)
    #expect(printed.first != "\(before.0)\n")
    #expect(try await server.issued() == before.1 + 1)
  }

  @Test("A sign-in with a code on another device is renewed and ends like any other")
  func device() async throws {
    let server = try await ToolkitServer.shared.value
    let home = try AcctHome()
    let added = try await server.signInOnDevice(to: home)
    try #require(added.status == 0, "\(added.errorText)")
    #expect(try await home.acct("status", "--check").status == 0)
    let refreshed = try await home.acct("refresh", "--force")
    #expect(refreshed.status == 0, "\(refreshed.errorText)")
    let last = try await home.acct("header", server.userInfo).text
    #expect(try await curl(server.userInfo, headers: last).body == #"{"sub": "1"}"#)
    #expect(try await home.acct("remove", "work").status == 0)
    #expect(try await curl(server.userInfo, headers: last).status == "401")
  }

  @Test("A sign-in without a client id registers one, which renews the session")
  func registration() async throws {
    let server = try await ToolkitServer.shared.value
    let home = try AcctHome()
    let added = try await server.register(with: home)
    try #require(added.status == 0, "\(added.errorText)")
    let before = try await home.token()
    let refreshed = try await home.acct("refresh", "--force")
    #expect(refreshed.status == 0, "\(refreshed.errorText)")
    #expect(try await server.facts(of: before)["active"] == false)
    #expect(try await server.facts(of: try await home.token())["active"] == true)
  }

  @Test("A check of client credentials asks introspection, and their removal ends the token")
  func clientCredentials() async throws {
    let server = try await ToolkitServer.shared.value
    let home = try AcctHome()
    let added = try await home.acct(
      "add",
      "--name",
      "reports",
      "--grant",
      "client-credentials",
      "--issuer",
      server.issuer,
      "--client-id",
      "reports",
      "--client-secret-file",
      try server.secretFile(),
      "--scope",
      "read introspection"
    )
    try #require(added.status == 0, "\(added.errorText)")
    let checked = try await home.acct("status", "--check")
    #expect(checked.status == 0, "\(checked.errorText)")
    let token = try await home.token()
    let facts = try await server.facts(of: token)
    #expect(facts["active"] == true)
    #expect(facts["client_id"] == "reports")
    #expect(try await home.acct("remove", "reports").status == 0)
    #expect(try await server.facts(of: token)["active"] == false)
  }

  @Test("A session that the server has ended is reported so, and the next sign-in begins another")
  func ended() async throws {
    let server = try await ToolkitServer.shared.value
    let home = try AcctHome()
    let added = try await server.signIn(to: home, as: .isPublic)
    try #require(added.status == 0, "\(added.errorText)")
    try await server.end()
    let checked = try await home.acct("status", "--check")
    #expect(checked.status == 4, "\(checked.errorText)")
    let refreshed = try await home.acct("refresh", "--force")
    #expect(refreshed.status == 4, "\(refreshed.errorText)")
    let again = try await server.signIn(to: home, as: .isPublic)
    try #require(again.status == 0, "\(again.errorText)")
    #expect(try await home.acct("status", "--check").status == 0)
  }

  @Test("A wrong secret is reported in the server's words, and nothing is stored")
  func wrongSecret() async throws {
    let server = try await ToolkitServer.shared.value
    let home = try AcctHome()
    let added = try await server.signIn(to: home, as: .basic, secret: "another-made-up-secret")
    #expect(added.status != 0)
    #expect(added.errorText.contains("invalid_client"), "\(added.errorText)")
    #expect(!added.errorText.contains("another-made-up-secret"))
    #expect(try await home.acct("list", "--json").text.contains(#""accounts":[]"#))
  }
}
