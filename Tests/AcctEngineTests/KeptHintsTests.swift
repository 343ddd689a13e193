import AcctEngine
import AcctModel
import AcctTestSupport
import Testing

/// The hints about servers that a proxy keeps in memory.
@Suite("The hints that a long-running process keeps")
struct KeptHintsTests {
  @Test("Each date of a server that differs from the last one is read, and a text that is no date moves nothing")
  func dates() throws {
    let record = RecordedWorld()
    record.now = 1_800_000_000
    let cache = NonceCache(record.world(), KeptHints())
    let origin = try Origin("https://pds.example")
    let (nothing, now) = (cache.hint(for: origin), Timestamp(clamped: record.now))
    func offset(_ date: String) -> Int64 {
      let (learned, _) = cache.lesson(of: [("Date", date)], of: origin, knowing: nothing, refusesProof: true)
      return learned.time(at: now).seconds(since: now)
    }
    let dates = [
      "Fri, 15 Jan 2027 08:01:00 GMT", "Fri, 15 Jan 2027 08:01:00 GMT", "Fri, 15 Jan 2027 08:02:00 GMT", "soon",
      "Fri, 15 Jan 2027 08:02:00 GMT",
    ]
    #expect(dates.map(offset) == [60, 60, 120, 0, 120])
  }
}
