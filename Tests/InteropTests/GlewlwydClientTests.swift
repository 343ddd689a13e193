import AcctTestSupport
import Testing

@Suite("Confidential clients at Glewlwyd")
struct GlewlwydClientTests {
  typealias Method = GlewlwydServer.Method

  @Test("A confidential client signs in, renews and revokes with its secret", arguments: Method.allCases)
  func life(_ method: Method) async throws {
    let server = try await GlewlwydServer()
    let home = try AcctHome()
    let added = try await server.signIn(to: home, by: method)
    try #require(added.status == 0, "\(added.errorText)")
    let header = try await home.acct("header", server.userInfo).text
    #expect(header.hasPrefix("Authorization: DPoP "))
    #expect(try await server.curl(server.userInfo, headers: header).status == "200")

    let refreshed = try await home.acct("refresh", "--force")
    #expect(refreshed.status == 0, "\(refreshed.errorText)")
    let last = try await home.acct("header", server.userInfo).text
    #expect(try await server.curl(server.userInfo, headers: last).status == "200")

    // Unlike a public client it may end its session there.
    let removed = try await home.acct("remove", "work")
    #expect(removed.status == 0)
    #expect(!removed.errorText.contains("401"), "\(removed.errorText)")
    await server.stop()
  }

  @Test("20 commands with an expired token renew it once", arguments: Method.allCases)
  func crowd(_ method: Method) async throws {
    let server = try await GlewlwydServer(tokenLife: 1)
    let home = try AcctHome()
    let added = try await server.signIn(to: home, by: method, "--no-dpop")
    try #require(added.status == 0, "\(added.errorText)")
    try await expectOneRenewal(server, home)
    await server.stop()
  }

  @Test("20 commands with an expired token of client credentials get one new token")
  func clientCrowd() async throws {
    let server = try await GlewlwydServer(tokenLife: 1)
    let home = try AcctHome()
    let added = try await server.addClient(to: home, by: .basic)
    try #require(added.status == 0, "\(added.errorText)")
    try await expectOneRenewal(server, home)
    await server.stop()
  }

  @Test(
    "A check of client credentials asks introspection, and replaces a token that was revoked",
    arguments: Method.allCases
  )
  func introspection(_ method: Method) async throws {
    let server = try await GlewlwydServer()
    let home = try AcctHome()
    let added = try await server.addClient(to: home, by: method)
    try #require(added.status == 0, "\(added.errorText)")
    let valid = try await home.acct("status", "--check", "--json")
    #expect(valid.status == 0, "\(valid.errorText)")
    #expect(valid.text.contains(#""state":"valid""#))
    guard method == .basic else { return await server.stop() }
    let token = try await home.token()
    try await server.revoke(token)
    // The same grant brings another token, so the account works.
    let checked = try await home.acct("status", "--check")
    #expect(checked.status == 0, "\(checked.errorText)")
    #expect(try await home.token() != token)
    await server.stop()
  }

  @Test("A client that authenticates in another way than the server allows is not signed in")
  func otherWay() async throws {
    let server = try await GlewlwydServer()
    let home = try AcctHome()
    let added = try await server.signIn(to: home, by: .basic, "--client-auth", "post")
    // It says no more than 403, and acct no less.
    #expect(added.status != 0 && added.status != 64)
    #expect(added.errorText.contains("403"), "\(added.errorText)")
    #expect(!added.errorText.contains("made-up-secret"))
    #expect(try await home.acct("list", "--json").text.contains(#""accounts":[]"#))
    await server.stop()
  }

  private func expectOneRenewal(_ server: GlewlwydServer, _ home: AcctHome) async throws {
    try await home.untilExpired()
    try await server.setTokenLife(3600)
    let before = try await server.issued()
    let printed = try await inCrowd(home.command(["token"]))
    #expect(Set(printed).count == 1)
    #expect(try await server.issued() == before + 1)
    #expect(try await home.acct("status").status == 0)
  }
}
