import AcctTestSupport
import StrictJSON
import Testing

/// `acct add --resource` alone, at a resource server that says which server signs in to it (RFC 9728).
@Suite("Signing in by a resource server")
struct ResourceServerTests {
  @Test("A resource leads to its server, and the token is for the resource", arguments: ["challenge", "well-known"])
  func signsIn(place: String) async throws {
    let server = try await StrictServer(["resource_metadata": .string(place)])
    let home = try AcctHome()
    let resource = "\(server.resource)/resource"
    var command = home.command(["add", "--resource", resource, "--client-id", "acct-test"])
    command.environment["BROWSER"] = StrictServer.desktopBrowser
    command.environment["STRICT_BROWSER"] = "approve"
    let output = try await command.run()
    #expect(output.status == 0, "\(output.errorText)")
    #expect(try await home.use(server) == "200")
    let status = try JSON(parsing: try await home.acct("status", "--json").standardOutput)
    let account = status.objectValue?["account"]?.objectValue
    #expect(account?["issuer"] == .string(server.issuer))
    #expect(account?["origins"] == [.string(server.resource)])
    #expect(account?["scope"] == (place == "challenge" ? "files" : .null))
    let refresh = try await home.acct("refresh", "--force")
    #expect(refresh.status == 0, "\(refresh.errorText)")
    try await server.expectNothingWrong()
  }

  @Test("A resource that says nothing of a server is an error before any sign-in")
  func nothing() async throws {
    let server = try await StrictServer()
    let output = try await AcctHome()
      .acct("add", "--resource", "\(server.resource)/resource", "--client-id", "acct-test")
    #expect(output.status == 11)
    #expect(output.errorText.contains("does not say which server signs in to it"))
    try await server.expectNothingWrong()
  }
}
