import AcctTestSupport
import Testing

@Suite("Credentials that Glewlwyd issued for an imported key")
struct GlewlwydTests {
  @Test("Imported credentials are accepted in the account's header, for the named URL only")
  func importedAccount() async throws {
    let server = try await GlewlwydServer()
    let home = try AcctHome()
    let handoff = try await server.handoff()

    // The server guards what it gives: without this the rest would show nothing.
    #expect(try await server.curl(server.userInfo, headers: "").status == "401")

    let added = try await home.importing(handoff)
    try #require(added.status == 0, "\(added.errorText)")

    let header = try await home.acct("header", server.userInfo)
    try #require(header.status == 0, "\(header.errorText)")
    let answer = try await server.curl(server.userInfo, headers: header.text)
    #expect(answer.status == "200")
    #expect(answer.body.contains("alice@example.test"))

    let elsewhere = try await home.acct("header", "\(server.issuer)/token")
    try #require(elsewhere.status == 0, "\(elsewhere.errorText)")
    #expect(try await server.curl(server.userInfo, headers: elsewhere.text).status == "401")

    let posted = try await home.acct("header", "POST", server.userInfo)
    try #require(posted.status == 0, "\(posted.errorText)")
    #expect(try await server.curl(server.userInfo, headers: posted.text).status == "401")

    // The first header again: its one request has been made.
    #expect(try await server.curl(server.userInfo, headers: header.text).status == "401")
    await server.stop()
  }

  @Test("Imported credentials with another key are rejected, and nothing of them is stored")
  func anotherKey() async throws {
    let server = try await GlewlwydServer()
    let home = try AcctHome()
    let one = try await server.handoff()
    let other = try await server.handoff()
    await server.stop()

    // The token of one sign-in with the key of another: both sound, but not for each other.
    let key = try #require(other.firstRange(of: "\"dpopKey\""))
    let token = try #require(one.firstRange(of: "\"dpopKey\""))
    let mixed = String(one[..<token.lowerBound] + other[key.lowerBound...])
    let added = try await home.importing(mixed)
    #expect(added.status == 65)
    #expect(added.standardOutput.isEmpty)

    let listed = try await home.acct("list", "--json")
    #expect(listed.status == 0)
    #expect(listed.text.contains(#""accounts":[]"#))
  }
}
