import Secrets
import AcctPorts
import AcctTestSupport
import Synchronization
import Testing

/// The recorded clock says 08:00 on 2027-01-15, which is 1,800,000,000.
@Suite("An answer that a rate limit refuses")
struct LimitAnswerTests {
  let record = RecordedWorld()
  private let url = "https://issuer.example/list"

  /// An account, and a server that answers so first.
  private func account(_ status: Int, _ fields: [(String, String)]) async {
    #expect(await record.add(Handoffs.bearer()) == 0)
    record.clear()
    let answers = Mutex([HTTPResponse(status: status, fields: fields, body: Secret("no"))][...])
    record.serve { _ in answers.withLock { $0.popFirst() } ?? .json("fine") }
  }

  private static func gone(resettingAt reset: Int64) -> [(String, String)] {
    [("X-RateLimit-Limit", "60"), ("X-RateLimit-Remaining", "0"), ("X-RateLimit-Reset", "\(reset)")]
  }

  @Test(
    "A refusal by a limit exits 9, and tells when the limit resets and what --retry does",
    arguments: [
      (
        "429 with a reset in a day", 429,
        [
          ("RateLimit-Limit", "30"), ("RateLimit-Remaining", "0"), ("RateLimit-Reset", "1800086400"),
          ("RateLimit-Policy", "30;w=300"),
        ], "the limit resets at 08:00 on 2027-01-16, in 1 d; --retry waits for an hour at most"
      ),
      (
        "403 with nothing left", 403, gone(resettingAt: 1_800_000_900),
        "the limit resets at 08:15, in 15 min; --retry N waits and tries again"
      ),
      (
        "403 with nothing left for longer than an hour", 403, gone(resettingAt: 1_800_003_601),
        "the limit resets at 09:00, in 1 h; --retry waits for an hour at most"
      ),
      (
        "403 with Retry-After", 403, [("Retry-After", "90")],
        "try again in 1 min 30 s, at 08:01; --retry N waits and tries again"
      ),
      (
        "Retry-After before the reset, as the server says", 429,
        gone(resettingAt: 1_800_000_900) + [("Retry-After", "90")],
        "try again in 1 min 30 s, at 08:01; --retry N waits and tries again"
      ),
      (
        "of two limits the one that is used up", 429,
        [
          ("x-ratelimit-remaining-requests", "0"), ("x-ratelimit-reset-requests", "6m0s"),
          ("x-ratelimit-remaining-tokens", "7"), ("x-ratelimit-reset-tokens", "50m0s"),
        ], "the limit resets at 08:06, in 6 min; --retry N waits and tries again"
      ),
      (
        "a reset of which it is not known what is left", 429, [("X-Rate-Limit-Reset", "60")],
        "the limit resets at 08:01, in 1 min; --retry N waits and tries again"
      ),
      ("a reset that is past", 429, gone(resettingAt: 1_799_999_990), "--retry N waits and tries again"),
      (
        "429 with something left", 429, [("X-RateLimit-Remaining", "7"), ("X-RateLimit-Reset", "900")],
        "--retry N waits and tries again"
      ),
    ] as [(String, Int, [(String, String)], String)]
  )
  func told(what: String, status: Int, fields: [(String, String)], hint: String) async {
    await account(status, fields)
    #expect(await record.acct("request", url) == 9, "\(what)")
    let words = status == 429 ? "reports too many requests" : "answered 403: too many requests"
    #expect(record.err == ["acct: https://issuer.example \(words)", "acct: hint: \(hint)"], "\(what)")
    #expect(record.out == "no")
  }

  @Test(
    "A 403 without a limit that is used up is no limit",
    arguments: [[], [("X-RateLimit-Remaining", "1"), ("X-RateLimit-Reset", "9")], [("Retry-After", "soon")]]
  )
  func forbidden(fields: [(String, String)]) async {
    await account(403, fields)
    #expect(await record.acct("request", url, "--retry", "2") == 1)
    #expect(record.requests.count == 1)
    #expect(record.err == ["acct: https://issuer.example answered 403"])
  }

  @Test("A reset within an hour is waited for with --retry, also by a POST", arguments: ["GET", "POST"])
  func waited(method: String) async {
    await account(403, Self.gone(resettingAt: 1_800_000_900))
    let start = record.now
    #expect(await record.run(["request", method, url, "--retry", "1"]) == 0)
    #expect(record.now - start == 900)
    #expect(record.err == ["acct: https://issuer.example can't answer now; trying again in 15 min, at 08:15"])
    #expect(record.out == "fine")
  }

  @Test("A reset in more than an hour is not waited for, and the reason is told")
  func tooLate() async {
    await account(429, Self.gone(resettingAt: 1_800_003_601))
    let start = record.now
    #expect(await record.run(["request", url, "--retry", "2"]) == 9)
    #expect(record.now == start && record.requests.count == 1)
    #expect(
      record.err.last == "acct: hint: the limit resets at 09:00, in 1 h; --retry waits for an hour at most"
    )
  }

  @Test("A reset counts by the server's clock")
  func serverTime() async {
    // The server's clock is an hour ahead.
    let fields = Self.gone(resettingAt: 1_800_004_200) + [("Date", "Fri, 15 Jan 2027 09:00:00 GMT")]
    await account(429, fields)
    #expect(await record.acct("request", url) == 9)
    #expect(
      record.err.last == "acct: hint: the limit resets at 08:10, in 10 min; --retry N waits and tries again"
    )
  }

  @Test("A 403 by a limit to a body that can be read only once exits 9")
  func bodyGone() async {
    await account(403, [("Retry-After", "3")])
    record.provide("-", bytes: Array(repeating: 0x61, count: 3 << 20))
    #expect(await record.run(["request", "POST", url, "-d", "-", "--retry", "1"]) == 9)
    #expect(record.err.first?.contains("its body can be read only once") == true, "\(record.err)")
  }
}
