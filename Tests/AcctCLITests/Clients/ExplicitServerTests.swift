import AcctCLI
import AcctModel
import Secrets
import AcctPorts
import AcctTestSupport
import StrictJSON
import Synchronization
import Testing

@Suite("A server that the user describes")
struct ExplicitServerTests {
  private let record = RecordedWorld()

  private func add(_ options: String...) async -> Int32 {
    record.clear()
    return await record.run(
      [
        "add", "--client-id", "client", "--device", "--token-url", "https://as.example/token",
        "--device-url", "https://login.example/start", "--revoke-url", "https://as.example/revoke",
      ] + options
    )
  }

  @Test("Endpoints without an issuer are used as they are: no metadata is read, then or later")
  func endpoints() async {
    let server = RecordedServer(
      record,
      [
        "/start": [RecordedServer.start], "/revoke": [.json("{}")],
        "/token": [RecordedServer.tokens("a"), RecordedServer.tokens("b"), RecordedServer.tokens("c")],
      ]
    )
    #expect(await add("--allow-origin", "https://api.example") == 0, "\(record.err)")
    #expect(record.err.contains("acct: added alice@as.example"), "\(record.err)")
    #expect(record.accountFile?["issuer"] == .null)
    #expect(record.accountFile?["origins"] == ["https://as.example", "https://api.example"])
    // The same person at the same token endpoint is the same account.
    #expect(await add() == 0, "\(record.err)")
    #expect(record.accountFiles == 1)
    #expect(await record.acct("header", "https://api.example/x") == 0, "\(record.err)")
    #expect(await record.acct("refresh", "--force") == 0, "\(record.err)")
    #expect(await record.acct("status", "--check") == 0, "\(record.err)")
    #expect(await record.acct("remove", "alice@as.example") == 0, "\(record.err)")
    #expect(server.bodies("/revoke").count == 1)
    let paths = Set(record.requests.map(\.url.path))
    #expect(paths == ["/start", "/token", "/revoke"], "\(paths)")
  }

