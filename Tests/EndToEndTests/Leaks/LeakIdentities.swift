import AcctTestSupport
import StrictJSON
import Testing

/// ID tokens, a platform's tokens and the keys of roles: each goes to its own server, and is nowhere else.
///
/// - Parameter subject: What is looked at.
/// - Throws: What starting servers and acct throws.
func watchIdentities(_ subject: LeakWatch.Subject) async throws {
  let server = try await StrictServer(["dpop": "optional"])
  let service = try await TokenServiceServer()
  let folder = try TemporaryFolder()
  let answer = try await server.control("platform-token", ["lifetime": 600])
  let platform = try #require(answer["token"]?.stringValue)
  let path = try folder.file("token", containing: platform)
  // Of alice for the client "client" at as.example, until the year 2100.
  let idToken = """
    eyJhbGciOiJSUzI1NiJ9.eyJpc3MiOiJodHRwczovL2FzLmV4YW1wbGUiLCJhdWQiOiJjbGllbnQiLCJzdWIiOiJhbGljZSIsImlhdCI6MTcwMDAwMDA\
    wMCwiZXhwIjo0MTAyNDQ0ODAwfQ.c2lnbmF0dXJl
    """
  // A JWT, too, with other claims first, so that it has no part in common with the other one.
  let accessToken = """
    eyJ0eXAiOiJhdCtqd3QifQ.eyJzdWIiOiJhbGljZSIsImNsaWVudF9pZCI6Im1hZGUtdXAiLCJleHAiOjQxMDI0NDQ4MDAsImF1ZCI6ImNsaWVudC\
    IsImlzcyI6Imh0dHBzOi8vYXMuZXhhbXBsZSJ9.YWNjZXNzLXRva2Vu
    """
  let document = try folder.file(
    "alice.json",
    containing: """
      {"access_token":"\(accessToken)","token_type":"Bearer","expiresAt":"2100-01-01T00:00:00Z",
       "issuer":"https://as.example","clientId":"client","handle":"alice.example","id_token":"\(idToken)"}
      """
  )
  let watch = LeakWatch(subject, of: try AcctHome(with: ["AWS_ENDPOINT_URL_STS": service.endpoint]))
  watch.secrets.add("id_token", idToken)
  watch.secrets.add("imported_token", accessToken)
  watch.secrets.add("platform_token", platform)
  watch.destinations = [
    "id_token": [service.endpoint], "imported_token": [service.endpoint], "platform_token": [server.issuer],
  ]
  let aws = ["aws", "--account", "alice.example", "-v", "--role-arn", "arn:aws:iam::123456789012:role/made-up"]
  for row in [
    LeakRow("add", ["--import", document, "-v"]),
    LeakRow("token", ["--id", "-v"], shows: ["id_token": ["stdout"]]),
    LeakRow("helper", ["google", "--account", "alice.example"], shows: ["id_token": ["stdout"]]),
    LeakRow("helper", aws, status: 8), LeakRow("allow", ["alice.example", service.endpoint]),
    LeakRow("helper", aws, shows: ["role_key": ["stdout"]]),
    // From the keyring.
    LeakRow("helper", aws, shows: ["role_key": ["stdout"]]),
    LeakRow("helper", aws + ["--access"], shows: ["role_key": ["stdout"]]),
    LeakRow("status", ["-v"]), LeakRow("doctor", ["-v"]),
    LeakRow(
      "add",
      ["--issuer", server.issuer, "--grant", "token-exchange", "--subject-token-file", path, "--name", "job", "-v"]
    ), LeakRow("refresh", ["job", "--force", "-v"]),
  ] { try await watch.run(row) }
  // The service repeats the token in its message.
  try await service.set(["refuse": "ExpiredTokenException"])
  try await watch.run(LeakRow("helper", aws + ["--session-name", "other"], status: 4))
  try await watch.run(LeakRow("helper", aws + ["--session-name", "other", "--json"], status: 4))
  try await watch.run(LeakRow("remove", ["alice.example", "-v"]))
  for secret in try await service.secrets() { watch.secrets.add("role_key", secret) }
  watch.secrets.add(try await server.secrets())
  watch.destinations["access_token"] = [server.issuer]
  try await watch.expectNoLeaks()
  #expect(try await service.violations() == [])
}
