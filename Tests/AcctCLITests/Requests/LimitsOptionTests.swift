import AcctCLI
import AcctEngine
import AcctModel
import AcctPorts
import AcctTestSupport
import StrictJSON
import Testing

@Suite("The options of the command `limits`")
struct LimitsOptionTests {
  private let world = RecordedWorld()

  private func observe(_ heads: String, _ account: String = "bob.example.com") async {
    world.provide("-", heads)
    #expect(await world.acct("observe", "https://issuer.example/x", "--account", account) == 0, "\(world.err)")
  }

  @Test(
    "Every spelling of a limit in a response that is observed is a row",
    arguments: [
      (
        "HTTP/1.1 429 Too Many Requests\nX-Rate-Limit-Limit: 600\nX-Rate-Limit-Remaining: 0\n"
          + "X-Rate-Limit-Reset: 1800000060\n\n", ["https://issuer.example  0 of 600 left, resets in 1 min"]
      ),
      (
        """
        HTTP/1.1 200 OK
        x-ratelimit-limit-requests: 10000
        x-ratelimit-remaining-requests: 9999
        x-ratelimit-reset-requests: 8.64s
        x-ratelimit-limit-tokens: 200000
        x-ratelimit-remaining-tokens: 199000
        x-ratelimit-reset-tokens: 6m0s


        """,
        [
          "https://issuer.example requests  9999 of 10000 left, resets in 9 s",
          "https://issuer.example tokens    199000 of 200000 left, resets in 6 min",
        ]
      ),
    ] as [(String, [String])]
  )
  func observed(heads: String, lines: [String]) async {
    _ = await world.add(Handoffs.bearer())
    await observe(heads)
    #expect(await world.acct("limits") == 0)
    #expect(world.out == lines.map { $0 + "\n" }.joined())
  }

  @Test("An answer about one resource keeps the limits of the others, until one about all of them")
  func resources() async {
    _ = await world.add(Handoffs.bearer())
    await observe("X-RateLimit-Resource: core\nX-RateLimit-Remaining: 4999\n")
    await observe("X-RateLimit-Resource: search\nX-RateLimit-Remaining: 18\n")
    world.now += 60
    await observe("X-RateLimit-Resource: core\nX-RateLimit-Remaining: 4998\n")
    _ = await world.acct("limits")
    #expect(world.out == "https://issuer.example core    4998 left\nhttps://issuer.example search  18 left\n")
    await observe("X-RateLimit-Remaining: 9\n")
    _ = await world.acct("limits")
    #expect(world.out == "https://issuer.example  9 left\n")
  }

  @Test(
    "`limits --check` exits 9 if nothing is left, and 0 after the reset or the wait",
    arguments: [
      ("X-RateLimit-Remaining: 1\n", 0, 0), ("X-RateLimit-Remaining: 0\nX-RateLimit-Reset: 60\n", 0, 9),
      ("X-RateLimit-Remaining: 0\nX-RateLimit-Reset: 60\n", 59, 9),
      ("X-RateLimit-Remaining: 0\nX-RateLimit-Reset: 60\n", 60, 0), ("X-RateLimit-Remaining: 0\n", 0, 9),
      ("Retry-After: 5\n", 4, 9), ("Retry-After: 5\n", 5, 0),
      ("x-ratelimit-remaining-a: 3\nx-ratelimit-remaining-b: 0\n", 0, 9),
    ] as [(String, Int64, Int32)]
  )
  func check(heads: String, later: Int64, status: Int32) async {
    _ = await world.add(Handoffs.bearer())
    #expect(await world.acct("limits", "--check") == 0)
    await observe(heads)
    world.now += later
    #expect(await world.acct("limits") == 0)
    let shown = world.out
    #expect(await world.acct("limits", "--check") == status)
    #expect(world.out == shown && world.err.isEmpty)
  }

