import AcctCLI
import AcctModel
import AcctPorts
import AcctTestSupport
import StrictJSON
import Testing

/// Sign-ins whose server does not tell who it is, or tells two things.
@Suite("A sign-in of an unknown user")
struct UnknownUserTests {
  private let record = RecordedWorld()

  private func serve(_ members: JSONObject = [:], _ tokens: JSONObject = ["sub": .null]) -> RecordedServer {
    let server = RecordedServer(
      record,
      metadata: members,
      tokens: RecordedServer.tokens("a", tokens),
      RecordedServer.tokens("b", tokens),
      RecordedServer.tokens("c", tokens)
    )
    return server
  }

  private static let userinfo: JSONObject = ["userinfo_endpoint": "https://as.example/me"]

  private func token(_ account: String) async -> String {
    record.clear()
    _ = await record.acct("token", "-a", account)
    return record.out
  }

  @Test("A userinfo that fails makes an account of its own, unless the user names one")
  func failed() async {
    let server = serve(Self.userinfo)
    server.set("/me", .json("{}", 500))
    #expect(await record.addDevice() == 0, "\(record.err)")
    #expect(await record.addDevice() == 0, "\(record.err)")
    #expect(record.accountFiles == 2)
    #expect(await token("as.example") == "at-a-long-enough\n")
    #expect(await token("as.example-2") == "at-b-long-enough\n")
    let named = await record.addDevice(RecordedServer.issuer, "--name", "as.example-2")
    #expect(named == 0, "\(record.err)")
    #expect(record.accountFiles == 2)
    #expect(await token("as.example-2") == "at-c-long-enough\n")
  }

  @Test("Opaque tokens for two resources of one server are two accounts")
  func resources() async {
    _ = serve()
    func add(_ resources: String...) async -> Int32 {
      record.clear()
      return await record.run(
        ["add", "--issuer", RecordedServer.issuer, "--client-id", "client", "--device"]
          + resources.flatMap { ["--resource", $0] }
      )
    }
    let (a, b) = ("https://a.example/mcp", "https://b.example/mcp")
    #expect(await add(a) == 0, "\(record.err)")
    #expect(await add(b) == 0, "\(record.err)")
    #expect(record.accountFiles == 2)
    #expect(await record.acct("switch", "-") == 0, "\(record.err)")
    #expect(await record.acct("header", a) == 0, "\(record.err)")
    #expect(await add(a) == 0, "\(record.err)")
    #expect(record.accountFiles == 2)
    #expect(await add(a, b) == 0, "\(record.err)")
    #expect(await add(b, a) == 0, "\(record.err)")
    #expect(record.accountFiles == 3)
  }

  @Test("An account that was renamed is found by its new name, and its old name is free")
  func renamed() async {
    _ = serve()
    let issuer = RecordedServer.issuer
    #expect(await record.addDevice(issuer, "--name", "work") == 0, "\(record.err)")
    #expect(await record.acct("rename", "work", "office") == 0, "\(record.err)")
    #expect(await record.addDevice(issuer, "--name", "office") == 0, "\(record.err)")
    #expect(record.accountFiles == 1)
    #expect(await token("office") == "at-b-long-enough\n")
    #expect(await record.addDevice(issuer, "--name", "work") == 0, "\(record.err)")
    #expect(record.accountFiles == 2)
    #expect(await token("office") == "at-b-long-enough\n")
  }

  private func addAcme(_ identity: String = "") async -> Int32 {
    record.providerFiles["acme"] = #"{"issuer":"https://as.example"\#(identity)}"#
    record.clear()
    return await record.acct("add", "acme", "--client-id", "client", "--device")
  }

  @Test("A provider's own member for its users comes before the token's sub")
  func ownMember() async {
    let server = serve(Self.userinfo, ["sub": "of-the-token"])
    server.set("/me", .json(#"{"id":7,"login":"jane"}"#))
    #expect(await addAcme(#","identity":{"subject":"id","name":"login"}"#) == 0, "\(record.err)")
    #expect(record.accountFile?["subject"] == "7")
    #expect(record.accountFile?["name"] == "jane@as.example")
  }

  @Test("A userinfo that repeats the token as a name puts it into no file")
  func echo() async {
    let server = serve(Self.userinfo)
    server.set("/me", .json(#"{"sub":"alice","preferred_username":"at-a-long-enough"}"#))
    #expect(await addAcme() == 0, "\(record.err)")
    #expect(!record.filesText.contains("at-a-long-enough"))
    #expect(!record.err.contains { $0.contains("at-a-long-enough") })
  }
}
