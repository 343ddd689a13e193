import AcctTestSupport
import StrictJSON
import Testing

@Suite("The uses that processes note")
struct UseLogTests {
  @Test("Headers of many processes at once are one line of the log, and no line is torn")
  func crowd() async throws {
    let home = try AcctHome()
    let added = try await home.acct("add", "--import", Product.source("Examples/alice.json"))
    try #require(added.status == 0, "\(added.errorText)")
    let urls = (0..<4).map { "https://pds.example/\($0)" }
    try await withThrowingTaskGroup(of: Int32.self) { group in
      for url in urls + urls { group.addTask { try await home.acct("header", url).status } }
      for try await status in group { #expect(status == 0) }
    }
    let log = try await home.acct("log", "--json")
    let events = try JSON(parsing: log.standardOutput)["events"]?.arrayValue ?? []
    let uses = events.filter { $0["event"] == "used" }
    // Two, if an hour has ended meanwhile.
    #expect((1...2).contains(uses.count), "\(log.text)")
    #expect(uses.allSatisfy { $0["origin"] == "https://pds.example" && $0["program"]?.stringValue?.isEmpty == false })
    let doctor = try await home.acct("doctor", "--offline", "--json")
    #expect(!doctor.text.contains("uses"), "\(doctor.text)")
  }
}
