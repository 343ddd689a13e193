import AcctModel
import AcctPorts
import AcctTestSupport
import Testing

/// A server that a resource named sends the browser to an honest one, whose code it wants (RFC 9700, section 4.4).
@Suite("A mixed-up sign-in")
struct MixUpTests {
  @Test("A code of another server does not come where this one registered acct's client", arguments: [false, true])
  func registered(atHonestAddress: Bool) async {
    let servers = MixedUpServers(registersClients: true)
    #expect(await servers.acct("add", "--issuer", MixedUpServers.honest) == 0)
    #expect(servers.granted == ["acct"])
    servers.set { settings in
      settings.usedClient = "of-honest"
      settings.usedRedirect = atHonestAddress ? settings.redirects["of-honest"]?.last : nil
    }
    #expect(await servers.acct("add", "--resource", MixedUpServers.resource) == 3)
    #expect(servers.shown.last?.hasPrefix("\(MixedUpServers.honest)/authorize?") == true)
    #expect(servers.granted == ["acct"], "the dishonest server has tokens of alice")
    #expect(servers.record.accountFiles == 1)
  }

  private func unregistered() -> MixedUpServers {
    let servers = MixedUpServers(registersClients: false)
    servers.set { settings in
      settings.redirects = ["known": ["http://127.0.0.1/callback"]]
      settings.usedClient = "known"
    }
    return servers
  }

  @Test("A server that only a resource names, and that registers no client, is not opened unseen")
  func noTerminal() async {
    for option in ["--no-browser", "--quiet"] {
      let servers = unregistered()
      let status = await servers.acct("add", "--resource", MixedUpServers.resource, "--client-id", "mine", option)
      #expect(status == 4, "\(servers.record.err)")
      #expect(
        servers.record.err == [
          "acct: https://dishonest.example, which only the resource names, does not mark its answers, and no "
            + "terminal can ask which server the browser showed",
          "acct: hint: if you trust https://dishonest.example, name it with --issuer, beside --resource",
        ],
        "\(servers.record.err)"
      )
      #expect(servers.shown.isEmpty)
      #expect(servers.granted.isEmpty)
    }
  }

  @Test("A user who signed in elsewhere than at the server's host says so, and the code is not sent")
  func denied() async {
    let servers = unregistered()
    servers.record.answer("n")
    let status = await servers.acct("add", "--resource", MixedUpServers.resource, "--client-id", "mine")
    #expect(status == 3, "\(servers.record.err)")
    #expect(
      servers.record.err.contains("acct: sign in at dishonest.example alone: no other host may ask you to")
    )
    #expect(servers.granted.isEmpty)
    #expect(servers.record.accountFiles == 0)
  }

  @Test("A server that the user names is opened without a question")
  func named() async {
    let servers = unregistered()
    let status = await servers.acct(
      "add",
      "--resource",
      MixedUpServers.resource,
      "--client-id",
      "mine",
      "--issuer",
      MixedUpServers.dishonest
    )
    #expect(status == 0, "\(servers.record.err)")
    // The price of the user's word: nothing here can tell the two apart.
    #expect(servers.granted == [MixedUpServers.dishonest])
  }

  @Test("Each issuer that registers acct has a redirect path of its own, the same each time")
  func paths() async {
    let servers = MixedUpServers(registersClients: true)
    for _ in 0..<2 { #expect(await servers.acct("add", "--issuer", MixedUpServers.honest) == 0) }
    let paths = Set(servers.redirects["of-honest"] ?? [])
    #expect(paths.count == 1)
    let path = paths.first ?? ""
    #expect(path.hasPrefix("http://127.0.0.1/") && path.hasSuffix("/callback"), "\(path)")
    // Not below the common path, which some servers match by its beginning.
    #expect(!path.hasPrefix("http://127.0.0.1/callback"))
    #expect(servers.record.requests.count { $0.url.path == "/register" } == 1)
  }

  @Test("A client from before such paths is used on, unless only a resource names its server")
  func fromBefore() async {
    let servers = MixedUpServers(registersClients: true)
    for server in ["honest", "dishonest"] {
      servers.set { $0.redirects["old-\(server)"] = ["http://127.0.0.1/callback"] }
    }
    servers.record.corrupt(
      .clients,
      with: """
        {"version":1,"named":{},"registered":{
         "\(MixedUpServers.honest)/":{"clientID":"old-honest","authentication":"none",
          "redirect":"http://127.0.0.1:8123/callback"},
         "\(MixedUpServers.dishonest)/":{"clientID":"old-dishonest","authentication":"none",
          "redirect":"http://127.0.0.1:8123/callback"}}}
        """
    )
    #expect(await servers.acct("add", "--issuer", MixedUpServers.honest) == 0)
    #expect(!servers.record.requests.contains { $0.url.path == "/register" })
    servers.set { $0.usedClient = "old-honest" }
    #expect(await servers.acct("add", "--resource", MixedUpServers.resource) == 3)
    #expect(
      servers.record.requests.last { $0.url.path == "/register" }?.url.origin.host == "dishonest.example"
    )
    #expect(servers.granted == ["acct"])
  }

  @Test("A redirect address that the user gives is no path of the server's own")
  func givenRedirect() async {
    let servers = MixedUpServers(registersClients: true)
    let status = await servers.acct(
      "add",
      "--resource",
      MixedUpServers.resource,
      "--redirect-uri",
      "http://127.0.0.1/callback"
    )
    #expect(status == 4, "\(servers.record.err)")
    #expect(servers.shown.isEmpty)
  }
}
