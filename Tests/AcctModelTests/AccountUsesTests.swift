import AcctModel
import Testing

@Suite("The uses of an account")
struct AccountUsesTests {
  private func use(_ seconds: Int64, by program: String? = "git", _ origin: String? = "https://a.example") throws
    -> AccountEvent
  {
    AccountEvent(
      .used,
      at: Timestamp(clamped: seconds),
      on: "laptop",
      for: program,
      try origin.map { text throws(ParseError) in try Origin(text) }
    )
  }

  @Test("Uses are read as they were written")
  func roundTrip() throws {
    let uses = [try use(7200), try use(7200, by: nil, nil), try use(7201, by: "docker")]
    let all = uses.reduce(AccountUses()) { $0.adding($1) }
    #expect(AccountUses(all.text).events == uses)
  }

  @Test("One use of a program at an origin is kept for each hour")
  func hours() throws {
    var uses = AccountUses()
    for second in [7200, 7201, 10_799, 10_800] as [Int64] { uses = uses.adding(try use(second)) }
    #expect(uses.events.map(\.time.secondsSince1970) == [7200, 10_800])
  }

  @Test("The last 200 uses are kept, in no more than 32 KiB")
  func limits() throws {
    var uses = AccountUses()
    for hour in 0..<210 as Range<Int64> { uses = uses.adding(try use(hour * 3600)) }
    #expect(uses.events.count == 200)
    #expect(uses.events.first?.time.hour == 10)
    let long = "https://\(String(repeating: "x", count: 250)).example"
    for hour in 300..<500 as Range<Int64> { uses = uses.adding(try use(hour * 3600, by: "docker", long)) }
    #expect(uses.text.utf8.count <= AccountUses.sizeLimit)
    #expect(uses.events.last?.time.hour == 499)
    #expect(uses.last(2).events.map(\.time.hour) == [498, 499])
  }

  @Test(
    "A line that is no use is left out",
    arguments: ["", "x", "1 r laptop", "1 u", "1 u laptop git https://a.example/path extra", "1 zz laptop"]
  )
  func damaged(line: String) throws {
    let uses = AccountUses("\(line)\n7200 u laptop git https://a.example\n")
    #expect(uses.events.suffix(1) == [try use(7200)])
    #expect(uses.events.allSatisfy { $0.kind == .used })
  }
}
