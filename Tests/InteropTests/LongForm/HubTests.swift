import AcctTestSupport
import Testing

@Suite(
  "An account at JupyterHub, a server without metadata and without renewals",
  .enabled(if: TestExtent.isFull, "only in the long form")
)
struct HubTests {
  @Test("A sign-in with explicit endpoints works until its token expires, and then needs a person")
  func life() async throws {
    let server = try await HubServer.shared.value
    let home = try AcctHome()
    let added = try await server.signIn(to: home, "--client-auth", "post")
    try #require(added.status == 0, "\(added.errorText)")
    let header = try await home.acct("header", server.user).text
    #expect(header.hasPrefix("Authorization: Bearer "))
    #expect(try await curl(server.user, headers: header).body.contains(#""name": "alice""#))
    let checked = try await home.acct("status", "--check", "--json")
    #expect(checked.status == 0, "\(checked.errorText)")
    #expect(checked.text.contains(#""state":"valid""#))

    let refreshed = try await home.acct("refresh", "--force")
    #expect(refreshed.status == 4)
    #expect(refreshed.errorText.contains("no refresh token"), "\(refreshed.errorText)")
    let late = try await home.command(secondsAhead: 3_601, ["header", server.user]).run()
    #expect(late.status == 4)
    #expect(late.text.isEmpty)
    #expect(late.errorText.contains("`acct login work`"), "\(late.errorText)")

    // The next sign-in is for the same account.
    let again = try await server.signIn(to: home, "--client-auth", "post")
    try #require(again.status == 0, "\(again.errorText)")
    let last = try await home.acct("header", server.user).text
    #expect(last != header)
    let removed = try await home.acct("remove", "work")
    #expect(removed.status == 0)
    #expect(removed.errorText.contains("no revocation endpoint"), "\(removed.errorText)")
    #expect(try await curl(server.user, headers: last).status == "200")
  }

  @Test("A secret outside the form is rejected in the server's words, and nothing is stored")
  func basic() async throws {
    let server = try await HubServer.shared.value
    let home = try AcctHome()
    let added = try await server.signIn(to: home)
    #expect(added.status != 0 && added.status != 64)
    #expect(added.errorText.contains("invalid_client"), "\(added.errorText)")
    #expect(!added.errorText.contains("made-up-secret"))
    #expect(try await home.acct("list", "--json").text.contains(#""accounts":[]"#))
  }

  /// A server of its own, since alice is gone from it afterwards.
  @Test("A check leaves a token as it is that the server answers with 403, as if it were short of a right")
  func forbidden() async throws {
    let server = try await HubServer()
    let home = try AcctHome()
    let added = try await server.signIn(to: home, "--client-auth", "post")
    try #require(added.status == 0, "\(added.errorText)")
    let header = try await home.acct("header", server.user).text
    try await server.deleteUser()
    #expect(try await curl(server.user, headers: header).status == "403")
    let checked = try await home.acct("status", "--check")
    #expect(checked.status == 0, "\(checked.errorText)")
    #expect(checked.errorText.contains("not checked"), "\(checked.errorText)")
    #expect(try await home.acct("header", server.user).text == header)
  }
}
