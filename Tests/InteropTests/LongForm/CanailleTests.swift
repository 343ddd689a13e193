import AcctTestSupport
import Testing

@Suite("An account at Canaille, an OpenID provider", .enabled(if: TestExtent.isFull, "only in the long form"))
struct CanailleTests {
  typealias Client = CanailleServer.Client

  @Test(
    "A client of any kind signs in, renews and is checked; one with a secret also ends its session",
    arguments: Client.allCases
  )
  func life(_ client: Client) async throws {
    let server = try await CanailleServer.shared.value
    let home = try AcctHome()
    let added = try await server.signIn(to: home, as: client)
    try #require(added.status == 0, "\(added.errorText)")
    let header = try await home.acct("header", server.userInfo).text
    #expect(header.hasPrefix("Authorization: Bearer "))
    #expect(try await curl(server.userInfo, headers: header).body.contains(#""sub": "alice""#))
    let checked = try await home.acct("status", "--check", "--json")
    #expect(checked.status == 0, "\(checked.errorText)")
    #expect(checked.text.contains(#""state":"valid""#))

    let before = try await server.issued()
    let refreshed = try await home.acct("refresh", "--force")
    #expect(refreshed.status == 0, "\(refreshed.errorText)")
    #expect(try await server.issued() == before + 1)
    // A renewal ends the token before it.
    #expect(try await curl(server.userInfo, headers: header).status == "401")
    let last = try await home.acct("header", server.userInfo).text
    #expect(try await curl(server.userInfo, headers: last).status == "200")

    let removed = try await home.acct("remove", "work")
    #expect(removed.status == 0)
    // Its revocation endpoint knows only clients with a secret, and says so in its metadata.
    #expect(removed.errorText.contains("401") == (client != .basic), "\(removed.errorText)")
    let end = client == .basic ? "401" : "200"
    #expect(try await curl(server.userInfo, headers: last).status == end)
  }

  @Test("A sign-in without a client id registers one, which renews the session")
  func registration() async throws {
    let server = try await CanailleServer.shared.value
    let home = try AcctHome()
    let added = try await server.register(with: home)
    try #require(added.status == 0, "\(added.errorText)")
    let refreshed = try await home.acct("refresh", "--force")
    #expect(refreshed.status == 0, "\(refreshed.errorText)")
    let header = try await home.acct("header", server.userInfo).text
    #expect(try await curl(server.userInfo, headers: header).body.contains(#""sub": "alice""#))
    #expect(try await home.acct("status", "--check").status == 0)
  }

  @Test("20 commands with a token that is about to expire renew it once", arguments: Client.allCases)
  func crowd(_ client: Client) async throws {
    let server = try await CanailleServer.shared.value
    let home = try AcctHome()
    let added = try await server.signIn(to: home, as: client)
    try #require(added.status == 0, "\(added.errorText)")
    let before = try await (home.token(), server.issued())
    // 200 seconds before the token's end; the next one lasts an hour.
    let printed = try await inCrowd(home.command(secondsAhead: 1_600, ["token"]))
    #expect(Set(printed).count == 1)
    #expect(printed.first != "\(before.0)\n")
    #expect(try await server.issued() == before.1 + 1)
    #expect(try await home.acct("status").status == 0)
  }

  @Test("A wrong secret is reported in the server's words, and nothing is stored")
  func wrongSecret() async throws {
    let server = try await CanailleServer.shared.value
    let home = try AcctHome()
    let added = try await server.signIn(to: home, as: .basic, secret: "another-made-up-secret")
    #expect(added.status != 0)
    #expect(added.errorText.contains("invalid_client"), "\(added.errorText)")
    #expect(!added.errorText.contains("another-made-up-secret"))
    #expect(try await home.acct("list", "--json").text.contains(#""accounts":[]"#))
  }
}
