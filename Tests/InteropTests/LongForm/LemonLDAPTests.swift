import AcctTestSupport
import Testing

@Suite("An account at LemonLDAP::NG, an OpenID provider", .enabled(if: TestExtent.isFull, "only in the long form"))
struct LemonLDAPTests {
  typealias Client = LemonLDAPServer.Client

  @Test(
    "A client of any kind signs in, renews with a refresh token that stays, and is checked",
    arguments: Client.allCases
  )
  func life(_ client: Client) async throws {
    let server = try await LemonLDAPServer.shared.value
    let home = try AcctHome()
    let added = try await server.signIn(to: home, as: client)
    try #require(added.status == 0, "\(added.errorText)")
    let header = try await home.acct("header", server.userInfo).text
    #expect(try await curl(server.userInfo, headers: header).body.contains(#""sub":"alice""#))
    for _ in 0..<2 {
      let before = try await home.token()
      let refreshed = try await home.acct("refresh", "--force")
      #expect(refreshed.status == 0, "\(refreshed.errorText)")
      #expect(try await home.token() != before)
    }
    let last = try await home.acct("header", server.userInfo).text
    #expect(try await curl(server.userInfo, headers: last).status == "200")
    let checked = try await home.acct("status", "--check", "--json")
    #expect(checked.status == 0, "\(checked.errorText)")
    #expect(checked.text.contains(#""state":"valid""#))
    let removed = try await home.acct("remove", "work")
    #expect(removed.status == 0)
    #expect(removed.errorText.contains("no revocation endpoint"), "\(removed.errorText)")
  }

  @Test(
    "A refusal without a reason is the session's end when it comes again a minute later, and a sign-in begins another"
  )
  func ended() async throws {
    let server = try await LemonLDAPServer.shared.value
    let home = try AcctHome()
    let added = try await server.signIn(to: home, as: .isPublic)
    try #require(added.status == 0, "\(added.errorText)")
    try await server.end()
    let refused = try await home.acct("refresh", "--force")
    #expect(refused.status == 11, "\(refused.errorText)")
    #expect(refused.errorText.contains("invalid_request"), "\(refused.errorText)")
    let again = try await home.command(secondsAhead: 61, ["refresh", "--force"]).run()
    #expect(again.status == 4, "\(again.errorText)")
    #expect(again.errorText.contains("`acct login work`"), "\(again.errorText)")
    let next = try await server.signIn(to: home, as: .isPublic)
    try #require(next.status == 0, "\(next.errorText)")
    #expect(try await home.acct("status", "--check").status == 0)
  }

  @Test("20 commands with an expired token renew it once")
  func crowd() async throws {
    let server = try await LemonLDAPServer.shared.value
    let home = try AcctHome()
    let added = try await server.signIn(to: home, as: .isPublic)
    try #require(added.status == 0, "\(added.errorText)")
    let before = try await home.token()
    let printed = try await inCrowd(home.command(secondsAhead: 3_601, ["token"]))
    #expect(Set(printed).count == 1)
    #expect(printed.first != "\(before)\n")
  }

  @Test("A wrong secret is reported in the server's words, and nothing is stored")
  func wrongSecret() async throws {
    let server = try await LemonLDAPServer.shared.value
    let home = try AcctHome()
    let added = try await server.signIn(to: home, as: .basic, secret: "another-made-up-secret")
    #expect(added.status != 0)
    #expect(!added.errorText.contains("another-made-up-secret"))
    #expect(try await home.acct("list", "--json").text.contains(#""accounts":[]"#))
  }
}
