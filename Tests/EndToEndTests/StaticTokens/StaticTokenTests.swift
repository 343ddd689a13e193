import AcctTestSupport
import StrictJSON
import Testing

/// API keys in a real vault, used by unchanged clients.
@Suite("Static tokens, end to end")
struct StaticTokenTests {
  private static let token = "made-up-key-of-a-server"

  private let folder: TemporaryFolder
  private let home: AcctHome

  init() throws {
    folder = try TemporaryFolder()
    home = try AcctHome()
  }

  /// Adds the token for a server, from a file or from standard input.
  private func add(_ server: FlowServer, _ name: String, _ token: String = token, _ options: String...) async throws {
    let file = try folder.file(name, containing: "\(token)\n")
    let arguments = ["add", "--token", file, "--allow-origin", server.url, "--name", name]
    let added = try await home.command(arguments + options).run()
    try #require(added.status == 0, "\(added.errorText)")
  }

  /// The headers of a name that arrived at the server, from the output of curl.
  private func arrived(_ name: String, _ curl: ChildProcess) async throws -> [String] {
    let output = try await curl.run()
    try #require(output.status == 0, "\(output.errorText)")
    let echo = try JSON(parsing: Array((output.text.split(separator: "\n").first ?? "").utf8))
    let fields = echo["headers"]?.arrayValue?.compactMap(\.arrayValue) ?? []
    return fields.compactMap { field in
      field.first?.stringValue?.lowercased() == name.lowercased() ? field.last?.stringValue : nil
    }
  }

  @Test("A static token reaches its server by header and curl, by request and through the proxy")
  func used() async throws {
    let server = try await FlowServer()
    try await add(server, "key", Self.token, "--header", "X-API-Key")
    let url = "\(server.url)/echo"
    let header = try await home.acct("header", url)
    #expect(header.text == "X-API-Key: \(Self.token)\n")
    let curl = ChildProcess("curl", ["-sS", "--noproxy", "*", "-H", "@-", url], input: header.text)
    #expect(try await arrived("X-API-Key", curl) == [Self.token])
    #expect(try await arrived("X-API-Key", home.command(["request", url])) == [Self.token])
    let proxy = try await SigningProxyAtWork(home)
    let theirs = proxy.curl(url, "-H", "X-API-Key: theirs", "-H", "Authorization: Bearer theirs")
    #expect(try await arrived("X-API-Key", theirs) == [Self.token])
    #expect(try await arrived("Authorization", proxy.curl(url, "-u", "a:b")) == [])
    #expect(await proxy.interrupted() == 0)
  }

  @Test("A key in the query reaches its server by curl's config, by request and through the proxy")
  func query() async throws {
    let server = try await FlowServer()
    try await add(server, "key", "\(Self.token)+/", "--query", "appid")
    let url = "\(server.url)/echo?q=a%20b"
    let sent = "/echo?q=a%20b&appid=\(Self.token)%2B%2F"
    func arrived(_ command: ChildProcess) async throws -> String? {
      let output = try await command.run()
      try #require(output.status == 0, "\(output.errorText)")
      #expect(!output.errorText.contains(Self.token))
      return try JSON(parsing: Array((output.text.split(separator: "\n").first ?? "").utf8))["path"]?.stringValue
    }
    #expect(try await arrived(home.command(["request", url, "-v"])) == sent)
    let config = try await home.acct("header", "--format", "curl", url)
    #expect(config.text == "url-query = \"appid=\(Self.token)+/\"\n")
    let curl = ChildProcess("curl", ["-sS", "--noproxy", "*", "-K", "-", url], input: config.text)
    // curl writes the digits in lower case.
    #expect(try await arrived(curl)?.lowercased() == sent.lowercased())
    let proxy = try await SigningProxyAtWork(home)
    #expect(try await arrived(proxy.curl(url)) == sent)
    #expect(await proxy.interrupted() == 0)
  }

