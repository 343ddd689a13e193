import AcctCLI
import AcctConsole
import AcctEngine
import AcctModel
import AcctPorts
import AcctRequests
import AcctTestSupport
import StrictJSON
import Testing

@Suite("Printed rate limits")
struct LimitsTests {
  private let world = RecordedWorld()

  private func observe(_ heads: String, _ url: String = "https://issuer.example/x") async -> Int32 {
    world.provide("-", heads)
    return await world.acct("observe", url)
  }

  private func words(
    limit: Int64? = 5,
    remaining: Int64? = 3,
    resetsIn: Int64? = nil,
    retryAfter: Int64? = nil,
    ago: Int64 = 0
  ) throws -> String {
    let now = Timestamp(clamped: 1_800_000_000)
    let limit = RateLimit(
      origin: try Origin("https://api.example"),
      limit: limit,
      remaining: remaining,
      resetsAt: resetsIn.map { now.adding(seconds: $0) },
      retryAfterSeconds: retryAfter,
      observedAt: now.adding(seconds: -ago)
    )
    return AcctConsole.words(for: limit, at: now)
  }

  @Test("A rate limit is printed in words: what is left, of how much, and when it resets")
  func wording() throws {
    #expect(try words(resetsIn: 50_700) == "3 of 5 left, resets in 14 h 5 min")
    #expect(try words() == "3 of 5 left")
    #expect(try words(limit: nil, resetsIn: 30) == "3 left, resets in 30 s")
    #expect(try words(remaining: nil, resetsIn: 30) == "5 in all, resets in 30 s")
    #expect(try words(limit: nil, remaining: nil, resetsIn: 60) == "resets in 1 min")
    #expect(try words(resetsIn: -7_200) == "3 of 5 left before it was reset 2 h ago")
    #expect(try words(remaining: 0, retryAfter: 90, ago: 30) == "0 of 5 left, retry in 1 min")
    #expect(try words(limit: nil, remaining: nil, retryAfter: 30, ago: 30) == "may retry now")
  }

