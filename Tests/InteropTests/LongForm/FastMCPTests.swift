import AcctTestSupport
import Testing

@Suite("An account at a FastMCP server", .enabled(if: TestExtent.isFull, "only in the long form"))
struct FastMCPTests {
  @Test("The address of a FastMCP server is enough to register, sign in, call a tool, renew and sign out")
  func life() async throws {
    let server = try await FastMCPServer()
    let home = try AcctHome()
    let added = try await server.signIn(to: home)
    try #require(added.status == 0, "\(added.errorText)")
    let called = try await server.call(from: home)
    #expect(called.status == 0 && called.text.contains("a note of alice's"), "\(called.errorText)")
    for _ in 0..<2 {
      let before = try await home.token()
      let refreshed = try await home.acct("refresh", "--force")
      #expect(refreshed.status == 0, "\(refreshed.errorText)")
      #expect(try await home.token() != before)
    }
    let again = try await server.call(from: home)
    #expect(again.status == 0 && again.text.contains("a note of alice's"), "\(again.errorText)")
    let removed = try await home.acct("remove", "work")
    #expect(removed.status == 0)
    #expect(removed.errorText.contains("has ended the session of work"), "\(removed.errorText)")
  }

  @Test("20 commands with an expired token renew it once")
  func crowd() async throws {
    let server = try await FastMCPServer()
    let home = try AcctHome()
    let added = try await server.signIn(to: home)
    try #require(added.status == 0, "\(added.errorText)")
    let printed = try await inCrowd(home.command(secondsAhead: 3_601, ["token"]))
    #expect(Set(printed).count == 1)
    #expect(try await home.acct("status").status == 0)
  }
}
