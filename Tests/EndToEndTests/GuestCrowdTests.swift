import AcctTestSupport
import StrictJSON
import Testing

@Suite("A crowd of guests")
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

  @Test("20 processes at once make one device id, and one guest")
  func deviceID() async throws {
    let steps = try await GuestSteps()
    let added = try await crowd(steps.home) { _ in
      steps.home.command(["add", "--guest", steps.backend.origin])
    }
    #expect(added.allSatisfy { $0.status == 0 }, "\(added.map(\.errorText))")
    let devices = Set(try await steps.backend.requests().map { $0["device_id"]?.stringValue })
    #expect(devices.count == 1)
    #expect(try await steps.home.accounts().count == 1)

    // Whoever asks for a header later sends the same one.
    let headers = try await crowd(steps.home) { _ in steps.home.command(["header", steps.url]) }
    let device = try #require(devices.first ?? nil)
    #expect(headers.allSatisfy { $0.text.hasSuffix("X-Device-ID: \(device)\n") })
  }

  @Test("Answers of 20 origins at once are all remembered")
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