  @Test("A rate limit has a bar on a terminal, and none in a pipe")
  func bars() throws {
    let now = Timestamp(clamped: 1_800_000_000)
    let origin = try Origin("https://api.example")
    func limit(_ name: String?, _ most: Int64?, _ left: Int64?, _ reset: Int64 = 60) -> RateLimit {
      RateLimit(
        origin: origin,
        name: name,
        limit: most,
        remaining: left,
        resetsAt: now.adding(seconds: reset),
        observedAt: now
      )
    }
    let limits = [
      limit("burst", 100, 1), limit("d", 5, 3), limit("none", 5, 0), limit("odd", 0, 0),
      limit("over", 5, 9), limit("past", 5, 3, -60), limit(nil, nil, 7),
    ]
    #expect(
      limitLines(limits.map { (nil, $0) }, at: now, on: Screen(columns: 200)) == [
        "https://api.example burst  █░░░░░░░░░  1 of 100 left, resets in 1 min",
        "https://api.example d      ██████░░░░  3 of 5 left, resets in 1 min",
        "https://api.example none   ░░░░░░░░░░  0 of 5 left, resets in 1 min",
        "https://api.example odd                0 of 0 left, resets in 1 min",
        "https://api.example over   ██████████  9 of 5 left, resets in 1 min",
        "https://api.example past               3 of 5 left before it was reset 1 min ago",
        "https://api.example                    7 left, resets in 1 min",
      ]
    )
    #expect(
      limitLines([(nil, limits[1])], at: now, on: Screen(columns: nil))
        == ["https://api.example d  3 of 5 left, resets in 1 min"]
    )
  }

  @Test("The commands `limits` and `status` print limits as text and as JSON with the contract's keys")
  func shown() async throws {
    _ = await world.add(Handoffs.bearer())
    #expect(await world.acct("limits") == 0)
    #expect(world.out.isEmpty)
    #expect(world.err == ["acct: no server has reported a limit of bob.example.com yet"])
    #expect(
      await observe(
        "HTTP/2 200\r\nratelimit-policy: \"day\";q=5;w=86400\r\nratelimit: \"day\";r=3;t=50700\r\n\r\n"
      ) == 0
    )
    #expect(world.out.isEmpty && world.err.isEmpty)
    world.now += 60
    #expect(await world.acct("limits", "bob.example.com") == 0)
    #expect(world.out == "https://issuer.example day  3 of 5 left, resets in 14 h 4 min\n")
    _ = await world.acct("status")
    #expect(
      world.out.contains("limit      https://issuer.example day: 3 of 5 left, resets in 14 h 4 min")
    )
    let limit: JSON = [
      "origin": "https://issuer.example", "name": "day", "limit": 5, "remaining": 3,
      "resetsAt": "2027-01-15T22:05:00Z", "retryAfterSeconds": nil,
      "observedAt": "2027-01-15T08:00:00Z", "secondsLeft": 50640,
    ]
    _ = await world.acct("status", "--json")
    #expect(world.json?.objectValue?["limits"] == [limit])
    let id = try #require(world.json?.objectValue?["account"]?.objectValue?["id"])
    _ = await world.acct("limits", "--json")
    #expect(world.json == ["version": 1, "account": id, "accountName": "bob.example.com", "limits": [limit]])
  }

  @Test("An origin's latest answer replaces all of its own limits and no other origin's")
  func replacement() async throws {
    _ = await world.add(Handoffs.bearer(), "--allow-origin", "https://more.example")
    _ = await observe("RateLimit-Policy: \"a\";q=1, \"b\";q=2\n")
    _ = await observe("X-RateLimit-Remaining: 9\n", "https://more.example/x")
    _ = await observe("RateLimit-Policy: \"c\";q=3\n")
    _ = await observe("Content-Type: text/html\n")
    _ = await world.acct("limits")
    #expect(
      world.out == """
        https://issuer.example c  3 in all
        https://more.example      9 left

        """
    )
  }

  @Test("An account's limits are its own, and are removed with it")
  func removal() async throws {
    _ = await world.add(Handoffs.bearer())
    _ = await world.add(Handoffs.bearer("carol"))
    _ = await observe("X-RateLimit-Remaining: 9\n")
    _ = await world.acct("limits", "bob.example.com")
    #expect(world.out.isEmpty)
    let account = try #require(try AccountOverview(world.engine).listing().accounts.last)
    #expect(world.file(.limits(account.id)) != nil)
    #expect(await world.acct("remove", "carol.example.com", "--local") == 0)
    #expect(world.file(.limits(account.id)) == nil)
    // An answer that comes after that leaves no trace.
    let origin = try Origin("https://issuer.example")
    let told = RateLimit(origin: origin, remaining: 9, observedAt: Timestamp(clamped: world.now))
    await LimitsLedger(world.world()).learn([told], of: origin, for: account.id)
    #expect(world.file(.limits(account.id)) == nil)
  }

  @Test("A damaged file of limits counts as empty, and the next answer repairs it")
  func damage() async throws {
    _ = await world.add(Handoffs.bearer())
    let account = try #require(try AccountOverview(world.engine).listing().accounts.first)
    for text in ["", "{", "[]", #"{"version":2,"limits":[]}"#, #"{"version":1,"limits":[1,{"origin":"x"}]}"#] {
      world.corrupt(.limits(account.id), with: text)
      #expect(await world.acct("limits") == 0)
      #expect(world.out.isEmpty)
    }
    _ = await observe("X-RateLimit-Remaining: 9\n")
    _ = await world.acct("limits")
    #expect(world.out == "https://issuer.example  9 left\n")
  }

  @Test("A server's name for its policy can't control the terminal")
  func hostileName() async {
    _ = await world.add(Handoffs.bearer())
    _ = await observe("RateLimit: \"a\u{1B}[31m\";r=1\n")
    _ = await world.acct("limits")
    #expect(!world.out.contains("\u{1B}"))
  }
}