  @Test("A client that can't set Host is served on a port, with one origin or with --to")
  func noHost() async throws {
    let (one, two) = (try await FlowServer(), try await FlowServer())
    try await add(one, "key", Self.token, "--basic", "alice")
    let line = "Basic YWxpY2U6bWFkZS11cC1rZXktb2YtYS1zZXJ2ZXI="
    func curl(_ proxy: SigningProxyAtWork, _ more: String...) -> ChildProcess {
      ChildProcess("curl", ["-sS", "--noproxy", "*", "\(proxy.place)echo"] + more)
    }
    let alone = try await SigningProxyAtWork(home, "--port", "0")
    #expect(try await arrived("Authorization", curl(alone)) == [line])
    let name = curl(alone, "-H", "Host: \(alone.place.split(separator: "/")[1])")
    #expect(try await arrived("Authorization", name) == [line])
    #expect(await alone.interrupted() == 0)

    let allowed = try await home.acct("allow", "key", two.url)
    try #require(allowed.status == 0, "\(allowed.errorText)")
    let undecided = try await SigningProxyAtWork(home, "--port", "0")
    let status = ["-o", "/dev/null", "-w", "%{http_code}"]
    #expect(try await code(undecided, status) == "421")
    #expect(await undecided.interrupted() == 0)

    let directed = try await SigningProxyAtWork(home, "--port", "0", "--to", two.url)
    #expect(try await arrived("Authorization", curl(directed)) == [line])
    #expect(try await two.seen("/echo") == 1)
    // A name that a page has rebound to this machine, and a page of the proxy's own address.
    #expect(try await code(directed, status + ["-H", "Host: evil.example"]) == "421")
    #expect(try await code(directed, status + ["-H", "Sec-Fetch-Site: none"]) == "403")
    #expect(try await two.seen("/echo") == 1)
  }

  private func code(_ proxy: SigningProxyAtWork, _ options: [String]) async throws -> String {
    try await ChildProcess("curl", ["-sS", "--noproxy", "*", "\(proxy.place)echo"] + options).run().text
  }

  @Test("The proxy with --all selects the account by the Host of each request")
  func all() async throws {
    let (one, two) = (try await FlowServer(), try await FlowServer())
    try await add(one, "one", "token-of-one")
    try await add(two, "two", "token-of-two", "--scheme", "Token")
    let proxy = try await SigningProxyAtWork(home, "--all")
    let first = proxy.curl("\(one.url)/echo")
    #expect(try await arrived("Authorization", first) == ["Bearer token-of-one"])
    let second = proxy.curl("\(two.url)/echo")
    #expect(try await arrived("Authorization", second) == ["Token token-of-two"])
    #expect(try await proxy.status("http://evil.example/echo") == "421")
    #expect(await proxy.interrupted() == 0)

    try await add(two, "three", "another")
    let refused = try await home.acct("proxy", "--all")
    #expect(refused.status == 5)
    #expect(refused.text.isEmpty)
    #expect(refused.errorText.contains(two.url))
  }

  @Test("A rejected static token ends in exit status 4, and its file must be the user's alone")
  func refusals() async throws {
    let server = try await FlowServer()
    try await add(server, "key")
    let rejected = try await home.acct("request", "\(server.url)/status/401")
    #expect(rejected.status == 4)
    #expect(rejected.errorText.contains("the server rejected the token of key"))
    #expect(rejected.errorText.contains("`acct login key`"))
    let file = try folder.file("FILE", containing: "a-newer-one")
    _ = try await ChildProcess("chmod", ["640", file]).run()
    var again = home.command(["login", "key", "--token", "FILE"])
    again.workingDirectory = folder.path
    let exposed = try await again.run()
    #expect(exposed.status == 65)
    let mend = try #require(exposed.errorText.split(separator: "`").first { $0.hasPrefix("chmod ") })
    let mended = try await ChildProcess("sh", ["-c", String(mend)], workingDirectory: folder.path).run()
    #expect(mended.status == 0, "\(mended.errorText)")
    #expect(try await again.run().status == 0)
    #expect(try await home.acct("token").text == "a-newer-one\n")
  }
}
