import AcctCLI
import AcctModel
import AcctPorts
import AcctTestSupport
import StrictJSON
import Testing

/// Whose account it is, where the token does not tell.
@Suite("The identity of a sign-in")
struct IdentityTests {
  private let record = RecordedWorld()

  private func serve(_ members: JSONObject, sub: JSON = .null) -> RecordedServer {
    RecordedServer(
      record,
      metadata: members,
      tokens: RecordedServer.tokens("a", ["sub": sub]),
      RecordedServer.tokens("b", ["sub": sub])
    )
  }

  private static let userinfo: JSONObject = ["userinfo_endpoint": "https://as.example/me"]

  @Test("The userinfo tells it where the token does not, with the new token")
  func userinfo() async {
    let server = serve(Self.userinfo)
    server.set("/me", .json(#"{"sub":"248289761001","preferred_username":"jane"}"#))
    #expect(await record.addDevice() == 0, "\(record.err)")
    #expect(server.fields("Authorization", "/me") == ["Bearer at-a-long-enough"])
    #expect(record.accountFile?["subject"] == "248289761001")
    #expect(record.accountFile?["name"] == "jane@as.example")
    #expect(await record.addDevice() == 0, "\(record.err)")
    #expect(record.accountFiles == 1)
    server.set("/me", .json(#"{"sub":"another","preferred_username":"jane"}"#))
    #expect(await record.addDevice() == 0, "\(record.err)")
    #expect(record.accountFiles == 2)
  }

  @Test("A token that tells it spares the request")
  func known() async {
    let server = serve(Self.userinfo, sub: "alice")
    #expect(await record.addDevice() == 0, "\(record.err)")
    #expect(server.bodies("/me").isEmpty)
    #expect(record.accountFile?["subject"] == "alice")
  }

  @Test(
    "A userinfo that fails does not lose the sign-in",
    arguments: [
      (401, #"{"error":"invalid_token"}"#), (500, "{}"), (200, "[]"), (200, "{}"),
      (200, #"{"sub":["a"]}"#), (429, "{}"),
    ]
  )
  func failure(status: Int, body: String) async {
    let server = serve(Self.userinfo)
    server.set("/me", .json(body, status))
    #expect(await record.addDevice() == 0, "\(record.err)")
    #expect(
      record.err.contains {
        $0.hasPrefix(
          "acct: the server did not tell who has signed in, so only --name selects an account that is there: "
        )
      }
    )
    #expect(record.accountFile?["name"] == "as.example")
    #expect(await record.acct("token") == 0)
  }

  @Test(
    "A userinfo without the member for its user is told as that, and one with a bad member as such",
    arguments: [
      (#"{"id":17,"username":"ana"}"#, "a userinfo without sub"), (#"{"sub":null}"#, "a userinfo without sub"),
      (#"{"sub":["a"]}"#, "an answer with a bad sub"),
    ]
  )
  func unnamed(body: String, words: String) async {
    let server = serve(Self.userinfo)
    server.set("/me", .json(body))
    #expect(await record.addDevice() == 0, "\(record.err)")
    #expect(record.err.contains { $0.hasSuffix(": https://as.example sent \(words)") }, "\(record.err)")
    #expect(record.accountFiles == 1)
  }

  @Test("An introspection tells it where there is no userinfo")
  func introspection() async {
    let server = serve(["introspection_endpoint": "https://as.example/introspect"])
    server.set("/introspect", .json(#"{"active":true,"sub":"7","username":"jane"}"#))
    #expect(await record.addDevice() == 0, "\(record.err)")
    #expect(record.accountFile?["subject"] == "7")
    #expect(record.accountFile?["name"] == "jane@as.example")
  }

  @Test("A server that does not tell has an account of its own name, or one of each name given")
  func nobody() async {
    _ = serve([:])
    #expect(await record.addDevice() == 0, "\(record.err)")
    #expect(record.accountFile?["name"] == "as.example")
    #expect(await record.addDevice() == 0, "\(record.err)")
    #expect(record.accountFiles == 1)
    #expect(await record.addDevice(RecordedServer.issuer, "--name", "work") == 0, "\(record.err)")
    #expect(record.accountFiles == 2)
    #expect(await record.addDevice(RecordedServer.issuer, "--name", "work") == 0, "\(record.err)")
    #expect(record.accountFiles == 2)
  }
}
