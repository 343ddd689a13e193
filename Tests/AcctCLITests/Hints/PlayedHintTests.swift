import AcctTestSupport
import Testing

/// What finds a hint that leads in a circle has to find one.
@Suite("Hints that are tried")
struct PlayedHintTests {
  private let record = RecordedWorld()
  private static let refused = ["header", "https://other.example/"]

  /// What comes of a hint after the refusal of an origin.
  private func result(of hint: String) async throws -> PlayedHints.Outcome {
    #expect(await record.addToken(StaticTokens.token, at: StaticTokens.origin, "--name", "work") == 0)
    record.clear()
    #expect(await record.run(Self.refused + ["-a", "work"]) == 8)
    let lines = record.err.filter { !$0.contains("hint") } + ["acct: hint: \(hint)"]
    let run = EndedRun(Self.refused + ["-a", "work"], 8, lines: lines)
    return try await PlayedHints.result(of: run, in: record.world())
  }

  @Test("A hint whose line mends the failure leads out, and changes nothing in the test's world")
  func mended() async throws {
    #expect(try await result(of: "run `acct allow work https://other.example`") == .led)
    #expect(await record.acct("header", "https://other.example/", "-a", "work") == 8)
  }

  @Test(
    "A hint whose line fails alike, changes nothing, is none, or is not known is a circle",
    arguments: [
      "run `acct header https://other.example/ -a work`", "run `acct switch work`", "run `acct allow work`",
      "hope for the best", "leave out --json",
    ]
  )
  func circle(hint: String) async {
    await #expect(throws: PlayedHints.Circle.self) { try await result(of: hint) }
  }

  @Test("A hint whose line needs a server or a person leads outside", arguments: ["`acct login work`", "`acct add`"])
  func outside(hint: String) async throws {
    #expect(try await result(of: hint) == .outside)
  }

  @Test("A line in a hint ends where its quotes and backquotes do")
  func lines() {
    #expect(
      PrintedCommands.lines(in: #"run `acct login a --scope 'it'\''s'`; or `x`"#) == [
        #"acct login a --scope 'it'\''s'"#
      ]
    )
  }
}
