import AcctCLI
import AcctConsole
import AcctModel
import AcctPorts
import AcctTestSupport
import StrictJSON
import Testing

@Suite("Signing in again by name")
struct LoginTests {
  private let server = OpenIDServer()
  private var record: RecordedWorld { server.record }

  private func login(_ options: String...) async -> Int32 {
    record.clear()
    return await Acct.run(["login"] + options, in: server.browser.world(of: record), parsedBy: ParsedLines.parse)
  }

  private func account() async -> JSONObject? {
    record.clear()
    _ = await record.acct("status", "alice@as.example", "--json")
    return record.json?.objectValue?["account"]?.objectValue
  }

  @Test("A name signs in with the server, the client and the scope of the sign-in before, and all else stays")
  func again() async throws {
    #expect(
      await server.add("--redirect-uri", "http://localhost:8200/back", "--allow-origin", "https://b.example") == 0
    )
    let asked = server.browser.parameters
    let before = try #require(await account())
    #expect(await login("alice@as.example") == 0, "\(record.err)")
    #expect(record.err.last == "acct: signed in to alice@as.example again")
    for name in ["client_id", "scope", "redirect_uri"] {
      #expect(server.browser.parameters[name] == asked[name], "\(name)")
    }
    let after = try #require(await account())
    for name in ["id", "name", "origins", "scope", "issuer", "createdAt"] {
      #expect(after[name] == before[name], "\(name)")
    }
    #expect(record.accountFiles == 1)
    #expect(await record.acct("header", "https://b.example/") == 0)
    #expect(record.out == "Authorization: Bearer at-2-long-enough\n")
  }

  @Test("Without a name it is the selected account; another account stays the active one")
  func selected() async {
    #expect(await server.add() == 0)
    #expect(await record.addToken("a", at: "https://b.example", "--name", "work") == 0)
    #expect(await login("alice@as.example") == 0, "\(record.err)")
    #expect(await record.acct("header", "https://b.example/") == 0, "\(record.err)")
    #expect(await record.acct("switch", "alice@as.example") == 0)
    #expect(await login() == 0, "\(record.err)")
    #expect(record.err.last == "acct: signed in to alice@as.example again")
  }

  @Test("A scope is remembered, a parameter is for this time")
  func scope() async {
    #expect(await server.add() == 0)
    #expect(await login("--scope", "openid mail", "--param", "prompt=consent") == 0, "\(record.err)")
    #expect(server.browser.parameters["scope"] == "openid mail")
    #expect(server.browser.parameters["prompt"] == "consent")
    #expect(await login() == 0, "\(record.err)")
    #expect(server.browser.parameters["scope"] == "openid mail")
    #expect(server.browser.parameters["prompt"] == nil)
  }

  @Test("An account of version 0.2.0 asks for the scope that it was granted")
  func older() async throws {
    #expect(await server.add() == 0)
    var file = try #require(record.accountFile)
    let id = try AccountID(try #require(file["id"]?.stringValue))
    #expect(file["signIn"] != nil)
    file["signIn"] = nil
    record.corrupt(.account(id), with: String(decoding: JSON.object(file).serialized(), as: UTF8.self))
    #expect(await login() == 0, "\(record.err)")
    #expect(server.browser.parameters["scope"] == "openid")
    #expect(server.browser.parameters["client_id"] == "client")
  }

  @Test("Another person who signs in changes nothing, and the hint adds them")
  func otherPerson() async throws {
    #expect(await server.add() == 0)
    let before = try #require(await account())
    server.set { $0.claims?["sub"] = "bob" }
    #expect(await login() == 8, "\(record.err)")
    #expect(
      record.err.suffix(2) == [
        "acct: signed in as bob at as.example, not as alice@as.example; nothing was changed",
        "acct: hint: to add bob, run `acct add --issuer https://as.example --client-id client --scope openid`",
      ]
    )
    #expect(await account() == before)
    // At such a server the end of one session may end all of a user's with this client, of another account of theirs, too.
    #expect(server.forms("/revoke").isEmpty)
    #expect(await record.acct("header", "https://as.example/x") == 0)
    #expect(record.out == "Authorization: Bearer at-1-long-enough\n")
  }

  @Test("The line that adds another person has the redirect address of the account")
  func otherPersonsLine() async {
    #expect(
      await server.add("--redirect-uri", "http://localhost:8200/back", "--allow-origin", "https://b.example") == 0
    )
    server.set { $0.claims?["sub"] = "bob" }
    #expect(await login() == 8, "\(record.err)")
    #expect(
      record.err.last
        == "acct: hint: to add bob, run `acct add --issuer https://as.example --client-id client "
        + "--redirect-uri http://localhost:8200/back --scope openid`"
    )
  }

  @Test("Where no sign-in says who it is, it goes on with a notice")
  func unknownPerson() async throws {
    server.set {
      $0.claims = nil
      $0.userinfo = .json("{}", 500)
    }
    #expect(await server.add("--name", "work") == 0, "\(record.err)")
    #expect(await login() == 0, "\(record.err)")
    #expect(record.err.contains("acct: the server does not say whether it is work's person who has signed in"))
    #expect(record.accountFiles == 1)
  }

  @Test("A server that named the person and does not again may have another one's tokens: nothing is changed")
  func unnamedPerson() async throws {
    #expect(await server.add() == 0)
    server.set {
      $0.claims = nil
      $0.userinfo = .json("{}", 500)
    }
    #expect(await login() == 11, "\(record.err)")
    #expect(record.err.last == "acct: hint: try again later: `acct login alice@as.example`")
    #expect(await record.acct("header", "https://as.example/x") == 0)
    #expect(record.out == "Authorization: Bearer at-1-long-enough\n")
  }

  @Test("Another client keeps the account, though the server names its person differently to each client")
  func otherClient() async throws {
    #expect(await server.add() == 0)
    let before = try #require(await account())
    server.set { $0.client = "other" }
    server.set { $0.claims?["aud"] = "other" }
    server.set { $0.claims?["sub"] = "pairwise" }
    #expect(await login("--client-id", "other") == 0, "\(record.err)")
    let after = try #require(await account())
    #expect(after["id"] == before["id"])
    #expect(after["clientId"] == "other")
    #expect(record.accountFiles == 1)
  }

  @Test("A parameter of the sign-in that added the account is kept")
  func parameter() async {
    #expect(await server.add("--param", "audience=https://api.example") == 0)
    #expect(await login("--param", "prompt=none") == 0, "\(record.err)")
    #expect(server.browser.parameters["audience"] == "https://api.example")
    #expect(await login() == 0, "\(record.err)")
    #expect(server.browser.parameters["audience"] == "https://api.example")
    #expect(server.browser.parameters["prompt"] == nil)
  }

  @Test("A sign-in on another device, or in a browser that is named, is for this time")
  func device() async {
    server.set { $0.metadata["device_authorization_endpoint"] = "https://as.example/start" }
    for (way, otherWay) in [([], ["--device"]), (["--device"], ["--browser", "lynx"])] {
      #expect(await server.add(way) == 0, "\(record.err)")
      var opened = server.browser.addresses.count
      for options in [otherWay, [], otherWay, []] {
        let usesBrowser = options == ["--browser", "lynx"] || options.isEmpty && way.isEmpty
        record.clear()
        let world = server.browser.world(of: record)
        #expect(await Acct.run(["login"] + options, in: world, parsedBy: ParsedLines.parse) == 0, "\(record.err)")
        #expect(record.err.contains("BCDF-GHJK") != usesBrowser, "\(way) \(options): \(record.err)")
        #expect(server.browser.addresses.count - opened == (usesBrowser ? 1 : 0), "\(way) \(options)")
        opened = server.browser.addresses.count
      }
    }
    #expect(await login("--device", "--browser", "lynx") == 64)
  }

  @Test("A browser that is named is used at a provider that prefers another device")
  func namedBrowser() async {
    server.set { $0.metadata["device_authorization_endpoint"] = "https://as.example/start" }
    record.providerFiles["acme"] = #"{"issuer":"https://as.example","clientID":"client","flow":"device"}"#
    #expect(await server.addAcme() == 0, "\(record.err)")
    #expect(server.browser.addresses.isEmpty)
    #expect(await login("--browser", "lynx") == 0, "\(record.err)")
    #expect(server.browser.addresses.count == 1)
    #expect(await login() == 0, "\(record.err)")
    #expect(server.browser.addresses.count == 1)
  }

  @Test("A provider's secret goes to no other server when the provider's file names another")
  func movedProvider() async {
    record.secretFiles["secret"] = "made-up client secret"
    record.providerFiles["acme"] = #"{"issuer":"https://as.example","clientID":"client","clientAuth":"post"}"#
    let add = ["add", "acme", "--client-secret-file", "secret"]
    #expect(
      await Acct.run(add, in: server.browser.world(of: record), parsedBy: ParsedLines.parse) == 0,
      "\(record.err)"
    )
    record.providerFiles["acme"] = #"{"issuer":"https://evil.example","clientID":"client","clientAuth":"post"}"#
    #expect(await login() != 0)
    #expect(
      !record.requests.contains {
        $0.url.origin.description == "https://evil.example" && RowServer.text($0.body).contains("made-up")
      }
    )
  }

  @Test("An account of a provider follows what the provider's file says now")
  func provider() async {
    record.providerFiles["acme"] = #"{"issuer":"https://as.example","scope":"openid"}"#
    #expect(await server.addAcme() == 0, "\(record.err)")
    record.providerFiles["acme"] = #"{"issuer":"https://as.example","scope":"openid more"}"#
    #expect(await login() == 0, "\(record.err)")
    #expect(server.browser.parameters["scope"] == "openid more")
    #expect(record.accountFiles == 1)
  }

  @Test("A static account asks for its new token, and keeps its form and its origins")
  func staticToken() async {
    let options = ["--header", "X-Key", "--allow-origin", "https://c.example", "--name", "work"]
    record.secretFiles["token"] = "old"
    #expect(await record.run(["add", "--token", "token"] + options) == 0)
    record.answer("new")
    #expect(await login() == 0, "\(record.err)")
    #expect(record.err == ["acct: replaced the token of work"])
    #expect(await record.acct("header", "https://c.example/") == 0)
    #expect(record.out == "X-Key: new\n")
    #expect(await login("work") == 64)
    #expect(record.err.last == "acct: hint: `acct login work --token FILE` reads it from your own file; - is stdin")
  }

  @Test("An import that names no server says which file to import")
  func imported() async {
    #expect(await record.add(Handoffs.bearer(changing: ["issuer": .null])) == 0, "\(record.err)")
    #expect(await login() == 4, "\(record.err)")
    #expect(record.err.last?.contains("`acct add --import FILE --name bob.example.com`") == true, "\(record.err)")
  }

  @Test("An import that names issuer and client signs in by the browser, and keeps its person and its origins")
  func importedWithClient() async throws {
    let credentials = """
      {"access_token":"opaque-alice","token_type":"Bearer","handle":"alice.example.com","issuer":"https://as.example",
       "clientId":"client","origins":["https://b.example"]}
      """
    #expect(await record.add(credentials) == 0, "\(record.err)")
    #expect(await login() == 0, "\(record.err)")
    #expect(await record.acct("header", "https://b.example/x") == 0, "\(record.err)")
    #expect(record.out.hasPrefix("Authorization: Bearer at-"))
    #expect(await record.status("handle") == "alice.example.com")
    #expect(record.accountFiles == 1)
  }

  @Test("A name that no account has is what add takes, or no account")
  func notAnAccount() async {
    #expect(await server.add() == 0)
    #expect(await login("bobb") == 5)
    #expect(record.err.first == "acct: no account is called bobb")
    record.providerFiles["acme"] = #"{"issuer":"https://as.example","clientID":"client"}"#
    #expect(await login("acme") == 0, "\(record.err)")
    #expect(record.accountFiles == 1)
    #expect(record.err.contains { $0.contains("renewed alice") }, "\(record.err)")
  }

  @Test("An option that the account's sign-in has no use for is bad usage")
  func strayOption() async {
    #expect(await record.addToken("a", at: "https://b.example", "--name", "work") == 0)
    #expect(await login("--scope", "a") == 64)
    #expect(record.err.first == "acct: --scope is of no use to work: it has another kind of sign-in")
    #expect(await server.add() == 0)
    #expect(await login("alice@as.example", "--token", "file") == 64)
    #expect(await login("--no-input") == 4)
    #expect(await login("--wait", "0") == 64)
    #expect(await login("--param", "state=x") == 64)
    #expect(await login("work", "--account", "work") == 64)
  }
}
