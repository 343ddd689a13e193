import AcctModel
import Secrets
import AcctPorts
import AcctTestSupport
import StrictJSON
import Testing

/// Sign-ins at the servers that people have, which answer as recorded.
@Suite("A sign-in at a known server")
struct KnownServerTests {
  private let record = RecordedWorld()

  @Test("GitHub answers errors with 200 and tokens without an end: the device flow comes to its end")
  func gitHub() async throws {
    let issuer = "https://github.com/login/oauth"
    let pending = HTTPResponse.json(
      #"{"error":"authorization_pending","error_description":"The authorization request is still pending."}"#
    )
    let server = RecordedServer(
      record,
      [
        "/.well-known/oauth-authorization-server/login/oauth": [
          .json(
            """
            {"issuer":"\(issuer)","token_endpoint":"\(issuer)/access_token",
             "authorization_endpoint":"\(issuer)/authorize",
             "device_authorization_endpoint":"https://github.com/login/device/code"}
            """
          )
        ],
        "/login/device/code": [
          .json(
            """
            {"device_code":"made-up-device-code","user_code":"BCDF-GHJK",
             "verification_uri":"https://github.com/login/device","expires_in":899,"interval":5}
            """
          )
        ],
        "/login/oauth/access_token": [
          pending, .json(#"{"error":"slow_down","interval":10}"#), pending,
          .json(#"{"access_token":"gho_made-up","token_type":"bearer","scope":"gist,repo"}"#),
        ],
      ]
    )
    let status = await record.addDevice(issuer, "--scope", "repo gist", "--allow-origin", "https://api.github.com")
    #expect(status == 0, "\(record.err)")
    #expect(!record.err.contains { $0.contains("grant") }, "\(record.err)")
    #expect(server.bodies("/login/oauth/access_token").count == 4)
    #expect(
      Set(server.fields("Accept", "/login/oauth/access_token")) == ["application/json"]
    )
    #expect(record.accountFile?["expiresAt"] == .null)

    record.now += 365 * 86_400
    #expect(await record.acct("header", "https://api.github.com/user") == 0)
    #expect(record.out == "Authorization: Bearer gho_made-up\n")
    #expect(await record.acct("status", "--json") == 0)
    let account = record.json?.objectValue?["account"]?.objectValue
    #expect(account?["state"] == "valid")
    #expect(account?["expiresAt"] == .null)
    #expect(await record.acct("refresh") == 0)
  }

  @Test("GitHub refuses a device sign-in with 200: the words are the server's")
  func gitHubRefusal() async {
    let server = RecordedServer(record, tokens: RecordedServer.tokens("a"))
    server.set("/start", .json(#"{"error":"device_flow_disabled","error_description":"Device Flow must be enabled"}"#))
    #expect(await record.addDevice() == 11)
    #expect(record.err.first?.contains("device_flow_disabled: Device Flow must be enabled") == true)
    #expect(server.bodies("/token").isEmpty)
  }

  @Test("Google has OpenID's metadata, a verification_url, and 428 while it waits")
  func google() async {
    let issuer = "https://accounts.google.com"
    let server = RecordedServer(
      record,
      [
        RecordedServer.openIDPlace: [
          .json(
            """
            {"issuer":"\(issuer)","token_endpoint":"\(issuer)/token",
             "device_authorization_endpoint":"\(issuer)/device/code"}
            """
          )
        ],
        "/device/code": [
          .json(
            """
            {"device_code":"made-up-device-code","user_code":"GQVQ-JKEC","expires_in":1800,
             "interval":5,"verification_url":"https://www.google.com/device"}
            """
          )
        ],
        "/token": [
          .json(
            #"{"error":"authorization_pending","error_description":"Precondition Required"}"#,
            428
          ),
          RecordedServer.tokens(
            "a",
            ["scope": "openid https://www.googleapis.com/auth/userinfo.email", "expires_in": 3599]
          ),
        ],
      ]
    )
    #expect(await record.addDevice(issuer, "--scope", "openid email") == 0, "\(record.err)")
    #expect(record.err.contains("https://www.google.com/device"))
    #expect(record.err.contains("GQVQ-JKEC"))
    #expect(!record.err.contains { $0.contains("did not grant") }, "\(record.err)")
    #expect(server.bodies("/token").count == 2)
  }

  @Test("A server that answers every path with a page is asked at its next place")
  func pages() async {
    let page = HTTPResponse(status: 200, fields: [("Content-Type", "text/html")], body: Secret("<p>"))
    let server = RecordedServer(record, tokens: RecordedServer.tokens("a"))
    server.set(RecordedServer.place, page)
    server.set(RecordedServer.openIDPlace, RecordedServer.metadata())
    #expect(await record.addDevice() == 0, "\(record.err)")
    server.set(RecordedServer.openIDPlace, .json("[]"))
    #expect(await record.addDevice() == 11)
    #expect(record.err.first?.contains("it is not JSON") == true)
  }

  @Test("A server with its device endpoint in the second document alone accepts a sign-in")
  func split() async {
    let server = RecordedServer(
      record,
      metadata: ["device_authorization_endpoint": nil],
      tokens: RecordedServer.tokens("a")
    )
    #expect(await record.addDevice() == 11)
    #expect(record.err.first?.contains("does not offer the device flow") == true)
    server.set(RecordedServer.openIDPlace, RecordedServer.metadata(["token_endpoint": nil]))
    #expect(await record.addDevice() == 0, "\(record.err)")
    // A renewal needs nothing of the second.
    let count = record.requests.count { $0.url.path == RecordedServer.openIDPlace }
    #expect(await record.acct("refresh", "--force") == 0)
    #expect(record.requests.count { $0.url.path == RecordedServer.openIDPlace } == count)
  }

  @Test("A server whose issuer ends in a slash is found by either spelling, and is one account")
  func lastSlash() async {
    let slashed: JSONObject = ["issuer": "https://as.example/"]
    _ = RecordedServer(record, metadata: slashed, tokens: RecordedServer.tokens("a"))
    #expect(await record.addDevice() == 0, "\(record.err)")
    #expect(record.accountFile?["issuer"] == "https://as.example/")
    #expect(await record.addDevice("https://as.example/") == 0, "\(record.err)")
    #expect(record.accountFiles == 1)
  }

  @Test("A server that names another issuer is rejected, and the error names both")
  func otherIssuer() async {
    let other: JSONObject = ["issuer": "https://other.example"]
    _ = RecordedServer(record, metadata: other, tokens: RecordedServer.tokens("a"))
    #expect(await record.addDevice() == 11)
    #expect(
      record.err.first
        == "acct: https://as.example has metadata that can't be used: it names the issuer "
        + "https://other.example instead of https://as.example"
    )
  }
}
