import AcctTestSupport
import StrictJSON
import Testing

@Suite("Signing in at a backend that hands over tokens")
struct BackendSignInTests {
  @Test(
    "A sign-in at a backend works at the data server and is renewed there",
    arguments: ["plain", "wrapped", "typed"]
  )
  func wholeLife(key: String) async throws {
    let scene = try await BackendScene(["key": .string(key)])
    let added = try await scene.loopback(["alice.test"]).run()
    try #require(added.status == 0, "\(added.errorText)")
    let account = try await scene.home.account()
    #expect(account["handle"] == "alice.test")
    #expect(account["did"]?.stringValue == scene.network.did("alice.test"))
    #expect(account["tokenType"] == "DPoP")
    #expect(account["origins"] == [.string(scene.network["pds"])])
    try await scene.expectUsable()

    let renewed = try await scene.home.acct("refresh", "--force")
    #expect(renewed.status == 0, "\(renewed.errorText)")
    try await scene.expectUsable()
    let renewals = try await scene.network.log().renewals.filter { $0.status == 200 }
    #expect(renewals.map(\.clientID) == ["\(scene.backend.address)/client-metadata.json"])
    #expect(try await scene.backend.asked() == ["alice.test"])
    try await scene.expectNothingWrong()
  }

  @Test(
    "A sign-in accepts every answer that backends are known to give",
    arguments: [
      ["issue": ["format": "opaque"]],
      ["issue": ["expires_in": .null]],
      ["issue": ["format": "opaque", "expires_in": .null]],
      ["tokens": ["expiresIn": .null]],
      ["tokens": ["expiresIn": "3600", "extra": ["anything": [1, 2]]]],
      ["start": ["handle": .null, "sessionId": .null]],
    ] as [JSON]
  )
  func seen(settings: JSON) async throws {
    let scene = try await BackendScene(settings)
    let added = try await scene.loopback(["@alice.test", "--name", "a"]).run()
    try #require(added.status == 0, "\(added.errorText)")
    #expect(try await scene.home.account()["name"] == "a")
    try await scene.expectUsable()
    #expect(try await scene.home.acct("refresh", "--force").status == 0)
    try await scene.expectNothingWrong()
  }

  @Test("A sign-in without an identifier takes the identity that the backend's page names")
  func nobodyAsked() async throws {
    let scene = try await BackendScene(["account": "bob.test"])
    let added = try await scene.loopback().run()
    try #require(added.status == 0, "\(added.errorText)")
    #expect(try await scene.home.account()["handle"] == "bob.test")
    #expect(try await scene.backend.asked() == [nil])
    try await scene.expectNothingWrong()
  }

  @Test("The client_id is the answer's, else the token's, else --client-id, else the backend's")
  func clientID() async throws {
    let named = "https://app.example/client.json"
    for (settings, options, expected) in [
      (["tokens": ["clientId": .string(named)]], ["--client-id", "other"], named),
      (["issue": ["client_id": .string(named)]], ["--client-id", "other"], named),
      (["issue": ["format": "opaque"]], ["--client-id", named], named),
      (["issue": ["format": "opaque"]], [], nil),
    ] as [(JSON, [String], String?)] {
      let scene = try await BackendScene(settings)
      let added = try await scene.loopback(options).run()
      try #require(added.status == 0, "\(added.errorText)")
      _ = try await scene.home.acct("refresh", "--force")
      let renewal = try #require(try await scene.network.log().renewals.last)
      #expect(renewal.clientID == expected ?? "\(scene.backend.address)/client-metadata.json")
    }
  }

  @Test(
    "The token's server is its audience, as a URL or a did:web, else the data server",
    arguments: [
      ("eyJhdWQiOiJodHRwczovL3JzLmV4YW1wbGUvYXBpIn0", "https://rs.example"),
      ("eyJhdWQiOiJkaWQ6d2ViOnJzLmV4YW1wbGUifQ", "https://rs.example"),
      ("eyJhdWQiOiJhcHAifQ", nil),
    ] as [(String, String?)]
  )
  func audience(claims: String, origin: String?) async throws {
    let token = "eyJhbGciOiJFUzI1NiIsInR5cCI6ImF0K2p3dCJ9.\(claims).c2ln"
    let scene = try await BackendScene(["tokens": ["accessToken": .string(token)]])
    let added = try await scene.loopback(["alice.test"]).run()
    try #require(added.status == 0, "\(added.errorText)")
    let account = try await scene.home.account()
    #expect(account["origins"] == [.string(origin ?? scene.network["pds"])])
    #expect(account["tokenType"] == "DPoP")
  }

  @Test("A repeated sign-in renews the account, which keeps its id, also after a renewal")
  func again() async throws {
    let scene = try await BackendScene(["issue": ["format": "opaque"]])
    #expect(try await scene.loopback(["alice.test"]).run().status == 0)
    let id = try await scene.home.accountID()
    #expect(try await scene.home.acct("refresh", "--force").status == 0)
    #expect(try await scene.loopback(["alice.test"]).run().status == 0)
    #expect(try await scene.home.accountID() == id)
    try await scene.expectUsable()
  }
}
