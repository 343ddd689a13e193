import AcctTestSupport
import StrictJSON
import Testing

/// What machines and an engine say to each other, read between two connections of TLS.
@Suite("What passes between acct and an engine")
struct SharedTraceTests {
  @Test("An engine's socket carries no secret, no name and no host of an account", arguments: EngineKind.allCases)
  func trace(_ kind: EngineKind) async throws {
    let engine = try await TracedEngine(kind)
    let fleet = try await Fleet(on: kind, engine, machines: 2, ["lifetime": 60])
    let (here, there) = (fleet.homes[0], fleet.homes[1])
    var ids: Set<String> = []
    func note() async throws { ids.formUnion(try await here.accounts().compactMap { $0["id"]?.stringValue }) }
    func acct(_ home: AcctHome, _ arguments: String...) async throws -> ChildProcess.Output {
      let output = try await home.command(arguments).run()
      try #require(output.status == 0, "\(arguments): \(output.errorText)")
      return output
    }

    // A sign-in, and what every machine does with the account.
    let added = try await here.signIn(at: fleet.server, "--name", Self.signedIn).run()
    try #require(added.status == 0, "\(added.errorText)")
    try await note()
    for home in [here, there] {
      let url = "\(fleet.server.resource)/resource"
      _ = try await acct(home, "header", "-a", Self.signedIn, url)
      _ = try await acct(home, "refresh", "--force", Self.signedIn)
    }
    var secrets = GivenSecrets()
    let shown = try await acct(there, "key", "show", "--private", Self.signedIn)
    let key = try JSON(parsing: shown.standardOutput).objectValue?["d"]?.stringValue
    secrets.add("key", try #require(key))

    // One with names that stand nowhere else in this test.
    let imported = try await here.importing(Self.credentials)
    try #require(imported.status == 0, "\(imported.errorText)")
    try await note()
    _ = try await acct(here, "allow", Self.handle, "https://\(Self.host)")
    #expect(try await acct(there, "list").text.contains(Self.handle))
    _ = try await acct(there, "rename", Self.handle, Self.renamed)
    #expect(try await acct(here, "token", "-a", Self.renamed).text == "\(Self.token)\n")
    _ = try await acct(there, "remove", Self.renamed)

    // From the vault of a third one, and all of it back.
    try await Moving(to: fleet).run(from: fleet.server)
    try await note()

    secrets.add(try await fleet.server.secrets())
    secrets.add("access_token", Self.token)
    secrets.add("password", PostgresServer.password)
    #expect(secrets.count(of: "refresh_token") >= 4)
    for name in [Self.signedIn, Self.handle, Self.host, Self.renamed, Moving.name] { secrets.add("name", name) }
    // Each account is there in plain view, or nothing would be shown.
    #expect(ids.count == 3)
    let said = kind == .etcd ? [":path: /etcdserverpb.KV/Txn", "user-agent: acct"] : ["acct_store"]
    for text in ids + said {
      let found = try await ChildProcess("grep", ["-rqaF", text, engine.trace]).run()
      #expect(found.status == 0, "\(text)")
    }
    #expect(try await secrets.places(in: [engine.trace]) == "")
    if kind == .etcd { try await expectLimits(in: engine.trace) }
    print("\(kind.rawValue), trace: \(ids.count) accounts, no secret, no name, no host")
  }

  /// Each request tells the member how long it may take, and not to wait for a leader.
  private func expectLimits(in trace: String) async throws {
    let heads = try await ChildProcess("grep", ["-rahE", "^(grpc-timeout|hasleader): ", trace]).run()
    let lines = heads.text.split(separator: "\n")
    let limits = lines.filter { $0.hasPrefix("grpc-timeout: ") }
    #expect(limits.count > 10)
    // In milliseconds; a call with all its attempts has 5 s.
    let long = limits.filter { line in
      guard line.last == "m", let number = Int(line.dropFirst("grpc-timeout: ".count).dropLast()) else { return true }
      return !(1...5000).contains(number)
    }
    #expect(long == [])
    #expect(lines.count { $0 == "hasleader: true" } == limits.count)
  }

  @Test("An engine is asked directly, whatever proxy the environment names")
  func noProxy() async throws {
    let engine = try await EtcdEngine()
    let folder = try TemporaryFolder()
    let keyFile = try folder.file("key", containing: String(repeating: "k", count: 32))
    let proxy = "http://127.0.0.1:\(try FreePort().number)"
    let home = try AcctHome(
      sharingUnder: keyFile,
      with: ["https_proxy": proxy, "HTTPS_PROXY": proxy, "all_proxy": proxy, "no_proxy": ""]
    )
    let words = ["keyring", "create"] + engine.place + ["--name", "main", "--no-input"]
    let created = try await home.command(words).run()
    #expect(created.status == 0, "\(created.errorText)")
  }

  private static let signedIn = "unlikely-name.of.this.example"
  private static let handle = "unlikely-handle.of.this.example"
  private static let renamed = "unlikely-new-name.of.this.example"
  private static let host = "unlikely-host.of.this.example"
  private static let token = "made-up-token-that-nothing-else-has"
  private static let credentials = """
    {"access_token":"\(token)","token_type":"Bearer","expires_in":3600,
     "handle":"\(handle)","issuer":"https://issuer.of.this.example"}
    """
}

/// A machine that moves its account to a shared keyring and back.
private struct Moving {
  static let name = "unlikely-mover.of.this.example"
  private let home: AcctHome
  private let place: [String]
  private let kind: EngineKind
  private let keyFile: String

  init(to fleet: Fleet) throws {
    home = try AcctHome()
    place = fleet.engine.place + ["--name", fleet.name]
    kind = fleet.kind
    keyFile = "\(fleet.folder.path)/key"
  }

  func run(from server: StrictServer) async throws {
    let credentials = try await server.issue(["sub": "user-9", "expires_in": 3600])
    let added = try await home.command(
      ["add", "--import", "-", "--name", Self.name, "--no-input"],
      input: credentials
    ).run()
    try #require(added.status == 0, "\(added.errorText)")
    for arguments in [
      ["keyring", "join"] + place, ["keyring", "move", kind.rawValue], ["list"], ["token"],
      ["keyring", "move", "vault"],
    ] {
      var command = home.command(arguments)
      command.environment["ACCT_KEYRING"] = nil
      command.environment["ACCT_VAULT_KEY_FILE"] = keyFile
      let done = try await command.run()
      try #require(done.status == 0, "\(arguments): \(done.errorText)")
    }
  }
}
