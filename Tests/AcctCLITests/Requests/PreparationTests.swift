import AcctTestSupport
import Testing

@Suite("What a request's transport needs, begun before the rest")
struct PreparationTests {
  private let record = RecordedWorld()

  @Test(
    "A request is prepared for whatever stands before its name, and even if it is malformed",
    arguments: [
      ["request", "https://pds.example/x"], ["--quiet", "-a", "alice", "request", "https://a.example"], ["request"],
      ["request", "--unknown"],
    ]
  )
  func request(_ line: [String]) async {
    _ = await record.run(line)
    #expect(record.preparations == 1)
  }

  @Test(
    "No other command prepares for a request",
    arguments: [["header", "https://pds.example/x"], ["list"], ["-a", "request", "token"], ["help", "request"], []]
  )
  func others(_ line: [String]) async {
    _ = await record.run(line)
    #expect(record.preparations == 0)
  }
}