  @Test("`limits --json` has the seconds that are left from now, 0 at the end, and null where no time is known")
  func secondsLeft() async {
    _ = await world.add(Handoffs.bearer())
    await observe("x-ratelimit-reset-a: 60\nx-ratelimit-remaining-b: 3\n")
    for (later, left) in [(0, 60), (20, 40), (40, 0), (40, 0)] as [(Int64, Int64)] {
      world.now += later
      _ = await world.acct("limits", "--json")
      let limits = world.json?.objectValue?["limits"]?.arrayValue?.compactMap(\.objectValue)
      #expect(limits?.map { $0["secondsLeft"] } == [.number(JSONNumber(left)), .null])
      #expect(limits?.first?["resetsAt"] == "2027-01-15T08:01:00Z")
    }
  }

  @Test("`limits --all` shows and checks the limits of every account")
  func all() async throws {
    _ = await world.add(Handoffs.bearer("carol"))
    _ = await world.add(Handoffs.bearer())
    #expect(await world.acct("limits", "--all") == 0)
    #expect(world.err == ["acct: no server has reported a limit yet"])
    await observe("X-RateLimit-Remaining: 9\n")
    await observe("X-RateLimit-Remaining: 0\nX-RateLimit-Reset: 60\n", "carol.example.com")
    #expect(await world.acct("limits", "--all") == 0)
    #expect(
      Set(world.out.split(separator: "\n")) == [
        "bob.example.com    https://issuer.example  9 left",
        "carol.example.com  https://issuer.example  0 left, resets in 1 min",
      ]
    )
    #expect(await world.acct("limits", "--check") == 0)
    #expect(await world.acct("limits", "--all", "--check", "--json") == 9)
    let accounts = try #require(world.json?.objectValue?["accounts"]?.arrayValue).compactMap(\.objectValue)
    #expect(Set(accounts.compactMap { $0["accountName"]?.stringValue }) == ["bob.example.com", "carol.example.com"])
    #expect(accounts.allSatisfy { $0["limits"]?.arrayValue?.count == 1 })
    for arguments in [
      ["limits", "--all", "bob.example.com"], ["limits", "--watch", "--check"], ["limits", "--watch", "--json"],
    ] { #expect(await world.run(arguments) == 64) }
  }

  /// Runs `acct limits --watch`, with what happens in each second; Ctrl-C comes after the last.
  private func watch(_ events: [Int64: @Sendable () -> Void], until end: Int64) async -> Int32 {
    var world = world.world()
    let (record, start, sleep) = (self.world, self.world.now, world.clock.sleep)
    world.clock.sleep = { seconds in
      let isAwake = await sleep(seconds)
      events[record.now - start]?()
      if record.now - start >= end { record.interrupt() }
      return isAwake
    }
    return await Acct.run(["limits", "--watch"], in: world, parsedBy: ParsedLines.parse)
  }

  @Test("On a terminal `limits --watch` draws the limits anew each second until Ctrl-C")
  func watchOnTerminal() async {
    _ = await world.add(Handoffs.bearer())
    world.set("TERM", to: "xterm")
    await observe("X-RateLimit-Remaining: 9\nX-RateLimit-Reset: 60\n")
    world.clear()
    world.setColumns(80)
    #expect(await watch([:], until: 2) == 0)
    #expect(
      world.out == """
        https://issuer.example  9 left, resets in 1 min
        \u{1B}[1A\u{1B}[Jhttps://issuer.example  9 left, resets in 59 s

        """
    )
  }

  @Test("In a pipe `limits --watch` prints the limits when they change")
  func watchInPipe() async throws {
    _ = await world.add(Handoffs.bearer())
    await observe("X-RateLimit-Remaining: 9\nX-RateLimit-Reset: 60\n")
    world.clear()
    let world = world
    let id = try #require(try AccountOverview(world.engine).listing().accounts.first).id
    let file = try #require(world.file(.limits(id)))
    let events: [Int64: @Sendable () -> Void] = [
      3: { world.corrupt(.limits(id), with: file.replacing(#""remaining":9"#, with: #""remaining":8"#)) }
    ]
    #expect(await watch(events, until: 5) == 0)
    #expect(
      world.out == """
        https://issuer.example  9 left, resets in 1 min
        https://issuer.example  8 left, resets in 57 s

        """
    )
  }
}
