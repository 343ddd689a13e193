import AcctTestSupport
import Testing

@Suite("A session at Glewlwyd with single-use refresh tokens")
struct GlewlwydRenewalTests {
  @Test("A session at Glewlwyd is renewed on request, repeatedly", arguments: GlewlwydServer.Demand.allCases)
  func forced(_ demand: GlewlwydServer.Demand) async throws {
    let server = try await GlewlwydServer(demanding: demand, tokenLife: 60)
    let home = try AcctHome()
    let added = try await server.signIn(to: home)
    try #require(added.status == 0, "\(added.errorText)")

    var tokens: Set<String> = [try await token(of: home)]
    for _ in 1...3 {
      let refreshed = try await home.acct("refresh", "--force")
      try #require(refreshed.status == 0, "\(refreshed.errorText)")
      tokens.insert(try await token(of: home))
      #expect(try await userInfoStatus(home, server) == "200")
    }
    #expect(tokens.count == 4)

    // Not due: even a token of a minute is good for its first half.
    let notDue = try await home.acct("refresh")
    #expect(notDue.errorText.contains("is not due"))
    #expect(tokens.contains(try await token(of: home)))
    await server.stop()
  }

  @Test("A session at Glewlwyd is renewed once by the header that needs it", arguments: GlewlwydServer.Demand.allCases)
  func due(_ demand: GlewlwydServer.Demand) async throws {
    let server = try await GlewlwydServer(demanding: demand, tokenLife: 60)
    let home = try AcctHome()
    let handoff = try await server.handoff()
    let added = try await home.importing(handoff)
    try #require(added.status == 0, "\(added.errorText)")

    // All that is known of the imported token is that it ends within five minutes.
    let offline = try await home.acct("token", "--offline").text.dropLast()
    #expect(handoff.contains(offline))
    #expect(try await userInfoStatus(home, server) == "200")
    let renewed = try await token(of: home)
    #expect(!handoff.contains(renewed))
    // Of the renewed one the server has said that it gets a minute, half of which is enough.
    #expect(try await userInfoStatus(home, server) == "200")
    #expect(try await token(of: home) == renewed)
    await server.stop()
  }

  @Test("A nonce that Glewlwyd no longer accepts costs a renewal one more request")
  func staleNonce() async throws {
    let server = try await GlewlwydServer(demanding: .nonces)
    let home = try AcctHome()
    let added = try await server.signIn(to: home)
    try #require(added.status == 0, "\(added.errorText)")

    // curl's answers, and the new nonces in them, are not acct's to see.
    var status = "200"
    for _ in 1...8 where status == "200" { status = try await userInfoStatus(home, server) }
    try #require(status == "401")

    let refreshed = try await home.acct("refresh", "--force")
    #expect(refreshed.status == 0, "\(refreshed.errorText)")
    #expect(try await userInfoStatus(home, server) == "200")
    await server.stop()
  }

  @Test(
    "A reused refresh token ends a session at Glewlwyd; acct reports it and keeps the rest",
    arguments: GlewlwydServer.Demand.allCases
  )
  func replay(_ demand: GlewlwydServer.Demand) async throws {
    let server = try await GlewlwydServer(demanding: demand)
    let home = try AcctHome()
    let handoff = try await server.handoff()
    let added = try await home.importing(handoff)
    try #require(added.status == 0, "\(added.errorText)")
    for _ in 1...2 {
      let refreshed = try await home.acct("refresh", "--force")
      try #require(refreshed.status == 0, "\(refreshed.errorText)")
    }

    let replayed = try await server.spend(handoff)
    #expect(replayed.status == "400")
    #expect(replayed.body.isEmpty)

    // The very same empty 400: it names no `invalid_grant`, so it does not prove the session's end.
    let refused = try await home.acct("refresh", "--force")
    #expect(refused.status == 11)
    #expect(refused.errorText.contains("answered 400 without a reason"))
    let status = try await home.acct("status", "--json")
    #expect(status.status == 0)
    #expect(status.text.contains(#""state":"valid""#))
    #expect(try await userInfoStatus(home, server) == "200")
    await server.stop()
  }

  @Test("Removing a public client's account does not end its session at Glewlwyd, and acct says so")
  func removal() async throws {
    let server = try await GlewlwydServer()
    let home = try AcctHome()
    let handoff = try await server.handoff()
    let added = try await home.acct("add", "--import", "-", "--name", "work", input: handoff)
    try #require(added.status == 0, "\(added.errorText)")

    let removed = try await home.acct("remove", "work")
    #expect(removed.status == 0)
    #expect(removed.errorText.contains("it answered 401"))
    #expect(try await home.acct("list", "--json").text.contains(#""accounts":[]"#))
    // What acct said is true.
    #expect(try await server.spend(handoff).status == "200")
    await server.stop()
  }

  private func token(of home: AcctHome) async throws -> String {
    let printed = try await home.acct("token")
    try #require(printed.status == 0, "\(printed.errorText)")
    return String(printed.text.dropLast())
  }

  /// What the server answers to a request with acct's header.
  private func userInfoStatus(_ home: AcctHome, _ server: GlewlwydServer) async throws -> String {
    let header = try await home.acct("header", server.userInfo)
    try #require(header.status == 0, "\(header.errorText)")
    return try await server.curl(server.userInfo, headers: header.text).status
  }
}
