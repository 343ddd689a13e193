import AcctModel
import AcctPorts
import AcctTestSupport
import StrictJSON
import Synchronization
import Testing

@Suite("A token endpoint that limits renewals")
struct RenewalLimitTests {
  let record = RecordedWorld()

  /// An account with an expired token, and a token endpoint that answers so first.
  private func account(_ answer: HTTPResponse) async {
    let handoff = Handoffs.bearer(changing: ["refresh_token": "r1", "clientId": "client"])
    #expect(await record.add(handoff) == 0)
    record.now += 3601
    let issuer = FakeIssuer()
    let answers = Mutex([answer][...])
    record.serve { request throws(HTTPFailure) in
      guard request.url.path == "/token" else { return try issuer.respond(request) }
      return answers.withLock { $0.popFirst() } ?? RenewalTests.renewed
    }
  }

  private func run(_ arguments: [String]) async -> Int32 {
    record.clear()
    return await record.run(arguments)
  }

  private var renewals: Int { record.requests.count { $0.url.path == "/token" } }

  @Test("A 429 with Retry-After is asked once, and every command exits 9 until its time has come")
  func kept() async {
    await account(.json(#"{"error": "slow_down"}"#, 429, ("Retry-After", "3600")))
    let url = "https://issuer.example/x"
    for arguments in [
      ["token"], ["header"], ["refresh"], ["refresh", "--force"], ["request", url], ["token", "--scope", "a"],
    ] {
      #expect(await run(arguments) == 9, "\(arguments): \(record.err)")
      #expect(
        record.err == [
          "acct: https://issuer.example reports too many requests", "acct: hint: try again in 1 h, at 10:00",
        ]
      )
    }
    #expect(renewals == 1)
    record.now += 1800
    #expect(await record.acct("token") == 9)
    #expect(record.err.last == "acct: hint: try again in 30 min, at 10:00")
    record.now += 1799
    #expect(await record.acct("token") == 9)
    #expect(renewals == 1)
    record.now += 1
    #expect(await record.acct("token") == 0, "\(record.err)")
    #expect(renewals == 2 && record.out == "new\n")
  }

  @Test("The command `limits` shows the limit of renewals, beside those of requests to the same server")
  func shown() async {
    await account(.json("{}", 429, ("Retry-After", "3600")))
    #expect(await record.acct("token") == 9)
    #expect(await record.acct("limits", "--check") == 9)
    #expect(record.out == "https://issuer.example renewals  retry in 1 h\n")
    record.provide("-", "X-RateLimit-Remaining: 9\n")
    #expect(await record.acct("observe", "https://issuer.example/x") == 0)
    #expect(await record.acct("limits") == 0)
    #expect(
      record.out == "https://issuer.example renewals  retry in 1 h\nhttps://issuer.example           9 left\n"
    )
    #expect(await record.acct("token") == 9)
    #expect(renewals == 1)
  }

  @Test("A 429 that names its reset alone is kept, too")
  func reset() async {
    let fields = [("RateLimit-Remaining", "0"), ("RateLimit-Reset", "90")]
    await account(.json("{}", 429, fields[0], fields[1]))
    for _ in 0..<2 {
      #expect(await record.acct("token") == 9)
      #expect(record.err.last == "acct: hint: the limit resets at 09:01, in 1 min 30 s")
    }
    record.now += 90
    #expect(await record.acct("token") == 0)
    #expect(renewals == 2)
  }

  @Test("A 429 without a time is not kept, and a limit of requests delays no renewal")
  func unknown() async {
    await account(.json("{}", 429))
    record.provide("-", "X-RateLimit-Remaining: 0\nRetry-After: 3600\n")
    #expect(await record.acct("observe", "https://issuer.example/x") == 0)
    #expect(await record.acct("token") == 9)
    #expect(await record.acct("token") == 0)
    #expect(renewals == 2)
  }

  @Test("Of a 429 with Retry-After and a reset the first counts, and a quota that is not used up delays nothing")
  func otherQuotas() async {
    let fields = [("X-RateLimit-Remaining", "57"), ("X-RateLimit-Reset", "3600")]
    await account(.json("{}", 429, fields[0], fields[1]))
    #expect(await record.acct("token") == 9)
    #expect(await record.acct("token") == 0)
    #expect(renewals == 2)
    await account(.json("{}", 429, ("Retry-After", "5"), ("X-RateLimit-Remaining", "0"), fields[1]))
    #expect(await record.acct("refresh", "--force") == 9)
    record.now += 5
    #expect(await record.acct("refresh", "--force") == 0, "\(record.err)")
  }

  @Test("A server that names a time in years is asked again after a day")
  func years() async {
    await account(.json("{}", 429, ("Retry-After", "99999999")))
    #expect(await record.acct("token") == 9)
    record.now += 86_399
    #expect(await record.acct("token") == 9)
    #expect(renewals == 1)
    record.now += 1
    #expect(await record.acct("token") == 0)
    #expect(renewals == 2)
  }

  @Test("A limit from a clock that was ahead delays no renewal")
  func clockAhead() async {
    await account(.json("{}", 429, ("Retry-After", "3600")))
    record.now += 86_400 * 365
    #expect(await record.acct("token") == 9)
    record.now -= 86_400 * 365
    #expect(await record.acct("token") == 0, "\(record.err)")
  }
}
