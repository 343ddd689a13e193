import AcctCLI
import AcctModel
import AcctPorts
import AcctTestSupport
import StrictJSON
import Testing

/// A registration is a cache: a server may lose the clients that it has registered.
@Suite("A client that its server has lost")
struct ForgottenClientTests {
  private let record = RecordedWorld()
  private let browser = RehearsedBrowser()

  private func acct(_ arguments: String...) async -> Int32 {
    record.clear()
    return await Acct.run(arguments, in: browser.world(of: record), parsedBy: ParsedLines.parse)
  }

  private func added(_ options: String..., metadata: JSONObject = [:]) async -> ForgettingServer {
    let server = ForgettingServer(record, metadata: metadata)
    let status = await Acct.run(
      ["add", "--issuer", RecordedServer.issuer, "--name", "n"] + options,
      in: browser.world(of: record),
      parsedBy: ParsedLines.parse
    )
    #expect(status == 0 && server.registrations == 1, "\(record.err)")
    return server
  }

  private static let lost =
    "acct: the server no longer knows the client c-1, which it registered for acct; another one is registered"
  private static let codes = ["invalid_client", "unauthorized_client"]

  @Test("Login registers a new client, once, after the token endpoint refused the registered one", arguments: codes)
  func token(code: String) async {
    let server = await added()
    server.forget(code)
    #expect(await acct("login", "n") == 0, "\(record.err)")
    #expect(server.registrations == 2)
    #expect(record.err.contains(Self.lost), "\(record.err)")
    #expect(browser.parameters["client_id"] == "c-2")
    #expect(record.accountFile?["clientId"] == "c-2" && record.accountFiles == 1)
    #expect(await acct("refresh", "--force") == 0, "\(record.err)")
    #expect(await acct("login", "n") == 0 && server.registrations == 2, "\(record.err)")
  }

  @Test(
    "Login and add register a new client, once, after the pushed request of the registered one was refused",
    arguments: ["login", "add"]
  )
  func pushed(command: String) async {
    let server = await added(
      metadata: [
        "pushed_authorization_request_endpoint": "https://as.example/par",
        "require_pushed_authorization_requests": true,
      ]
    )
    server.forget()
    let opened = browser.addresses.count
    let status =
      command == "login" ? await acct("login", "n") : await acct("add", "--issuer", RecordedServer.issuer)
    #expect(status == 0, "\(record.err)")
    #expect(server.registrations == 2 && browser.addresses.count == opened + 1)
    #expect(record.accountFile?["clientId"] == "c-2" && record.accountFiles == 1)
  }

  @Test("Login registers a new client, once, after the redirect refused the registered one", arguments: codes)
  func redirect(code: String) async {
    let server = await added()
    browser.refuse("\(code)&error_description=c-1+is+not+known+here", for: "c-1")
    #expect(await acct("login", "n") == 0, "\(record.err)")
    #expect(server.registrations == 2 && browser.parameters["client_id"] == "c-2")
    #expect(record.err.contains(Self.lost), "\(record.err)")
  }

  @Test("Login registers a new client, once, after the device endpoint refused the registered one")
  func device() async {
    let server = await added("--device")
    server.forget()
    #expect(await acct("login", "n") == 0, "\(record.err)")
    #expect(server.registrations == 2 && record.accountFile?["clientId"] == "c-2")
  }

  @Test("A server that refuses each client gets one registration more for each sign-in, and no loop", arguments: codes)
  func once(code: String) async {
    let server = await added()
    browser.refuse(code)
    #expect(await acct("login", "n") == 4)
    #expect(server.registrations == 2)
    #expect(record.err.last?.contains("`acct login n --client-id ID`") == true, "\(record.err)")
    #expect(await acct("login", "n") == 4)
    #expect(server.registrations == 3)
    browser.refuse(nil)
    #expect(await acct("login", "n") == 0, "\(record.err)")
    #expect(server.registrations == 3)
  }

  @Test("A renewal whose client is refused exits 4 and names `acct login`", arguments: codes)
  func renewal(code: String) async {
    let server = await added()
    server.forget(code)
    record.now += 3600
    #expect(await acct("refresh", "--all", "--quiet", "--no-input") == 4)
    #expect(record.err.last?.hasSuffix("sign in again with `acct login n`") == true, "\(record.err)")
    #expect(await acct("header", "https://as.example/") == 4)
    #expect(record.err.last == "acct: hint: sign in again with `acct login n`", "\(record.err)")
    #expect(await acct("login", "n") == 0, "\(record.err)")
    // The renewal has dropped the client, so the sign-in did not meet the refusal.
    #expect(server.registrations == 2 && !record.err.contains(Self.lost), "\(record.err)")
    #expect(await acct("refresh", "--force") == 0, "\(record.err)")
    #expect(await acct("header", "https://as.example/") == 0, "\(record.err)")
  }

  @Test("A client id that the user named is neither dropped nor replaced")
  func named() async {
    let server = ForgettingServer(record)
    browser.refuse("invalid_client")
    #expect(await acct("add", "--issuer", RecordedServer.issuer, "--client-id", "c-1") == 4)
    #expect(record.err.last?.contains("give its id with --client-id") == true, "\(record.err)")
    #expect(server.registrations == 0 && browser.addresses.count == 1)
  }

  @Test("A page in place of the redirect: the message names --register, which registers another one")
  func page() async {
    let server = await added()
    var world = browser.world(of: record)
    world.browser = Browser { _ in true }
    record.clear()
    let status = await Acct.run(["login", "n", "--wait", "599"], in: world, parsedBy: ParsedLines.parse)
    #expect(status == 4)
    #expect(record.err.last?.contains("--register registers a new client") == true, "\(record.err)")
    #expect(await acct("login", "n", "--register") == 0, "\(record.err)")
    #expect(server.registrations == 2 && browser.parameters["client_id"] == "c-2")
    #expect(await acct("login", "n") == 0 && server.registrations == 2, "\(record.err)")
    #expect(await acct("add", "--issuer", RecordedServer.issuer, "--register") == 0, "\(record.err)")
    #expect(server.registrations == 3 && record.accountFiles == 1)
  }

  @Test("--register is for clients that acct registers")
  func misplaced() async {
    _ = ForgettingServer(record)
    #expect(await acct("add", "--issuer", RecordedServer.issuer, "--client-id", "mine", "--register") == 64)
    #expect(await acct("add", "--issuer", RecordedServer.issuer, "--client-id", "mine", "--device", "--name", "n") == 4)
    #expect(await acct("login", "n", "--register") != 0)
  }
}
