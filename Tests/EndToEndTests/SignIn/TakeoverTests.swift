import AcctTestSupport
import StrictJSON
import Testing

@Suite("A backend that names another identity's DID")
struct TakeoverTests {
  /// A session without a sign-in; its token is opaque, so that it does not say whose it is.
  private func aliceInAFile(_ network: ATProtoNetwork) async throws -> JSON {
    try await network.control("issue", ["account": "alice.test", "dpop": true, "format": "opaque"])
  }

  /// All that makes the account what it is, its access token included.
  private func alice(_ scene: BackendScene) async throws -> [JSON?] {
    let token = try await scene.home.acct("token", "-a", "alice.test")
    #expect(token.status == 0, "\(token.errorText)")
    let shown = try await scene.home.acct("status", "alice.test", "--json")
    let account = try JSON(parsing: shown.standardOutput)["account"]
    let names = ["id", "name", "handle", "did", "service", "origins", "thumbprint", "expiresAt"]
    return names.map { account?[$0] } + [.string(token.text)]
  }

  @Test("A backend with another's DID adds an account of its own and changes nothing of hers")
  func takeover() async throws {
    let scene = try await BackendScene(["account": "bob.test", "issue": ["format": "opaque"]])
    let file = try await aliceInAFile(scene.network)
    let client = try #require(file["clientId"] ?? file["client_id"])
    let text = String(decoding: file.serialized(), as: UTF8.self)
    let imported = try await scene.home.importing(text)
    try #require(imported.status == 0, "\(imported.errorText)")
    let before = try await alice(scene)

    try await scene.backend.set([
      "tokens": [
        "did": .string(scene.network.did("alice.test")), "handle": "evilapp.test",
        "pds": .string(scene.backend.address), "clientId": client,
      ]
    ])
    let added = try await scene.loopback().run()
    #expect(added.status == 0, "\(added.errorText)")
    #expect(added.errorText.contains("added evilapp.test"))
    #expect(try await scene.home.accounts().count == 2)
    #expect(try await alice(scene) == before)

    let stolen = "\(scene.backend.address)/steal"
    #expect(try await scene.home.acct("header", stolen, "-a", "alice.test").status == 8)
    let checked = try await scene.home.acct("status", "alice.test", "--check")
    #expect(checked.status == 0, "\(checked.errorText)")
    let renewed = try await scene.home.acct("refresh", "--force", "-a", "alice.test")
    #expect(renewed.status == 0, "\(renewed.errorText)")
    #expect(try await scene.home.acct("header", stolen, "-a", "alice.test").status == 8)

    // Its own account is the backend's to renew; hers still is not.
    let now = try await alice(scene)
    #expect(try await scene.loopback().run().errorText.contains("renewed evilapp.test"))
    #expect(try await scene.home.accounts().count == 2)
    #expect(try await alice(scene) == now)
  }

  @Test("A backend with another's DID gets nothing from an account file of version 0.1.0")
  func oldFile() async throws {
    let scene = try await BackendScene()
    #expect(try await scene.loopback(["alice.test"]).run().status == 0)
    let id = try await scene.home.accountID()
    let path = "\(scene.home.path)/data/accounts/\(id).json"
    let members = #""(source|backend|originReasons)":(null|\{[^}]*\}|"[^"]*"),"#
    let aged = try await ChildProcess("sed", ["-E", "-i", "s#\(members)##g", path]).run()
    try #require(aged.status == 0, "\(aged.errorText)")

    #expect(try await scene.loopback(["alice.test"]).run().status == 0)
    let accounts = try await scene.home.accounts()
    #expect(accounts.count == 2)
    #expect(accounts.contains { $0["id"]?.stringValue == id })
    // Of the new one it is known, so that the next sign-in renews it.
    #expect(try await scene.loopback(["alice.test"]).run().status == 0)
    #expect(try await scene.home.accounts().count == 2)
  }
}
