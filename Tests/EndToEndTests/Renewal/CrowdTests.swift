import AcctModel
import AcctTestSupport
import StrictJSON
import Testing

/// Many processes at once, on one set of accounts.
@Suite("Many processes at once")
struct CrowdTests {
  private static let accounts = 50
  private static let processes = 20

  @Test("50 accounts that 20 processes add, switch and remove make a consistent list")
  func crowd() async throws {
    let home = try AcctHome()
    // Every account is added; those with an odd number are removed again, and each is switched to.
    try await inCrowd { number in try await expectDone(home, ["add", "--import", "-"], input: handoff(number)) }
    #expect(try await names(home).count == Self.accounts)
    try await inCrowd { number in
      if number % 2 == 1 {
        try await expectDone(home, ["remove", "--local", "n\(number).example.com"])
      } else {
        try await expectDone(home, ["switch", "n\(number).example.com"])
      }
    }

    let left = stride(from: 0, to: Self.accounts, by: 2).map { "n\($0).example.com" }
    #expect(try await names(home) == left.sorted())
    // The others' items went with them, and these are untouched.
    try await inCrowd { number in
      let token = try await home.acct("token", "-a", "n\(number).example.com")
      #expect(token.status == (number % 2 == 0 ? 0 : 5))
      #expect(token.text == (number % 2 == 0 ? "token-\(number)\n" : ""))
    }
    let items = try await ChildProcess("ls", ["\(home.path)/data/vault"]).run().text
    #expect(items.split(separator: "\n").count { $0.hasPrefix("oauth.") } == left.count * 3)
    let active = try await home.acct("status", "--json")
    #expect(active.status == 0)
  }

  @Test("20 processes that add the same identity at once make one account of it")
  func sameIdentity() async throws {
    let home = try AcctHome()
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<Self.processes {
        group.addTask { try await expectDone(home, ["add", "--import", "-"], input: handoff(1)) }
      }
      try await group.waitForAll()
    }
    #expect(try await names(home) == ["n1.example.com"])
    #expect(try await home.acct("token").text == "token-1\n")
  }

  @Test("Processes that add the first accounts at once make one vault for all")
  func firstAccounts() async throws {
    let home = try AcctHome(hasVault: false)
    let numbers = 1...TestExtent.count(4, full: Self.processes)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in numbers {
        group.addTask { try await expectDone(home, ["add", "--import", "-"], input: handoff(number)) }
      }
      try await group.waitForAll()
    }
    for number in numbers {
      let token = try await home.acct("token", "-a", "n\(number).example.com")
      #expect(token.text == "token-\(number)\n", "\(token.errorText)")
    }
  }

  private func handoff(_ number: Int) -> String {
    """
    {"access_token":"token-\(number)","token_type":"Bearer","expires_in":3600,
     "handle":"n\(number).example.com","issuer":"https://issuer.example"}
    """
  }

  private func names(_ home: AcctHome) async throws -> [String] {
    let json = try JSON(parsing: try await home.acct("list", "--json").standardOutput)
    return try #require(json.objectValue?["accounts"]?.arrayValue).compactMap {
      $0.objectValue?["name"]?.stringValue
    }.sorted()
  }

  private func expectDone(_ home: AcctHome, _ arguments: [String], input: String = "") async throws {
    let output = try await home.command(arguments, input: input).run()
    #expect(output.status == 0, "\(arguments): \(output.errorText)")
  }

  /// Does `body` for each account, so many at a time as there are processes.
  private func inCrowd(_ body: @escaping @Sendable (Int) async throws -> Void) async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<Self.accounts {
        if number >= Self.processes { try await group.next() }
        group.addTask { try await body(number) }
      }
      try await group.waitForAll()
    }
  }
}
