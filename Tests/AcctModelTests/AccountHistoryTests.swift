import AcctModel
import Testing

@Suite("The history of an account")
struct AccountHistoryTests {
  private func event(
    _ kind: AccountEvent.Kind,
    _ seconds: Int64,
    on machine: String? = "laptop",
    for program: String? = nil,
    _ origin: String? = nil
  ) throws -> AccountEvent {
    let time = Timestamp(clamped: seconds)
    return AccountEvent(kind, at: time, on: machine, for: program, try origin.map { try Origin($0) })
  }

  @Test("Events are read as they were written, with all that they have")
  func roundTrip() throws {
    let events = [
      try event(.added, 1), try event(.renewed, 2, on: nil, for: "git"),
      try event(.refused, 3, for: "proxy", "https://evil.example:8443"),
      try event(.allowed, -4, on: nil, "http://[::1]:80"),
    ]
    let history = AccountHistory(events)
    #expect(history.events == [events[3], events[0], events[1], events[2]])
    #expect(
      history.text == "-4 w = - http://[::1];1 a laptop;2 r - git;3 x laptop proxy https://evil.example:8443"
    )
  }

  @Test("A history keeps the last 50 events, and each once")
  func limits() throws {
    var history = AccountHistory()
    for second in 1...60 { history = history.adding([try event(.renewed, Int64(second))]) }
    #expect(history.events?.count == 50)
    #expect(history.events?.first?.time == Timestamp(clamped: 11))
    #expect(history.adding([try event(.renewed, 60)]) == history)
    // Older than all that are kept.
    #expect(history.adding([try event(.renewed, 10)]) == history)
  }

  @Test("The histories of two machines become one, whichever takes the other's")
  func merge() throws {
    let common = try event(.added, 1)
    let mine = AccountHistory([common, try event(.renewed, 3, on: "a")])
    let theirs = AccountHistory([common, try event(.renewed, 2, on: "b"), try event(.renewed, 3, on: "b")])
    #expect(mine.merged(with: theirs) == theirs.merged(with: mine))
    #expect(mine.merged(with: theirs).events?.map(\.machine) == ["laptop", "b", "a", "b"])
    #expect(mine.merged(with: theirs).merged(with: mine) == mine.merged(with: theirs))
  }

  @Test("A machine's name is cut to what a host name may have, so that it can change no other event")
  func names() throws {
    let strange = try event(.added, 1, on: "a b;2 removed\u{1B}[2Jé", for: "-")
    #expect(strange.machine == "ab2removed2J")
    #expect(strange.program == nil)
    #expect(try event(.added, 1, on: String(repeating: "x", count: 300)).machine?.count == 64)
  }

  @Test(
    "A history in which one event is not as acct writes it is damaged as a whole, and the next event begins a new one",
    arguments: [
      "1 a laptop -", "1 a laptop - - -", "01 a", "+1 a", "x a", "1 ?", "1 added", "1 a \u{1B}[2J", "1 a a b.c/d", "1",
      "1 x = - http://evil.example", "1 x = - https://evil.example/path", "1 x = - HTTPS://evil.example", "1 a;", ";",
      "1 a;;2 a", " ", "2 r;1 a", "1 a;1 a", "1 a one;2 r one", "1 a -", "1 a = git -",
      (1...51).map { "\($0) r" }.joined(separator: ";"), "1 a " + String(repeating: "x", count: 20_000),
    ]
  )
  func damage(_ text: String) throws {
    let history = AccountHistory(text)
    #expect(history.events == nil)
    let next = try event(.renewed, 5)
    #expect(history.adding([next]).events == [next])
  }

  @Test("An event that only a later version of acct knows stays in the history, and the next one comes behind it")
  func laterKind() throws {
    let history = AccountHistory("1 a laptop;2 z = git https://one.example")
    #expect(history.events?.map(\.kind) == [.added, .other])
    let next = history.adding([try event(.renewed, 5, on: "laptop")])
    #expect(next.text == "\(history.text);5 r")
    #expect(next.merged(with: history) == next)
  }

  @Test("Fifty renewals by one machine take less than a thousand bytes")
  func shortness() throws {
    let events = try (0..<50).map { try event(.renewed, 1_800_000_000 + 3_600 * Int64($0), on: "a-machine.example") }
    #expect(AccountHistory(events).text.utf8.count < 1000)
  }

  @Test("50 events with the longest names and origins stay within the size that is read")
  func size() throws {
    let origin = "https://" + Array(repeating: String(repeating: "a", count: 60), count: 4).joined(separator: ".")
    let machine = String(repeating: "m", count: 64)
    let events = try (0..<50).map { try event(.refused, Int64($0), on: machine, for: machine, origin) }
    let history = AccountHistory(events)
    #expect(history.text.utf8.count <= AccountHistory.sizeLimit)
    #expect(history.events?.last == events.last)
  }
}

@Suite("Times that count back from now")
struct TimeAgoTests {
  private let now = Timestamp(clamped: 1_800_000_000)

  @Test("A duration counts back from now; a date is its beginning")
  func times() throws {
    for (text, seconds) in [
      ("90s", 90), ("30min", 1800), ("20m", 1200), ("12h", 43_200), ("2d", 172_800), ("1w", 604_800),
    ] {
      #expect(try Timestamp(ago: text, before: now) == now.adding(seconds: -Int64(seconds)), "\(text)")
    }
    #expect(try Timestamp(ago: "2027-01-15", before: now).description == "2027-01-15T00:00:00Z")
    #expect(try Timestamp(ago: "2027-01-15T01:02:03+01:00", before: now).description == "2027-01-15T00:02:03Z")
  }

  @Test(
    "Anything else is no time",
    arguments: ["", "d", "2", "-2d", "2 d", "2mo", "1234567d", "2027-13-01", "2027-1-1"]
  )
  func others(_ text: String) { #expect(throws: ParseError.timestamp) { try Timestamp(ago: text, before: now) } }
}
