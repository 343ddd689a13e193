import AcctTestSupport
import Testing

@Suite(
  "Servers that keep registered clients in memory, and are restarted",
  .enabled(if: TestExtent.isFull, "only in the long form")
)
struct ForgottenClientTests {
  @Test("After a restart of the MCP SDK's server, a renewal asks for a sign-in, which registers anew, once")
  func sdk() async throws {
    let server = try await MCPServer()
    let home = try AcctHome()
    let added = try await server.signIn(to: home, "--name", "work")
    try #require(added.status == 0, "\(added.errorText)")
    try await server.restart()
    let refused = try await home.acct("refresh", "--force")
    #expect(refused.status == 4)
    #expect(refused.errorText.contains("`acct login work`"), "\(refused.errorText)")
    let again = try await server.browsing(home.command(["login", "work"]))
    try #require(again.status == 0, "\(again.errorText)")
    let called = try await server.call(server.resource, from: home)
    #expect(called.status == 0 && called.text.contains("a note of alice's"), "\(called.errorText)")
    #expect(try await home.acct("refresh", "--force").status == 0)
    #expect(try await server.count("clients") == 2)
  }

  @Test("After a restart of a FastMCP server, a renewal asks for a sign-in, which registers anew")
  func fastMCP() async throws {
    let server = try await FastMCPServer()
    let home = try AcctHome()
    let added = try await server.signIn(to: home)
    try #require(added.status == 0, "\(added.errorText)")
    try await server.restart()
    let refused = try await home.acct("refresh", "--force")
    #expect(refused.status == 4)
    #expect(refused.errorText.contains("`acct login work`"), "\(refused.errorText)")
    let again = try await server.browsing(home.command(["login", "work"]))
    try #require(again.status == 0, "\(again.errorText)")
    let called = try await server.call(from: home)
    #expect(called.status == 0 && called.text.contains("a note of alice's"), "\(called.errorText)")
    #expect(try await home.acct("refresh", "--force").status == 0)
  }
}
