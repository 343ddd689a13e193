import AcctTestSupport
import StrictJSON
import Testing

@Suite("An account at NanoIDP, where clients register themselves")
struct NanoIDPTests {
  @Test("A device sign-in without a client id registers one, and keeps the resource at renewals")
  func device() async throws {
    let server = try await NanoIDPServer.shared.value
    let home = try AcctHome()
    let added = try await server.signInOnDevice(to: home, for: "https://notes.example")
    try #require(added.status == 0, "\(added.errorText)")

    let token = try await home.token()
    let first = try await server.facts(of: token)
    #expect(first["aud"] == "https://notes.example")
    #expect(first["sub"] == "alice")
    #expect(first["client_id"]?.stringValue?.hasPrefix("dcr-") == true)

    let refreshed = try await home.acct("refresh", "--force")
    #expect(refreshed.status == 0, "\(refreshed.errorText)")
    let renewed = try await home.token()
    #expect(renewed != token)
    let second = try await server.facts(of: renewed)
    #expect(second["aud"] == "https://notes.example")
    #expect(second["client_id"] == first["client_id"])
    #expect(second["scope"] == first["scope"])

    // The account's origin is the resource.
    let header = try await home.acct("header", "https://notes.example/latest")
    #expect(header.status == 0, "\(header.errorText)")
    #expect(try await home.acct("header", "https://other.example/").status == 8)
  }

  @Test("A second sign-in at the server uses the client that the first one registered")
  func registration() async throws {
    let server = try await NanoIDPServer.shared.value
    let home = try AcctHome()
    var clients: Set<String> = []
    for resource in ["https://one.example", "https://two.example"] {
      let added = try await server.signInOnDevice(to: home, for: resource)
      try #require(added.status == 0, "\(added.errorText)")
      let facts = try await server.facts(of: try await home.token())
      clients.insert(try #require(facts["client_id"]?.stringValue))
    }
    #expect(clients.count == 1)
  }

  @Test("A sign-in through the browser gets a token for the user's profile")
  func browser() async throws {
    let server = try await NanoIDPServer.shared.value
    let home = try AcctHome()
    var adding = home.command(["add", "--issuer", server.issuer, "--scope", "openid offline_access"])
    adding.environment["BROWSER"] = Product.source("Tests/InteropTests/NanoIDP/browser.py")
    let added = try await adding.run()
    try #require(added.status == 0, "\(added.errorText)")
    let header = try await home.acct("header", "\(server.issuer)/userinfo")
    let answer = try await curl("\(server.issuer)/userinfo", headers: header.text)
    #expect(answer.status == "200")
    #expect(answer.body.contains("alice"))
    #expect(try await home.acct("status", "--check").status == 0)
  }

  @Test("Client credentials with more parameters are renewed with them")
  func clientCredentials() async throws {
    let server = try await NanoIDPServer.shared.value
    let home = try AcctHome()
    let added = try await home.command(
      [
        "add", "--name", "reports", "--issuer", server.issuer, "--grant", "client-credentials",
        "--client-id", "reports", "--client-secret-file", "-", "--scope", "notes",
        "--resource", "https://notes.example", "--token-param", "exp=1",
      ],
      input: "made-up-secret\n"
    ).run()
    try #require(added.status == 0, "\(added.errorText)")
    for _ in 1...2 {
      let facts = try await server.facts(of: try await home.token())
      #expect(facts["aud"] == "https://notes.example")
      #expect(facts["scope"] == "notes")
      // The parameter that asks for a token of a minute.
      let (end, start) = (facts["exp"]?.numberValue?.integer, facts["iat"]?.numberValue?.integer)
      #expect(try #require(end) - #require(start) == 60)
      let refreshed = try await home.acct("refresh", "--force")
      #expect(refreshed.status == 0, "\(refreshed.errorText)")
    }
  }
}
