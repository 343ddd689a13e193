import AcctCLI
import AcctModel
import AcctPorts
import AcctTestSupport
import Secrets
import StrictJSON
import Testing

/// Failures of a server that leave no account, or that no account suffers from.
@Suite("A server that fails a sign-in or a removal")
struct FailedServerTests {
  private let record = RecordedWorld()

  private func add(_ metadata: JSONObject = [:], _ tokens: HTTPResponse) async -> (RecordedServer, Int32) {
    let server = RecordedServer(record, metadata: metadata, tokens: tokens)
    return (server, await record.addDevice(RecordedServer.issuer, "--name", "n"))
  }

  @Test("A 500 at a sign-in is told without an account, and says what to do")
  func sign() async {
    let page = HTTPResponse(status: 500, fields: [("Content-Type", "text/html")], body: Secret("<h1>Broken</h1>"))
    _ = RecordedServer(
      record,
      metadata: ["authorization_endpoint": "https://as.example/authorize"],
      tokens: page
    )
    let status = await Acct.run(
      ["add", "--issuer", RecordedServer.issuer, "--client-id", "client"],
      in: RehearsedBrowser().world(of: record),
      parsedBy: ParsedLines.parse
    )
    #expect(status == 11)
    #expect(
      record.err.suffix(2) == [
        "acct: https://as.example failed with 500",
        "acct: hint: no account was stored; run the same command again later",
      ],
      "\(record.err)"
    )
    #expect(record.accountFiles == 0)
  }

  @Test("A server that has the device flow and does not say where: --device-url is named")
  func device() async {
    let server = RecordedServer(record, tokens: RecordedServer.tokens("a"))
    server.set(
      RecordedServer.place,
      RecordedServer.metadata([
        "device_authorization_endpoint": .null,
        "grant_types_supported": ["refresh_token", "urn:ietf:params:oauth:grant-type:device_code"],
      ])
    )
    #expect(await record.addDevice() == 11)
    #expect(record.err.first?.contains("does not offer the device flow") == true, "\(record.err)")
    #expect(record.err.last?.contains("--device-url URL") == true, "\(record.err)")
    #expect(
      await record.addDevice(RecordedServer.issuer, "--device-url", "https://as.example/start") == 0,
      "\(record.err)"
    )
  }

  @Test("A revocation that is refused is told in the server's words, and the account is removed")
  func revocation() async {
    let (server, status) = await add(
      ["revocation_endpoint": "https://as.example/revoke"],
      RecordedServer.tokens("a")
    )
    #expect(status == 0, "\(record.err)")
    server.set(
      "/revoke",
      .json(#"{"error":"unsupported_token_type","error_description":"sessions are ended in the portal"}"#, 400)
    )
    #expect(await record.acct("remove", "n") == 0, "\(record.err)")
    #expect(
      record.err.first
        == "acct: the server did not end the session of n: https://as.example refused (400): "
        + "unsupported_token_type: sessions are ended in the portal",
      "\(record.err)"
    )
    #expect(record.accountFiles == 0)
  }
}
