import AcctModel
import AcctPorts
import AcctTestSupport
import StrictJSON
import Testing

@Suite("A client at a provider")
struct ProviderClientTests {
  private let record = RecordedWorld()

  private static let secret = ["--client-secret-file", "secret"]
  private static let key = ["--client-key", "key"]

  private func serve(_ method: String) -> RecordedServer {
    record.secretFiles["secret"] = "s3cret"
    record.secretFiles["key"] = MadeUpKeys.p256
    record.secretFiles["robot.json"] = MadeUpKeys.serviceAccount()
    record.providerFiles["acme"] = #"{"issuer":"\#(RecordedServer.issuer)","clientAuth":"\#(method)"}"#
    return RecordedServer(record, tokens: RecordedServer.tokens("a"), RecordedServer.tokens("b"))
  }

  private func add(_ options: [String]) async -> Int32 {
    record.clear()
    return await record.run(["add", "acme"] + options)
  }

  @Test(
    "A secret or a key that the user gives is used, whatever the provider's clients have",
    arguments: [
      ("none", secret, "basic"), ("none", key, "private-key"), ("basic", secret, "basic"),
      ("post", secret, "post"), ("post", key, "private-key"), ("private-key", key, "private-key"),
      ("private-key", secret, "basic"), ("none", [], nil),
    ] as [(String, [String], String?)]
  )
  func given(method: String, options: [String], used: String?) async {
    let server = serve(method)
    #expect(await add(["--client-id", "client", "--device"] + options) == 0, "\(record.err)")
    let client = record.accountFile?["client"]?.objectValue
    #expect(client?["authentication"]?.stringValue == used)
    let body = server.bodies("/token").last
    #expect(body?.contains("client_secret=s3cret") == (used == "post"))
    #expect(body?.contains("client_assertion=") == (used == "private-key"))
    let field = server.fields("Authorization", "/token").last
    #expect(field?.hasPrefix("Basic ") == (used == "basic"))
  }

  @Test("The secret of a client is known at the next sign-in, where the provider's have none")
  func known() async {
    let server = serve("none")
    let options = ["--client-id", "client", "--device"]
    #expect(await add(options + Self.secret) == 0, "\(record.err)")
    #expect(await add(options) == 0, "\(record.err)")
    #expect(server.fields("Authorization", "/token").allSatisfy { $0.hasPrefix("Basic ") })
  }

  @Test("A service account signs in at a provider whose clients have secrets")
  func serviceAccount() async {
    let server = serve("post")
    #expect(
      await add(["--grant", "jwt-bearer", "--client-key", "robot.json"]) == 0,
      "\(record.err)"
    )
    #expect(server.bodies("/token").last?.contains("&assertion=") == true)
    #expect(server.bodies("/token").last?.contains("client_") == false)
  }
}
