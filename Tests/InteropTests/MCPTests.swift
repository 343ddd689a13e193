import AcctTestSupport
import Testing

@Suite("An account at an MCP server, added by its address alone")
struct MCPTests {
  @Test("The server's address is enough to find who issues its tokens, register and sign in")
  func address() async throws {
    let server = try await MCPServer.shared.value
    let home = try AcctHome()
    let added = try await server.signIn(to: home)
    try #require(added.status == 0, "\(added.errorText)")
    let called = try await server.call(server.resource, from: home)
    #expect(called.status == 0, "\(called.errorText)")
    #expect(called.text.contains("a note of alice's"))
  }

  @Test("A renewal asks for the same resource, so that the server takes the next token, too")
  func renewal() async throws {
    let server = try await MCPServer.shared.value
    let home = try AcctHome()
    let added = try await server.signIn(to: home)
    try #require(added.status == 0, "\(added.errorText)")
    let before = try await home.token()
    let refreshed = try await home.acct("refresh", "--force")
    #expect(refreshed.status == 0, "\(refreshed.errorText)")
    #expect(try await home.token() != before)
    let called = try await server.call(server.resource, from: home)
    #expect(called.status == 0, "\(called.errorText)")
    #expect(called.text.contains("a note of alice's"))
  }

  @Test("20 commands with an expired token renew it once")
  func crowd() async throws {
    let server = try await MCPServer.shared.value
    let home = try AcctHome()
    let added = try await server.signIn(to: home)
    try #require(added.status == 0, "\(added.errorText)")
    let before = try await server.count("refreshes")
    let printed = try await inCrowd(home.command(secondsAhead: 3601, ["token"]))
    #expect(Set(printed).count == 1)
    #expect(try await server.count("refreshes") == before + 1)
    #expect(try await server.count("replays") == 0)
  }

  @Test("A tool that wants another scope is refused with the command that signs in for it")
  func stepUp() async throws {
    let server = try await MCPServer.shared.value
    let home = try AcctHome()
    let added = try await server.signIn(to: home)
    try #require(added.status == 0, "\(added.errorText)")
    let called = try await server.call(server.admin, from: home)
    #expect(called.status == 4, "\(called.errorText)")
    #expect(called.errorText.contains("`acct login "), "\(called.errorText)")

    let again = try await server.signIn(to: home, "--scope", "notes admin")
    try #require(again.status == 0, "\(again.errorText)")
    let allowed = try await server.call(server.admin, from: home)
    #expect(allowed.status == 0, "\(allowed.errorText)")
  }
}
