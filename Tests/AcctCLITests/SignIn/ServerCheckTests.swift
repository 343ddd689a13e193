import AcctModel
import AcctPorts
import AcctTestSupport
import StrictJSON
import Testing

/// What `status --check` asks of an OAuth server, and what its answer means.
@Suite("The check of a token")
struct ServerCheckTests {
  private let record = RecordedWorld()
  private static let userinfo: JSONObject = ["userinfo_endpoint": "https://as.example/me"]

  private func serve(_ metadata: JSONObject, sub: JSON = .null) -> RecordedServer {
    RecordedServer(record, metadata: metadata, tokens: RecordedServer.tokens("a", ["sub": sub, "refresh_token": nil]))
  }

  private var checked: JSON? { record.json?.objectValue?["checked"] }
  private var validatedAt: String? { record.accountFile?["validatedAt"]?.stringValue }

  @Test("A userinfo that told who signed in is asked without openid, and its 401 is a no")
  func toldThere() async {
    let server = serve(Self.userinfo)
    server.set("/me", .json(#"{"sub":"alice"}"#))
    #expect(await record.addDevice(RecordedServer.issuer, "--scope", "read") == 0, "\(record.err)")
    let asked = server.bodies("/me").count
    record.now += 60
    #expect(await record.acct("status", "--check", "--json") == 0, "\(record.err)")
    #expect(server.bodies("/me").count == asked + 1)
    #expect(checked == true)
    #expect(validatedAt == "2027-01-15T08:01:05Z")
    server.set("/me", .json("{}", 401))
    #expect(await record.acct("status", "--check") == 4, "\(record.err)")
    #expect(record.out.contains("sign in again: rejected by as.example at 08:01\n"), "\(record.out)")
  }

  @Test("A userinfo that does not tell is no answer, and the token counts as not checked", arguments: [403, 404])
  func unknown(status: Int) async {
    let server = serve(Self.userinfo)
    server.set("/me", .json(#"{"sub":"alice"}"#))
    #expect(await record.addDevice(RecordedServer.issuer, "--scope", "read") == 0, "\(record.err)")
    let before = validatedAt
    record.now += 60
    server.set("/me", .json("{}", status))
    #expect(await record.acct("status", "--check", "--json") == 0, "\(record.err)")
    #expect(checked == false)
    #expect(record.err == ["acct: not checked: as.example answered \(status)"])
    #expect(validatedAt == before)
  }

  @Test("A userinfo that the user named, and that told nothing, is no answer with 401")
  func namedEndpoint() async {
    let server = serve([:], sub: "alice")
    server.set("/named", .json("{}", 401))
    let named = "https://as.example/named"
    #expect(
      await record.addDevice(RecordedServer.issuer, "--userinfo-url", named) == 0,
      "\(record.err)"
    )
    #expect(await record.acct("status", "--check") == 0, "\(record.err)")
    #expect(record.err == ["acct: not checked: as.example answered 401"])
  }

  @Test("A userinfo answers 401 for a no where openid was granted")
  func openID() async {
    let server = serve(Self.userinfo, sub: "alice")
    server.set("/me", .json("{}", 401))
    #expect(await record.addDevice(RecordedServer.issuer, "--scope", "openid") == 0)
    #expect(await record.acct("status", "--check") == 4, "\(record.err)")
  }

  @Test("A server that has nothing to ask is named, and the check ends with 0")
  func nothing() async {
    _ = serve([:], sub: "alice")
    #expect(await record.addDevice() == 0, "\(record.err)")
    let before = validatedAt
    record.now += 60
    #expect(await record.acct("status", "--check") == 0, "\(record.err)")
    #expect(record.err == ["acct: not checked: as.example has nothing to ask"])
    #expect(await record.acct("status", "--check", "--json") == 0, "\(record.err)")
    #expect(checked == false)
    #expect(record.err == ["acct: not checked: as.example has nothing to ask"])
    #expect(validatedAt == before)
    #expect(await record.acct("status", "--json") == 0)
    #expect(checked == .null)
  }

  @Test("A token for a resource is not shown to its server's own endpoints")
  func resource() async {
    let server = serve(Self.userinfo, sub: "alice")
    #expect(
      await record.addDevice(RecordedServer.issuer, "--resource", "https://api.example") == 0
    )
    #expect(await record.acct("status", "--check") == 0, "\(record.err)")
    #expect(record.err == ["acct: not checked: as.example has nothing to ask"])
    #expect(server.bodies("/me").isEmpty)
  }

  /// Signs in for a resource, at a server that has an introspection and a userinfo.
  private func addResource(_ tokens: HTTPResponse..., options: String...) async -> RecordedServer {
    let endpoints: JSONObject = [
      "introspection_endpoint": "https://as.example/introspect", "userinfo_endpoint": "https://as.example/me",
    ]
    let server = RecordedServer(
      record,
      [
        RecordedServer.place: [RecordedServer.metadata(endpoints)], "/start": [RecordedServer.start], "/token": tokens,
      ]
    )
    let line = [
      "add", "--issuer", RecordedServer.issuer, "--client-id", "client", "--device", "--resource",
      "https://api.example",
    ]
    #expect(await record.run(line + options) == 0, "\(record.err)")
    return server
  }

  @Test("A token for a resource is checked by introspection, with the client's own authentication")
  func introspection() async {
    record.secretFiles["secret"] = "made-up"
    let server = await addResource(RecordedServer.tokens("a"), options: "--client-secret-file", "secret")
    server.set("/introspect", .json(#"{"active":true,"sub":"u-17","client_id":"client","scope":"notes:read"}"#))
    record.now += 60
    #expect(await record.acct("status", "--check", "--json") == 0, "\(record.err)")
    #expect(checked == true)
    #expect(validatedAt == "2027-01-15T08:01:05Z")
    #expect(server.bodies("/introspect") == ["token=at-a-long-enough&token_type_hint=access_token"])
    #expect(server.fields("Authorization", "/introspect").first?.hasPrefix("Basic ") == true)
    #expect(server.bodies("/me").isEmpty)
    server.set("/introspect", .json("{}", 403))
    #expect(await record.acct("status", "--check") == 0, "\(record.err)")
    #expect(record.err == ["acct: not checked: as.example answered 403"])
  }

  @Test("A token that introspection calls inactive is renewed, and is a no if the new one is, too")
  func inactive() async {
    let server = await addResource(RecordedServer.tokens("a"), RecordedServer.tokens("b"), RecordedServer.tokens("c"))
    server.set("/introspect", .json(#"{"active":false}"#), .json(#"{"active":true}"#))
    #expect(await record.acct("status", "--check") == 0, "\(record.err)")
    #expect(server.bodies("/token").count == 2)
    server.set("/introspect", .json(#"{"active":false}"#))
    #expect(await record.acct("status", "--check") == 4, "\(record.err)")
    #expect(record.out.contains("`acct login alice@as.example`"), "\(record.out) \(record.err)")
    // Nothing is stored: the server may say so to a client that may not ask.
    #expect(await record.acct("header", "https://api.example/") == 0, "\(record.err)")
  }

  @Test("A resource's token that can't be renewed and is inactive is a no, and is used all the same")
  func ended() async {
    let server = await addResource(RecordedServer.tokens("a", ["refresh_token": .null]))
    server.set("/introspect", .json(#"{"active":false}"#))
    #expect(await record.acct("status", "--check") == 4, "\(record.err)")
    // The server may say so to a client that may not ask.
    #expect(await record.acct("header", "https://api.example/") == 0, "\(record.err)")
  }
}
