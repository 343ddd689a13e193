import AcctCLI
import AcctTestSupport
import StrictJSON
import Testing

/// Sign-ins for which the user names no scope.
@Suite("A sign-in without a scope")
struct OfferedScopeTests {
  private let server = OpenIDServer()
  private static let offered: JSONObject = ["scopes_supported": ["openid", "read", "no scope\u{7}", 7, "write"]]

  @Test("A sign-in without a scope names those that the server lists, and requests openid")
  func openID() async {
    server.set { $0.metadata = Self.offered }
    #expect(await server.add(scope: nil) == 0, "\(server.record.err)")
    #expect(server.browser.parameters["scope"] == "openid")
    #expect(server.browser.parameters["nonce"]?.isEmpty == false)
    #expect(
      server.record.err.contains(
        "acct: only the scope openid is requested; https://as.example lists openid read write, and --scope "
          + "requests others"
      ),
      "\(server.record.err)"
    )
  }

  @Test("A server that lists scopes and is no OpenID provider is asked for none")
  func plain() async {
    server.set { settings in
      settings.claims = nil
      settings.metadata = ["scopes_supported": ["read", "write"]]
    }
    #expect(await server.add(scope: nil) == 0, "\(server.record.err)")
    #expect(server.browser.parameters["scope"] == nil)
    #expect(
      server.record.err.contains(
        "acct: no scope is requested; https://as.example lists read write, and --scope requests some"
      ),
      "\(server.record.err)"
    )
  }

  @Test("An OpenID provider that lists no scope is known by its ID tokens")
  func unlisted() async {
    server.set {
      $0.metadata = ["subject_types_supported": ["public"], "id_token_signing_alg_values_supported": ["RS256"]]
    }
    #expect(await server.add(scope: nil) == 0, "\(server.record.err)")
    #expect(server.browser.parameters["scope"] == "openid")
    #expect(!server.record.err.contains { $0.contains("--scope") })
  }

  @Test("A scope that the user names is requested alone, without a notice")
  func named() async {
    server.set { $0.metadata = Self.offered }
    #expect(await server.add(scope: "read") == 0, "\(server.record.err)")
    #expect(server.browser.parameters["scope"] == "read")
    #expect(!server.record.err.contains { $0.contains("lists") })
  }

  @Test("A sign-in on another device without a scope requests openid, too")
  func device() async {
    let record = RecordedWorld()
    let fake = RecordedServer(record, metadata: Self.offered, tokens: RecordedServer.tokens("a"))
    #expect(await record.addDevice() == 0, "\(record.err)")
    #expect(fake.bodies("/start") == ["client_id=client&scope=openid"])
  }

  @Test("A client that is registered for a sign-in without a scope is registered for openid")
  func registered() async {
    let record = RecordedWorld()
    let browser = RehearsedBrowser()
    var metadata = Self.offered
    metadata["registration_endpoint"] = "https://as.example/register"
    metadata["authorization_endpoint"] = "https://as.example/authorize"
    let fake = RecordedServer(record, metadata: metadata, tokens: RecordedServer.tokens("a"))
    fake.set("/register", .json(#"{"client_id":"c","token_endpoint_auth_method":"none"}"#, 201))
    for _ in 0..<2 {
      let status = await Acct.run(["add", "--issuer", RecordedServer.issuer], in: browser.world(of: record))
      #expect(status == 0, "\(record.err)")
    }
    #expect(fake.bodies("/register").count == 1)
    #expect(fake.bodies("/register").last?.contains(#""scope":"openid""#) == true)
    #expect(browser.parameters["scope"] == "openid")
  }
}
