import AcctTestSupport
import Testing

/// The real libraries of clouds: azure-identity, boto3 and google-auth.
@Suite("Libraries of clouds with an identity from acct")
struct CloudClientTests {
  private static let script = Product.source("Tests/Recipes/cloud_clients.py")
  private static let interpreter = Product.source(".build/venv/bin/python")
  /// Of alice for the client "client" at as.example, until the year 2100.
  private static let idToken = """
    eyJhbGciOiJSUzI1NiJ9.eyJpc3MiOiJodHRwczovL2FzLmV4YW1wbGUiLCJhdWQiOiJjbGllbnQiLCJzdWIiOiJhbGljZSIsImlhdCI6MTcwMDAwMDA\
    wMCwiZXhwIjo0MTAyNDQ0ODAwfQ.c2lnbmF0dXJl
    """

  private func home() async throws -> AcctHome {
    let home = try AcctHome()
    let added = try await home.importing(
      """
      {"access_token":"made-up-access-token","token_type":"Bearer","expiresAt":"2100-01-01T00:00:00Z",
       "issuer":"https://as.example","clientId":"client","handle":"alice.example","id_token":"\(Self.idToken)"}
      """
    )
    try #require(added.status == 0, "\(added.errorText)")
    return home
  }

  @Test(
    "azure-identity and boto3 read the ID token from the file of acct exec",
    arguments: [("azure", "AZURE_FEDERATED_TOKEN_FILE"), ("aws", "AWS_WEB_IDENTITY_TOKEN_FILE")]
  )
  func file(cloud: String, variable: String) async throws {
    let home = try await home()
    let run = try await home.acct(
      "exec",
      "--id-token-file",
      variable,
      "--",
      Self.interpreter,
      Self.script,
      cloud
    )
    #expect(run.status == 0, "\(run.errorText)")
    #expect(run.text == Self.idToken + "\n")
  }

  @Test("google-auth runs acct helper google, and reads its failures")
  func google() async throws {
    let home = try await home()
    let acct = home.command([])
    let run = try await ChildProcess(
      Self.interpreter,
      [Self.script, "google", acct.program, "alice.example"],
      environment: acct.environment
    ).run()
    #expect(run.status == 0, "\(run.errorText)")
    #expect(run.text == Self.idToken + "\n")
  }
}
