import AcctCLI
import AcctPorts
import AcctTestSupport
import StrictJSON
import Testing

/// Lines of failures with other exit statuses than 4, which need a server or a file: run, they lead out, too.
@Suite("The line of a failure that a server or a file mends")
struct LeadingElsewhereTests {
  private let server = OpenIDServer()
  private var record: RecordedWorld { server.record }

  init() { server.set { $0.claims?["exp"] = 1_800_099_999 } }

  private func run(_ arguments: [String]) async -> Int32 {
    record.clear()
    return await Acct.run(arguments, in: server.browser.world(of: record), parsedBy: ParsedLines.parse)
  }

  /// The words of the first command line of the last hint, with a file in the place of FILE.
  private func line(file: String = "FILE") throws -> [String] {
    let line = try #require(record.err.last.flatMap { PrintedCommands.lines(in: $0).first }, "\(record.err)")
    return try #require(PrintedCommands.words(of: line)).dropFirst().map { $0 == "FILE" ? file : $0 }
  }

  @Test("A login that ends with another user leads to the line that adds that user")
  func otherUser() async throws {
    #expect(await server.add() == 0)
    server.set {
      $0.claims?["sub"] = "bob"
      $0.userinfo = .json(#"{"sub":"bob"}"#)
    }
    #expect(await run(["login"]) == 8, "\(record.err)")
    #expect(await run(try line()) == 0, "\(record.err)")
    #expect(await run(["header", "https://as.example/x", "-a", "bob@as.example"]) == 0, "\(record.err)")
    #expect(record.accountFiles == 2)
  }

  @Test("A renewal that brings the tokens of another user leads to the login")
  func otherTokens() async throws {
    #expect(await server.add() == 0)
    record.now += 3600
    server.set { $0.claims?["sub"] = "bob" }
    #expect(await run(["header", "https://as.example/x"]) == 11, "\(record.err)")
    server.set { $0.claims?["sub"] = "alice" }
    #expect(await run(try line()) == 0, "\(record.err)")
    #expect(await run(["header", "https://as.example/x"]) == 0, "\(record.err)")
  }

  @Test("A token alone in a file for imports leads to the line that adds it")
  func bareToken() async throws {
    record.provide("in", "eyJhbGciOiJub25lIn0.e30.\n")
    record.secretFiles["in"] = "eyJhbGciOiJub25lIn0.e30.\n"
    #expect(await run(["add", "--import", "in", "--allow-origin", "https://api.example.com"]) == 65, "\(record.err)")
    #expect(await run(try line(file: "in")) == 0, "\(record.err)")
    #expect(await run(["header", "https://api.example.com/x"]) == 0, "\(record.err)")
  }
}