  @Test("The same subject at another token endpoint is another account")
  func elsewhere() async {
    _ = RecordedServer(record, ["/start": [RecordedServer.start], "/token": [RecordedServer.tokens("a")]])
    #expect(await add() == 0, "\(record.err)")
    #expect(
      await record.run([
        "add", "--client-id", "client", "--device", "--token-url", "https://other.example/token",
        "--device-url", "https://login.example/start",
      ]) == 0,
      "\(record.err)"
    )
    #expect(record.accountFiles == 2)
  }

  @Test("A given endpoint counts before the metadata's, at each renewal too")
  func overMetadata() async {
    let server = RecordedServer(
      record,
      [
        RecordedServer.place: [RecordedServer.metadata()], "/start": [RecordedServer.start],
        "/elsewhere": [RecordedServer.tokens("a"), RecordedServer.tokens("b")],
      ]
    )
    #expect(
      await record.addDevice(
        RecordedServer.issuer,
        "--token-url",
        "http://127.0.0.1:8080/elsewhere",
        "--userinfo-url",
        "https://as.example/me",
        "--scope",
        "openid"
      ) == 0,
      "\(record.err)"
    )
    #expect(record.accountFile?["issuer"] == "https://as.example")
    #expect(await record.acct("refresh", "--force") == 0, "\(record.err)")
    #expect(server.bodies("/elsewhere").count == 2)
    server.set("/me", .json("{}", 401))
    server.set("/elsewhere", .json(#"{"error":"invalid_grant"}"#, 400))
    #expect(await record.acct("status", "--check") == 4, "\(record.err)")
  }

  @Test("A device sign-in without a device endpoint, or a client without an id, says so")
  func incomplete() async {
    _ = RecordedServer(record, [:])
    #expect(
      await record.run(["add", "--client-id", "c", "--device", "--token-url", "https://a.example/t"]) == 11
    )
    #expect(await record.run(["add", "--device", "--token-url", "https://a.example/t"]) == 64)
    #expect(
      await record.run(["add", "--token-url", "http://a.example/t", "--client-id", "c"]) == 8
    )
    #expect(await record.run(["add", "alice.example", "--token-url", "https://a.example/t"]) == 64)
    #expect(record.requests.isEmpty)
  }

  @Test("Parameters go to their requests, and those for tokens to each renewal too")
  func parameters() async {
    let server = RecordedServer(record, tokens: RecordedServer.tokens("a"), RecordedServer.tokens("b"))
    #expect(
      await record.addDevice(
        RecordedServer.issuer,
        "--param",
        "audience=https://api.example/?a=b",
        "--param",
        "empty=",
        "--token-param",
        "tenant=one two"
      ) == 0,
      "\(record.err)"
    )
    #expect(await record.acct("refresh", "--force") == 0, "\(record.err)")
    let start = "&audience=https%3A%2F%2Fapi.example%2F%3Fa%3Db&empty="
    #expect(server.bodies("/start").first?.hasSuffix(start) == true)
    #expect(server.bodies("/token").count == 2)
    for body in server.bodies("/token") {
      #expect(body.hasSuffix("&tenant=one%20two") && !body.contains("audience"))
    }
  }

  @Test(
    "A parameter of the protocol's own, or one that is none, is an error of usage that names it",
    arguments: ["client_secret=x", "redirect_uri=http://a", "nothing", "=a", "state="]
  )
  func ownParameters(text: String) async {
    for option in ["--param", "--token-param"] {
      #expect(await record.addDevice(RecordedServer.issuer, option, text) == 64)
      #expect(record.err.first?.contains(option) == true, "\(record.err)")
      if let mark = text.firstIndex(of: "="), mark > text.startIndex {
        #expect(record.err.first?.contains(String(text[..<mark])) == true, "\(record.err)")
      }
    }
    #expect(
      await record.addDevice(RecordedServer.issuer, "--param", "a=1", "--param", "a=2") == 64
    )
  }

  @Test("A scope of the token requests is allowed where acct sends none itself, and nowhere else")
  func tokenScope() async {
    let server = RecordedServer(record, tokens: RecordedServer.tokens("a"), RecordedServer.tokens("b"))
    #expect(await record.addDevice(RecordedServer.issuer, "--param", "scope=a") == 64)
    #expect(await record.addDevice(RecordedServer.issuer, "--token-param", "Scope=a") == 64)
    #expect(await record.addDevice(RecordedServer.issuer, "--scope", "x y", "--token-param", "scope=api/.default") == 0)
    #expect(await record.acct("refresh", "--force") == 0, "\(record.err)")
    #expect(server.bodies("/token").count == 2)
    #expect(server.bodies("/token").allSatisfy { $0.contains("&scope=api%2F.default") })
    // A second token has a scope of its own, and from then on the account's own token is asked for by name.
    #expect(await record.acct("header", "https://as.example/x", "--scope", "x") == 0, "\(record.err)")
    #expect(await record.acct("refresh", "--force") == 0, "\(record.err)")
    for body in server.bodies("/token").suffix(2) { #expect(body.ranges(of: "scope=").count == 1, "\(body)") }
    #expect(server.bodies("/token")[2].contains("&scope=x&") || server.bodies("/token")[2].hasSuffix("&scope=x"))
  }

  @Test("A grant without a person takes a scope of the token requests in place of --scope, not beside it")
  func grantScope() async {
    record.secretFiles["secret"] = "made-up"
    let server = RecordedServer(record, tokens: RecordedServer.tokens("a", ["refresh_token": .null]))
    let line = [
      "add", "--issuer", RecordedServer.issuer, "--client-id", "client", "--client-secret-file", "secret", "--grant",
      "client-credentials", "--token-param", "scope=a",
    ]
    #expect(await record.run(line + ["--scope", "b"]) == 64)
    #expect(
      record.err.first == "acct: --token-param: with --grant and --scope the parameter scope is sent by acct itself"
    )
    #expect(await record.run(line) == 0, "\(record.err)")
    #expect(server.bodies("/token").last?.contains("scope=a") == true)
  }

  @Test("With --no-dpop a server that can bind tokens is asked for bearer tokens, for good")
  func noDPoP() async {
    let server = RecordedServer(
      record,
      metadata: ["dpop_signing_alg_values_supported": ["ES256"]],
      tokens: RecordedServer.tokens("a"),
      RecordedServer.tokens("b")
    )
    #expect(await record.addDevice(RecordedServer.issuer, "--no-dpop") == 0, "\(record.err)")
    #expect(await record.acct("refresh", "--force") == 0, "\(record.err)")
    #expect(server.fields("DPoP", "/token") == ["", ""])
    #expect(record.accountFile?["client"] == ["dpop": false])
  }

  @Test(
    "The browser comes back to the address that is registered, by its own spelling",
    arguments: [
      ("http://localhost:8080/cb", [], 8080, "http://localhost:8080/cb"),
      ("http://localhost", [], nil, "http://localhost:4711"),
      ("http://[::1]/a/b", ["--redirect-port", "99"], 99, "http://[::1]:99/a/b"),
      ("http://127.0.0.1/", [], nil, "http://127.0.0.1:4711/"),
    ] as [(String, [String], Int?, String)]
  )
  func redirect(typed: String, options: [String], port: Int?, sent: String) async throws {
    let metadata: JSONObject = ["authorization_endpoint": "https://as.example/authorize"]
    let server = RecordedServer(record, metadata: metadata, tokens: RecordedServer.tokens("a"))
    let browser = FakeBrowser()
    var world = record.world()
    browser.enter(&world)
    let status = await Acct.run(
      ["add", "--issuer", RecordedServer.issuer, "--client-id", "client", "--redirect-uri", typed] + options,
      in: world
    )
    #expect(status == 0, "\(record.err)")
    #expect(browser.listenedAt?.port == port)
    let escaped = sent.replacing(":", with: "%3A").replacing("/", with: "%2F")
      .replacing("[", with: "%5B").replacing("]", with: "%5D")
    #expect(
      browser.opened?.contains("&redirect_uri=\(escaped)&") == true,
      "\(browser.opened ?? "")"
    )
    #expect(server.bodies("/token").last?.contains("&redirect_uri=\(escaped)&") == true)
  }

  @Test(
    "An address that is not on this machine, or names another port, is an error of usage",
    arguments: [
      ["http://example.com/cb"], ["https://localhost/cb"], ["http://localhost:0/"],
      ["http://localhost/a?b=c"], ["http://localhost.example/"], ["app://cb"],
      ["http://localhost/../a"], ["http://localhost:1/", "--redirect-port", "2"],
    ]
  )
  func badRedirect(options: [String]) async {
    let begin = ["add", "--issuer", RecordedServer.issuer, "--client-id", "client"]
    #expect(await record.run(begin + ["--redirect-uri"] + options) == 64, "\(record.err)")
    #expect(record.requests.isEmpty)
  }
}

/// A browser that comes back at once with a code.
private final class FakeBrowser: Sendable {
  private let state = Mutex((opened: String?.none, redirect: LoopbackRedirect?.none))

  var opened: String? { state.withLock { $0.opened } }
  var listenedAt: LoopbackRedirect? { state.withLock { $0.redirect } }

  func enter(_ world: inout World) {
    let (queries, arrived) = AsyncStream.makeStream(of: String.self)
    world.browser = Browser { address in
      self.state.withLock { $0.opened = address }
      let state = address.split(separator: "&").first { $0.hasPrefix("state=") } ?? "state="
      arrived.yield("code=made-up-code&\(state)")
      return true
    }
    world.listener = CallbackListener { redirect throws(ListenFailure) in
      self.state.withLock { $0.redirect = redirect }
      return Listening(
        port: redirect.port ?? 4711,
        next: {
          for await query in queries { return Callback(query: Secret(query), caller: .ownUser) { _ in } }
          return nil
        },
        close: { arrived.finish() }
      )
    }
  }
}
