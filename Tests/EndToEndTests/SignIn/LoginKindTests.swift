import AcctTestSupport
import StrictJSON
import Testing

/// `acct login` for each kind of client, at servers that are strict.
@Suite("Signing in again with each kind of client")
struct LoginKindTests {
  private static let secret = "s3cret +/:% of a test"
  private static let redirect: JSON = ["http://127.0.0.1/callback"]

  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  @Test("An account of another device shows a code again, and needs no option for that")
  func device() async throws {
    let server = try await StrictServer(["device_interval": 1, "device_approve_after": 0, "rs_nonce": false])
    let home = try AcctHome()
    try #require(try await home.signIn(at: server, browser: nil, "--device").run().status == 0)
    let before = try await home.account()
    let again = try await home.acct("login", "--no-input")
    #expect(again.status == 0, "\(again.errorText)")
    #expect(again.errorText.contains(/[A-Z]{4}-[A-Z]{4}/))
    #expect(try await server.requests(to: "device_authorization").count == 2)
    #expect(try await server.requests(to: "authorize").isEmpty)
    try await home.expectKept(before)
    #expect(try await home.use(server) == "200")
    try await server.expectNothingWrong()
  }

  @Test("A confidential client signs in again in the browser with the secret that the keyring has")
  func confidential() async throws {
    let server = try await StrictServer([
      "rs_nonce": false,
      "clients": ["web": ["redirect_uris": Self.redirect, "secret": .string(Self.secret), "auth": "basic"]],
    ])
    let home = try AcctHome()
    let file = try folder.file("secret", containing: "\(Self.secret)\n")
    let add = ["add", "--issuer", server.issuer, "--client-id", "web", "--resource", server.resource]
    try await home.browse(add + ["--client-secret-file", file])
    let before = try await home.account()
    try await home.browse(["login"])
    try await home.expectKept(before)
    #expect(try await home.use(server) == "200")
    try await server.expectNothingWrong()
  }

  @Test("A robot with a key makes another assertion, with its parameters of before")
  func assertion() async throws {
    let server = try await StrictServer(["clients": ["keyed": ["redirect_uris": [], "key": MadeUpKeys.p256Public]]])
    let home = try AcctHome()
    let file = try folder.file("key", containing: "\(MadeUpKeys.p256)\n")
    let add = ["add", "--issuer", server.issuer, "--client-id", "keyed", "--grant", "jwt-bearer", "--client-key", file]
    let added = try await home.command(add + ["--token-param", "sub=keyed"]).run()
    try #require(added.status == 0, "\(added.errorText)")
    let before = try await home.account()
    let again = try await home.acct("login", "--no-input")
    #expect(again.status == 0, "\(again.errorText)")
    try await home.expectKept(before)
    #expect(try await server.counts()["jwt_bearer"] == 2)
    try await server.expectNothingWrong()
  }

  @Test("An account of a provider signs in again at the server that the provider's file names")
  func provider() async throws {
    let server = try await StrictServer(["rs_nonce": false])
    for name in ["acct", "acct/providers"] { _ = try folder.folder(name) }
    _ = try folder.file(
      "acct/providers/work.json",
      containing: #"{"issuer":"\#(server.issuer)","clientID":"acct-test","origins":["\#(server.resource)"]}"#
    )
    let home = try AcctHome(with: ["XDG_CONFIG_HOME": folder.path])
    try await home.browse(["add", "work"])
    let before = try await home.account()
    #expect(before["provider"] == "work")
    try await home.browse(["login", "--quiet"])
    try await home.expectKept(before)
    #expect(try await home.use(server) == "200")
    try await server.expectNothingWrong()
  }

  @Test("An import with issuer and client signs in by the browser, with a key of its own from then on")
  func imported() async throws {
    let server = try await StrictServer(["rs_nonce": false])
    let home = try AcctHome()
    var credentials = try JSON(parsing: Array(try await server.issue(["dpop": true]).utf8)).objectValue ?? [:]
    credentials["origins"] = [.string(server.resource)]
    credentials["clientId"] = credentials["clientId"] ?? credentials["client_id"] ?? "acct-test"
    credentials["client_id"] = nil
    let text = String(decoding: JSON.object(credentials).serialized(), as: UTF8.self)
    let added = try await home.importing(text)
    try #require(added.status == 0, "\(added.errorText)")
    let before = try await home.account()
    try await server.control("end")
    #expect(try await home.acct("refresh", "--force").status == 4)
    try await home.browse(["login"])
    try await home.expectKept(before, besides: ["scope"])
    #expect(try await home.acct("header", server.resource + "/x").status == 0)
    try await server.expectNothingWrong()
  }

  @Test("An import without a server ends with 4 and the line that imports it again, which works")
  func importedWithoutServer() async throws {
    let home = try AcctHome()
    func credentials(_ token: String) -> String {
      #"{"access_token":"\#(token)","token_type":"Bearer","origins":["https://api.example"]}"#
    }
    let file = try folder.file("first", containing: credentials("made-up"))
    let next = try folder.file("second", containing: credentials("newer"))
    #expect(try await home.acct("add", "--import", file, "--name", "work").status == 0)
    let login = try await home.acct("login")
    #expect(login.status == 4)
    #expect(login.errorText.contains("`acct add --import FILE --name work`"), "\(login.errorText)")
    let again = try await home.acct("add", "--import", next, "--name", "work")
    #expect(again.status == 0, "\(again.errorText)")
    #expect(try await home.acct("token").text == "newer\n")
    #expect(try await home.accounts().count == 1)
  }

  @Test("A static account takes its new token from a file, a pipe of the shell, standard input, and a terminal unseen")
  func staticToken() async throws {
    let home = try AcctHome(with: ["TERM": "xterm", "NO_COLOR": "1"])
    let file = try folder.file("token", containing: "first\n")
    #expect(
      try await home.acct("add", "--token", file, "--allow-origin", "https://a.example", "--name", "a").status == 0
    )
    let before = try await home.account()
    let next = try folder.file("next", containing: "from-a-file\n")
    #expect(try await home.acct("login", "--token", next).status == 0)
    #expect(try await home.acct("token").text == "from-a-file\n")
    #expect(try await home.acct("login", "--token", "-", input: "from-stdin\n").status == 0)
    #expect(try await home.acct("token").text == "from-stdin\n")
    var piped = home.command([])
    (piped.program, piped.arguments) = ("bash", ["-c", #""$0" login --token <(echo from-a-pipe)"#, piped.program])
    let fromPipe = try await piped.run()
    #expect(fromPipe.status == 0, "\(fromPipe.errorText)")
    #expect(try await home.acct("token").text == "from-a-pipe\n")
    let terminal = try ControllingTerminal()
    let process = try RunningProcess(terminal.controlling(home.command(["login"])))
    try await process.ready { !terminal.isOrdinary && terminal.screen.contains("token") }
    terminal.press("typed-unseen\n")
    #expect(await process.ended() == 0)
    #expect(!terminal.screen.contains("typed-unseen"))
    #expect(try await home.acct("token").text == "typed-unseen\n")
    try await home.expectKept(before)
  }
}

extension AcctHome {
  /// Runs a command whose user approves in the browser.
  fileprivate func browse(_ arguments: [String], _ location: SourceLocation = #_sourceLocation) async throws {
    var command = command(arguments)
    command.environment["BROWSER"] = StrictServer.desktopBrowser
    let run = try await command.run()
    try #require(run.status == 0, "\(run.errorText)", sourceLocation: location)
  }
}
