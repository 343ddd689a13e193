import AcctModel
import AcctPorts
import AcctTestSupport
import StrictJSON
import Testing

/// One situation after the other, with the words of every command that tells about it.
@Suite("One state, in the text and the JSON of every command")
struct StateTableTests {
  /// A state's word for people, and its name in JSON.
  struct State: Equatable, Sendable {
    let word: String
    let name: String

    static let valid = State(word: "valid", name: "valid")
    static let due = State(word: "due", name: "expiring")
    static let expired = State(word: "expired", name: "expired")
    static let ended = State(word: "sign in again", name: "reauthRequired")
    static let signedOut = State(word: "signed out", name: "signedOut")
    static let locked = State(word: "locked", name: "locked")
    static let unavailable = State(word: "unavailable", name: "unavailable")
  }

  struct Row: CustomTestStringConvertible, Sendable {
    let testDescription: String
    /// What is known without the keyring: of `list`, `metrics`, `doctor`.
    let known: State
    /// What the keyring adds to it: of `status`.
    var asked: State?
    /// The exit status of `status`.
    var status: Int32 = 0
    /// The exit status of `header`.
    var header: Int32 = 0
    /// What `doctor` finds that is not well.
    var doctor: [String] = []
    /// The keyring's state, of `keyring status`.
    var keyring = "ready"
    /// The last event, of `log`.
    var event: String?
    /// A text that `list` prints beside the table.
    var notice: String?
    let arrange: @Sendable (RecordedWorld) async throws -> Void
  }

