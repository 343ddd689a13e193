import AcctTestSupport
import StrictJSON
import Testing

/// `acct helper aws` with the programs that run it, and with a token service that is stricter than moto's.
@Suite("AWS programs with the keys of a role from acct")
struct AWSClientTests {
  /// Of alice for the client "client" at as.example, until the year 2100.
  private static let idToken = """
    eyJhbGciOiJSUzI1NiJ9.eyJpc3MiOiJodHRwczovL2FzLmV4YW1wbGUiLCJhdWQiOiJjbGllbnQiLCJzdWIiOiJhbGljZSIsImlhdCI6MTcwMDAwMDA\
    wMCwiZXhwIjo0MTAyNDQ0ODAwfQ.c2lnbmF0dXJl
    """
  private static let role = "arn:aws:iam::123456789012:role/made-up"

  private func home(for service: TokenServiceServer? = nil) async throws -> AcctHome {
    let home = try AcctHome()
    let origins = service.map { #","origins":["\#($0.endpoint)"]"# } ?? ""
    let added = try await home.importing(
      """
      {"access_token":"made-up-access-token","token_type":"Bearer","expiresAt":"2100-01-01T00:00:00Z",
       "issuer":"https://as.example","clientId":"client","handle":"alice.example","id_token":"\(Self.idToken)"\(origins)}
      """
    )
    try #require(added.status == 0, "\(added.errorText)")
    return home
  }

  private func helper(_ home: AcctHome, _ service: TokenServiceServer, _ options: String...) -> ChildProcess {
    var command = home.command(["helper", "aws", "--role-arn", Self.role] + options)
    command.environment["AWS_ENDPOINT_URL_STS"] = service.endpoint
    return command
  }

  @Test("boto3 and the AWS command line act as the role, at moto's server", arguments: ["boto3", "awscli"])
  func moto(client: String) async throws {
    let home = try await home()
    let acct = home.command([])
    let run = try await ChildProcess(
      Product.source(".build/venv/bin/python"),
      [Product.source("Tests/Recipes/aws_role.py"), client, acct.program, "alice.example"],
      environment: acct.environment
    ).run()
    #expect(run.status == 0, "\(run.errorText)")
    #expect(run.text == "arn:aws:sts::123456789012:assumed-role/made-up/acct\n", "\(run.errorText)")
  }

  @Test("Twenty processes at once make one call, which a strict service finds right, and print the same keys")
  func crowd() async throws {
    let service = try await TokenServiceServer(["delay": 1])
    let home = try await home(for: service)
    let printed = try await inCrowd(helper(home, service, "--session-name", "a+b=c,d.e@f-g", "--duration", "900"))
    #expect(Set(printed).count == 1 && printed.count == 20)
    #expect(try await service.violations() == [])
    let calls = try await service.calls()
    #expect(calls.count == 1)
    #expect(calls.first?["RoleSessionName"] == "a+b=c,d.e@f-g" && calls.first?["DurationSeconds"] == "900")
    let answer = try JSON(parsing: Array((printed.first ?? "").utf8))
    #expect(answer["SecretAccessKey"]?.stringValue == (try await service.secrets()).first)
  }

  @Test("A strict service's refusal is told with its exit status, without the token that it repeats")
  func refused() async throws {
    let service = try await TokenServiceServer(["audience": "another"])
    let home = try await home(for: service)
    let run = try await helper(home, service).run()
    #expect(run.status == 4 && run.text.isEmpty)
    #expect(run.errorText.contains("InvalidIdentityToken: Incorrect token audience"), "\(run.errorText)")
    try await service.set(["refuse": "ExpiredTokenException"])
    let expired = try await helper(home, service).run()
    #expect(expired.status == 4 && !expired.errorText.contains(Self.idToken), "\(expired.errorText)")
    #expect(try await service.violations() == [])
    #expect(try await service.secrets() == [])
  }
}
