import AcctModel
import AcctPorts
import AcctTestSupport
import StrictJSON
import Testing

@Suite("A keyring that fails")
struct KeyringTroubleTests {
  let record = RecordedWorld()

  static let troubles: [(KeyringFailure, Int32, String, JSON)] = [
    (.locked(), 6, "keyringLocked", "locked"),
    (.unavailable(reason: "none is running"), 7, "keyringUnavailable", "unavailable"),
    (.timedOut, 7, "keyringTimedOut", "unavailable"),
  ]

  @Test(
    "A keyring that fails leaves list working, header reports it, and the next call works again",
    arguments: troubles
  )
  func outage(trouble: KeyringFailure, status: Int32, code: String, state: JSON) async {
    #expect(await record.add(Handoffs.dpop()) == 0)
    let files = record.filesText
    let items = record.keyring.count
    record.keyring.fail(with: trouble)

    #expect(await record.acct("list", "--json") == 0)
    let listed = record.json?.objectValue?["accounts"]?.arrayValue?.first?.objectValue
    #expect(listed?["handle"] == "alice.example.com")
    #expect(listed?["state"] == "valid")

    #expect(await record.acct("header", "--json", "https://pds.example/") == status)
    #expect(record.out.isEmpty)
    let error = try? JSON(parsing: Array(record.err.joined().utf8)).objectValue?["error"]
    #expect(error?.objectValue?.names == ["code", "message", "hint", "exit"])
    #expect(error?.objectValue?["code"] == .string(code))
    #expect(error?.objectValue?["exit"] == .number(JSONNumber(Int64(status))))

    #expect(await record.acct("status", "--json") == status)
    let object = record.json?.objectValue
    #expect(object?["account"]?.objectValue?["state"] == state)
    #expect(object?["keyring"]?.objectValue?["state"] == state)

    #expect(record.filesText == files)
    #expect(record.keyring.count == items)
    record.keyring.fail(with: nil)
    #expect(await record.acct("header", "https://pds.example/") == 0)
  }

  @Test(
    "A keyring that fails during an add is retried for 2 minutes on a terminal, else 10 seconds",
    arguments: [(true, 120), (false, 10)] as [(Bool, Int64)]
  )
  func goesAway(hasTerminal: Bool, seconds: Int64) async {
    #expect(await record.add(Handoffs.dpop()) == 0)
    if hasTerminal { record.answer("never read") }
    record.keyring.failWrites(after: 1)
    let start = record.now
    record.provide("-", Handoffs.dpop())
    #expect(await record.acct("add", "--import", "-") == 7)
    #expect(record.now == start + seconds)
    #expect(
      record.err.first?.contains(seconds == 10 ? "within 10 s," : "within 2 min,") == true
    )
  }
}
