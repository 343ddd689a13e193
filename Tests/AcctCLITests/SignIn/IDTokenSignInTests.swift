import AcctTestSupport
import StrictJSON
import Testing

/// What a sign-in checks of an ID token (OpenID Connect Core 1.0, section 3.1.3.7).
@Suite("The ID token of a sign-in")
struct IDTokenSignInTests {
  private let server = OpenIDServer()
  private static let tenant = "11111111-2222-4333-8444-555555555555"

  @Test("An ID token as it should be signs in, and its nonce is the request's")
  func whole() async {
    #expect(await server.add() == 0, "\(server.record.err)")
    #expect(server.record.accountFile?["subject"] == "alice")
    #expect(server.browser.parameters["nonce"]?.isEmpty == false)
  }

  @Test(
    "An ID token that is not for this sign-in ends it with 11, and nothing is stored",
    arguments: [
      ("iss", "https://evil.example", "it is from another issuer"),
      ("iss", "https://as.example/", "it is from another issuer"), ("aud", "other", "it is for another client"),
      ("aud", ["other"], "it is for another client"),
      ("nonce", "another", "it is not the answer to this sign-in: its nonce differs"),
      ("nonce", .null, "it is not the answer to this sign-in: it has no nonce"),
      ("aud", ["client", "other"], "its azp does not name this client"),
      ("azp", "other", "its azp does not name this client"),
      ("exp", 1_799_999_000, "it has expired"), ("exp", 1, "it has expired"), ("exp", .null, "it has no exp"),
      ("iat", .null, "it has no iat"),
      ("exp", "soon", "it has no exp"), ("iat", 1_800_000_301, "it was issued in the future"),
      ("iat", "now", "it has no iat"), ("aud", ["client", 7], "it can't be read"),
      ("iss", .null, "it can't be read"), ("aud", .null, "it can't be read"), ("aud", 7, "it can't be read"),
      ("sub", .null, "it can't be read"), ("sub", "", "it can't be read"), ("sub", ["7"], "it can't be read"),
    ] as [(String, JSON, String)]
  )
  func rejected(claim: String, value: JSON, words: String) async {
    server.set { $0.claims?[claim] = value == .null ? nil : value }
    #expect(await server.add() == 11, "\(server.record.err)")
    #expect(
      server.record.err.contains("acct: https://as.example sent an ID token that was rejected: \(words)"),
      "\(server.record.err)"
    )
    #expect(server.record.accountFiles == 0)
    #expect(server.record.keyring.items.isEmpty)
  }

  @Test(
    "An ID token that can't be read ends a sign-in with 11",
    arguments: [
      "opaque", "e30.e30", "e30.bm8.sig", "e30.eyJzdWIiOiJhIiwic3ViIjoiYiJ9.sig",
      "eyJlbmMiOiJBMjU2R0NNIn0.a.b.c.d", 7, ["e30.e30.sig"],
      // {"alg":"none"}, with claims as they should be but for the nonce.
      """
      eyJhbGciOiJub25lIn0.eyJpc3MiOiJodHRwczovL2FzLmV4YW1wbGUiLCJhdWQiOiJjbGllbnQiLCJzdWIiOiJhbGljZSIsImV4cCI6MTgwM\
      DAwMzYwMH0.
      """,
    ] as [JSON]
  )
  func unreadable(idToken: JSON) async {
    server.set { $0.idToken = idToken }
    #expect(await server.add() == 11, "\(server.record.err)")
    #expect(server.record.err.contains { $0.contains("browser") })
    #expect(server.record.accountFiles == 0)
  }

  @Test("An ID token may be a few minutes past or ahead, as clocks differ, and for several clients if azp is this one")
  func tolerated() async {
    server.set { $0.claims?["exp"] = 1_799_999_800 }
    #expect(await server.add() == 0, "\(server.record.err)")
    server.set { settings in
      settings.claims?["exp"] = 1_800_003_600
      settings.claims?["iat"] = 1_800_000_300
      settings.claims?["aud"] = ["other", "client"]
      settings.claims?["azp"] = "client"
    }
    #expect(await server.add() == 0, "\(server.record.err)")
    #expect(server.record.accountFiles == 1)
  }

  @Test("An answer without an ID token signs in all the same")
  func none() async {
    server.set { $0.claims = nil }
    #expect(await server.add() == 0, "\(server.record.err)")
    server.set { $0.answer["id_token"] = .null }
    #expect(await server.add() == 0, "\(server.record.err)")
  }

  @Test("An ID token of a sign-in on another device needs no nonce, and the rest is checked")
  func device() async {
    let record = RecordedWorld()
    func serve(_ claims: String) -> RecordedServer {
      RecordedServer(record, tokens: RecordedServer.tokens("a", ["id_token": .string(idToken(claims))]))
    }
    _ = serve(#"{"iss":"https://as.example","aud":"other","sub":"alice","iat":1800000000,"exp":1800003600}"#)
    #expect(await record.addDevice(RecordedServer.issuer, "--scope", "openid") == 11)
    #expect(record.accountFiles == 0)
    _ = serve(#"{"iss":"https://as.example","aud":"client","sub":"alice","iat":1800000000,"exp":1800003600}"#)
    #expect(await record.addDevice(RecordedServer.issuer, "--scope", "openid") == 0)
  }

  @Test(
    "An ID token from a template's issuer must be its tenant's",
    arguments: [
      ("https://login.example/\(tenant)/v2.0", tenant, 0),
      ("https://login.example/99999999-2222-4333-8444-555555555555/v2.0", tenant, 11),
      ("https://evil.example/\(tenant)/v2.0", tenant, 11),
      ("https://login.example/\(tenant)/v2.0", nil, 11),
    ] as [(String, String?, Int32)]
  )
  func template(issuer: String, tenant: String?, status: Int32) async {
    server.record.providerFiles["acme"] = """
      {"issuer":"https://login.example/{tenantid}/v2.0","scope":"openid",
       "endpoints":{"authorization":"https://login.example/authorize","token":"https://login.example/token"}}
      """
    server.set { settings in
      settings.claims?["iss"] = .string(issuer)
      settings.claims?["tid"] = tenant.map(JSON.string)
    }
    #expect(await server.addAcme() == status, "\(server.record.err)")
    #expect(server.record.accountFiles == (status == 0 ? 1 : 0))
    guard status != 0 else { return }
    #expect(server.record.err.contains { $0.contains("sent an ID token that was rejected: ") })
  }
}