  @Test("Every command says the same of an account, for people and as JSON", arguments: rows)
  func alike(row: Row) async throws {
    let record = RecordedWorld()
    try await row.arrange(record)
    let asked = row.asked ?? row.known

    #expect(await record.acct("list") == 0)
    #expect(record.out.contains("  \(row.known.word)  "), "\(record.out)")
    #expect(record.err == [row.notice.map { "acct: \($0)" }].compactMap(\.self))
    #expect(await record.acct("list", "--json") == 0)
    let listed = record.json?["accounts"]?.arrayValue?.first
    #expect(listed?["state"]?.stringValue == row.known.name)
    let origin = try #require(listed?["origins"]?.arrayValue?.first?.stringValue)

    #expect(await record.acct("metrics") == 0)
    #expect(record.out.contains("state=\"\(row.known.name)\","), "\(record.out)")
    let needsPerson = ["expired", "reauthRequired", "signedOut"].contains(row.known.name)
    #expect(record.sample("acct_account_needs_sign_in") == (needsPerson ? "1" : "0"))
    #expect(record.sample("acct_keyring_up") == (row.keyring == "ready" ? "1" : "0"))

    #expect(await record.acct("status") == row.status, "\(record.err)")
    #expect(record.field("state")?.hasPrefix(asked.word) == true, "\(record.out)")
    let text = record.out
    #expect(await record.acct("status", "--json") == row.status)
    #expect(record.json?["account"]?["state"]?.stringValue == asked.name)
    if let reason = record.json?["account"]?["reason"]?.stringValue { #expect(text.contains(reason), "\(text)") }

    _ = await record.acct("keyring", "status")
    #expect(record.out.contains(row.keyring), "\(record.out)")
    _ = await record.acct("keyring", "status", "--json")
    #expect(record.json?["keyring"]?["state"]?.stringValue == row.keyring, "\(record.out)")

    _ = await record.acct("doctor", "--offline", "--json")
    let findings = (record.json?["findings"]?.arrayValue ?? []).filter { $0["severity"]?.stringValue != "ok" }
    #expect(findings.compactMap { $0["code"]?.stringValue } == row.doctor, "\(record.out)")
    _ = await record.acct("doctor", "--offline")
    for finding in findings { #expect(record.out.contains(finding["message"]?.stringValue ?? "?"), "\(record.out)") }
    #expect(
      record.out.contains("`acct login")
        == row.doctor.contains { ["sessionEnds", "signInRequired", "missingItem"].contains($0) }
    )

    #expect(await record.acct("log", "--json") == 0)
    let events = record.json?["events"]?.arrayValue?.compactMap { $0["event"]?.stringValue } ?? []
    if let event = row.event { #expect(events.contains(event), "\(events)") }

    #expect(await record.acct("header", "\(origin)/") == row.header, "\(record.err)")
  }

  @Test("A session past its end is renewed all the same where its server grants that")
  func granted() async throws {
    let record = RecordedWorld()
    #expect(await record.addRenewable())
    try record.setSessionEnd("2027-01-15T09:00:00Z")
    record.now += 3600
    #expect(await record.acct("status") == 4)
    _ = RotatingServer(record, "r1", [(.json(#"{"access_token":"t2","token_type":"Bearer","expires_in":3600}"#), "r1")])
    #expect(await record.acct("header", "https://issuer.example/") == 0, "\(record.err)")
    #expect(await record.acct("status") == 0, "\(record.err)")
  }

  @Test("Every command says of a file that is not used what it is", arguments: ["newer", "damaged", "exposed"])
  func skipped(flaw: String) async throws {
    let record = RecordedWorld()
    #expect(await record.addRenewable())
    let id = try record.onlyAccount()
    let whole = try #require(record.file(.account(id)))
    let words =
      switch flaw {
      case "newer": "the file of bob.example.com was written by a later version of acct"
      case "damaged": "the file of bob.example.com is damaged"
      default: "the file of bob.example.com is not used"
      }
    switch flaw {
    case "newer": record.corrupt(.account(id), with: whole.replacing(#""version":1"#, with: #""version":2"#))
    case "damaged": record.corrupt(.account(id), with: String(whole.dropLast(2)))
    default:
      record.expose(id)
      record.maintenance.surveyed = [
        SurveyedFile(
          path: "/data/accounts/\(id).json",
          role: .other,
          kind: .regular,
          mode: 0o666,
          isOwn: true,
          modifiedAt: Timestamp(clamped: record.now)
        )
      ]
    }
    for line in [
      ["list"], ["status"], ["header", "https://issuer.example/"], ["doctor", "--offline"], ["log"],
      ["refresh", "--all"], ["export", "--all"], ["limits", "--all"],
    ] {
      record.clear()
      _ = await record.run(line)
      // The doctor has one finding, with one line, for all files that others can change.
      let isOfFiles = flaw == "exposed" && line[0] == "doctor"
      let expected = isOfFiles ? "can be changed by others; not used: bob.example.com" : words
      #expect(([record.out] + record.err).contains { $0.contains(expected) }, "\(line): \(record.out) \(record.err)")
    }
    #expect(await record.acct("metrics") == 0)
    #expect(record.sample("acct_accounts_damaged") == "1" && record.sample("acct_accounts") == "1")
  }

  @Test("Without an account every command says that there is none")
  func none() async {
    let record = RecordedWorld()
    for (line, status) in [(["list"], 0), (["status"], 5), (["header", "https://a.example/"], 5)] as [([String], Int32)]
    {
      record.clear()
      #expect(await record.run(line) == status)
      #expect(record.err.joined().contains("there is no account yet"), "\(line): \(record.err)")
    }
    #expect(await record.acct("metrics") == 0)
    #expect(record.sample("acct_accounts") == "0")
    #expect(await record.acct("doctor", "--offline") == 0, "\(record.out)")
  }
}

extension RecordedWorld {
  /// The value of a metric that has one sample.
  fileprivate func sample(_ name: String) -> String? {
    out.split(separator: "\n").first { $0.hasPrefix("\(name){") }?.split(separator: " ").last.map(String.init)
  }

  /// The value of a line of `status`.
  fileprivate func field(_ name: String) -> String? {
    let line = out.split(separator: "\n").first { $0.hasPrefix("\(name) ") }
    return line.map { String($0.dropFirst(name.count).drop { $0 == " " }) }
  }

  /// Writes the end of its session into the account's file.
  func setSessionEnd(_ time: String) throws {
    let file = StoredFile.account(try onlyAccount())
    let text = try #require(self.file(file))
    corrupt(file, with: text.replacing(#""sessionEndsAt":null"#, with: #""sessionEndsAt":"\#(time)","marks":4"#))
  }
}
