import AcctTestSupport
import StrictJSON
import Testing

/// Accounts that start from a platform's tokens, which the strict server verifies.
@Suite("An account of a platform's tokens")
struct PlatformTokenTests {
  private static let processes = 20

  private func server() async throws -> StrictServer {
    try await StrictServer([
      "dpop": "optional", "clients": ["job": ["redirect_uris": [], "platform": "job-1"]],
    ])
  }

  private func token(_ server: StrictServer, lifetime: Int64 = 600) async throws -> String {
    let answer = try await server.control("platform-token", ["lifetime": .number(JSONNumber(lifetime))])
    return try #require(answer["token"]?.stringValue)
  }

  @Test("20 processes at once make one exchange, of the token that the file has then")
  func crowd() async throws {
    let server = try await server()
    // Every token has expired when it comes.
    try await server.set(["lifetime": -10])
    let home = try AcctHome()
    let folder = try TemporaryFolder()
    let path = try folder.file("token", containing: try await token(server))
    let added = try await home.command([
      "add", "--issuer", server.issuer, "--grant", "token-exchange", "--subject-token-file", path,
    ]).run()
    try #require(added.status == 0, "\(added.errorText)")
    _ = try folder.file("token", containing: try await token(server) + "\n")
    try await server.set(["lifetime": 3600])
    try await server.fault(["endpoint": "token", "kind": "delay", "count": 1])
    let crowd = try (0..<Self.processes).map { _ in try RunningProcess(home.command(["token"])) }
    try await server.wait(held: 1)
    try await server.control("release")
    var tokens: Set<[UInt8]> = []
    for process in crowd {
      let status = await process.ended(within: .seconds(120))
      #expect(status == 0, "\(String(decoding: process.standardError.contents(), as: UTF8.self))")
      tokens.insert(process.standardOutput.contents())
    }
    #expect(tokens.count == 1)
    let count = try await server.counts()["token_exchange"]
    #expect(count == 2)
    try await server.expectNothingWrong()
  }

  @Test("A client authenticates itself by the platform's token, at the sign-in and at renewals")
  func client() async throws {
    let server = try await server()
    let home = try AcctHome()
    let folder = try TemporaryFolder()
    let path = try folder.file("token", containing: try await token(server))
    let added = try await home.command([
      "add", "--issuer", server.issuer, "--client-id", "job", "--grant", "client-credentials",
      "--client-assertion-file", path,
    ]).run()
    try #require(added.status == 0, "\(added.errorText)")
    _ = try folder.file("token", containing: try await token(server))
    let renewed = try await home.command(["refresh", "--force"]).run()
    #expect(renewed.status == 0, "\(renewed.errorText)")
    let count = try await server.counts()["client_credentials"]
    #expect(count == 2)
    try await server.expectNothingWrong()
  }

  @Test("A file behind links is read if only its owner writes it, and a program runs without a shell")
  func files() async throws {
    let server = try await server()
    let home = try AcctHome()
    let folder = try TemporaryFolder()
    let path = try folder.file("token", containing: try await token(server))
    let begin = ["add", "--issuer", server.issuer, "--grant", "token-exchange"]
    // As Kubernetes does it: the name is a link, and any user may read the file.
    let changed = try await ChildProcess("/bin/sh", ["-c", "chmod 644 \(path) && ln -s token \(path).link"]).run()
    try #require(changed.status == 0)
    let linked = try await home.command(begin + ["--subject-token-file", "\(path).link"]).run()
    #expect(linked.status == 0, "\(linked.errorText)")
    let printed = try await home.command(begin + ["--subject-token-command", "cat '\(path)'"]).run()
    #expect(printed.status == 0, "\(printed.errorText)")
    let opened = try await ChildProcess("/bin/chmod", ["666", path]).run()
    try #require(opened.status == 0)
    let refused = try await home.command(begin + ["--subject-token-file", "\(path).link"]).run()
    #expect(refused.status == 65)
    let open = "\(path).link: its group or others can write to it\nacct: hint: `chmod go-w \(path)`"
    #expect(refused.errorText.contains(open), "\(refused.errorText)")
    let failed = try await home.command(begin + ["--subject-token-command", "cat '/no such file'"]).run()
    #expect(failed.status == 65)
    #expect(
      failed.errorText.contains("cat ended with status 1: ") && failed.errorText.contains("'/no such file': No such"),
      "\(failed.errorText)"
    )
    let ended = try await token(server, lifetime: -5)
    let past = try folder.file("past", containing: ended)
    let over = try await home.command(begin + ["--subject-token-file", past]).run()
    #expect(over.status == 4)
    #expect(over.errorText.contains("\(past) ended at ") && !over.errorText.contains(ended), "\(over.errorText)")
    let count = try await server.counts()["token_exchange"]
    #expect(count == 2)
    try await server.expectNothingWrong()
  }

  @Test(
    "The script of the examples asks GitHub Actions for the token, and its failure is told without the job's secret"
  )
  func actions() async throws {
    let server = try await server()
    let folder = try TemporaryFolder()
    let actions = try await PythonServer(
      "Recipes/actions_server.py",
      [try folder.file("token", containing: try await token(server))]
    )
    let home = try AcctHome(with: [
      "ACTIONS_ID_TOKEN_REQUEST_URL": try actions.address("url"),
      "ACTIONS_ID_TOKEN_REQUEST_TOKEN": "made-up-request-token",
    ])
    func add(_ audience: String) async throws -> ChildProcess.Output {
      let line = "'\(Product.source("Examples/github_token.sh"))' '\(audience)'"
      return try await home.acct(
        "add",
        "--issuer",
        server.issuer,
        "--grant",
        "token-exchange",
        "--subject-token-command",
        line
      )
    }
    let refused = try await add("another")
    #expect(refused.status == 65, "\(refused.errorText)")
    #expect(refused.errorText.contains("400") && !refused.errorText.contains("made-up-request-token"))
    let added = try await add("https://as.example/?a=b&c")
    #expect(added.status == 0, "\(added.errorText)")
    let count = try await server.counts()["token_exchange"]
    #expect(count == 1)
    try await server.expectNothingWrong()
  }
}
