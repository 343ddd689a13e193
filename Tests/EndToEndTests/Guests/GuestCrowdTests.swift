import AcctTestSupport
import StrictJSON
import Testing

@Suite("Guest commands in many processes")
struct GuestCrowdTests {
  private static let processes = 20

  /// Runs so many processes at once, and returns what each printed.
  private func crowd(
    _ home: AcctHome,
    _ command: @escaping @Sendable (Int) -> ChildProcess
  ) async throws -> [ChildProcess.Output] {
    try await withThrowingTaskGroup(of: ChildProcess.Output.self) { group in
      for number in 0..<Self.processes { group.addTask { try await command(number).run() } }
      return try await group.reduce(into: []) { $0.append($1) }
    }
  }

  @Test("20 processes at once make one device id, 5 times in a row")
  func deviceID() async throws {
    let steps = try await GuestSteps()
    _ = try await steps.add()
    for _ in 1...5 {
      // As on a machine that never had one; with the account there, nothing else is waited for.
      _ = try await ChildProcess("rm", ["\(steps.home.path)/data/device-id"]).run()
      let headers = try await crowd(steps.home) { _ in steps.home.command(["header", steps.url]) }
      let bytes = try #require(steps.home.contents(of: "data/device-id"))
      let line = "X-Device-ID: \(String(decoding: bytes, as: UTF8.self))"
      #expect(headers.allSatisfy { $0.status == 0 && $0.text.hasSuffix(line) })
    }
  }

  @Test("20 processes that begin a guest session at once make one account of one machine")
  func oneGuest() async throws {
    let steps = try await GuestSteps()
    let added = try await crowd(steps.home) { _ in steps.home.command(["add", "--guest", steps.backend.origin]) }
    #expect(added.allSatisfy { $0.status == 0 }, "\(added.map(\.errorText))")
    #expect(Set(try await steps.backend.requests().map { $0["device_id"]?.stringValue }).count == 1)
    #expect(try await steps.home.accounts().count == 1)
  }

  @Test("Answers of 20 origins at once are all stored")
  func limits() async throws {
    let home = try AcctHome()
    let origins = (0..<Self.processes).map { "https://api\($0).example" }
    let added = try await home.command(
      ["add", "--import", "-"] + origins.flatMap { ["--allow-origin", $0] },
      input: #"{"access_token":"a","token_type":"Bearer","issuer":"https://issuer.example"}"#
    ).run()
    try #require(added.status == 0, "\(added.errorText)")
    let observed = try await crowd(home) { number in
      home.command(["observe", origins[number]], input: "X-RateLimit-Remaining: \(number)\n")
    }
    #expect(observed.allSatisfy { $0.status == 0 })
    let json = try JSON(parsing: try await home.acct("limits", "--json").standardOutput)
    let limits = try #require(json.objectValue?["limits"]?.arrayValue).compactMap(\.objectValue)
    #expect(Set(limits.map { $0["origin"]?.stringValue }) == Set(origins))
  }
}
