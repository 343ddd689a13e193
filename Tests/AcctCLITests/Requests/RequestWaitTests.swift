import Secrets
import AcctPorts
import AcctTestSupport
import StrictJSON
import Synchronization
import Testing

@Suite("Waiting and retrying")
struct RequestWaitTests {
  let record = RecordedWorld()
  private let url = "https://issuer.example/list"

  /// An account, and a server with these answers.
  private func account(_ answers: Result<HTTPResponse, HTTPFailure>...) async {
    #expect(await record.add(Handoffs.bearer()) == 0)
    record.clear()
    let queue = Mutex(answers[...])
    record.serve { _ throws(HTTPFailure) in try (queue.withLock { $0.popFirst() } ?? .success(.json("fine"))).get() }
  }

  private func limited(_ retryAfter: String?) -> Result<HTTPResponse, HTTPFailure> {
    let fields = retryAfter.map { [("Retry-After", $0)] } ?? []
    return .success(HTTPResponse(status: 429, fields: fields, body: Secret("no")))
  }

  @Test(
    "A Retry-After is obeyed, as seconds and as a date",
    arguments: [
      ("7", 7), ("Fri, 15 Jan 2027 08:00:09 GMT", 9), ("Thu, 14 Jan 2027 08:00:00 GMT", 0), ("soon", 1), (nil, 1),
    ]
  )
  func retryAfter(_ value: String?, _ seconds: Int64) async {
    record.showOnTerminal()
    await account(limited(value))
    let start = record.now
    #expect(await record.run(["request", url, "--retry", "1"]) == 0)
    #expect(record.now - start == seconds)
    #expect(record.out == "fine")
    let said = "acct: https://issuer.example can't answer now; trying again in \(seconds) s"
    #expect(record.err == (seconds > 0 ? [said] : []))
    #expect(record.passing.count { !$0.isEmpty } == Int(seconds))
  }

  @Test(
    "A countdown and a bar without colour support are plain, and a dumb terminal has neither",
    arguments: ["xterm", "dumb"]
  )
  func dumb(term: String) async {
    record.showOnTerminal()
    record.set("TERM", to: term)
    await account(limited("3"), .success(.json(String(repeating: " ", count: 5 << 20))))
    #expect(await record.run(["request", url, "--retry", "1"]) == 0)
    #expect(record.passing.contains { $0.hasPrefix("trying again") } == (term != "dumb"))
    #expect(record.passing.contains { $0.contains("4.0 MiB") } == (term != "dumb"))
    #expect(!record.passing.joined().contains("\u{1B}"))
    #expect(record.err.count == 1)
  }

  @Test("A wait of more than an hour is left to the user")
  func tooLong() async {
    await account(limited("3601"))
    let start = record.now
    #expect(await record.run(["request", url, "--retry", "1"]) == 9)
    #expect(record.now == start)
    #expect(record.out == "no")
    #expect(record.err.last == "acct: hint: try again in 1 h, at 09:00; --retry waits for an hour at most")
  }

  @Test(
    "A 429 says how long to wait, and until when by the user's clock and calendar",
    arguments: [
      ("50730", 0, "try again in 14 h 5 min, at 22:05; --retry waits for an hour at most"),
      ("50730", 7200, "try again in 14 h 5 min, at 00:05 on 2027-01-16; --retry waits for an hour at most"),
      ("50730", -12_600, "try again in 14 h 5 min, at 18:35; --retry waits for an hour at most"),
      (
        "Sat, 16 Jan 2027 08:00:00 GMT", 0,
        "try again in 1 d, at 08:00 on 2027-01-16; --retry waits for an hour at most"
      ),
      ("90", 0, "try again in 1 min 30 s, at 08:01; --retry N waits and tries again"),
      ("Fri, 15 Jan 2027 08:00:09 GMT", 0, "try again in 9 s, at 08:00; --retry N waits and tries again"),
      ("0", 0, "try again now; --retry N waits and tries again"),
      ("Thu, 14 Jan 2027 08:00:00 GMT", 0, "try again now; --retry N waits and tries again"),
      ("soon", 0, "--retry N waits and tries again"), ("-5", 0, "--retry N waits and tries again"),
      (nil, 0, "--retry N waits and tries again"), ("99999999999999999999", 0, "--retry waits for an hour at most"),
    ] as [(String?, Int64, String?)]
  )
  func told(_ value: String?, _ offset: Int64, _ hint: String?) async throws {
    record.setLocalOffset(offset)
    await account(limited(value), limited(value))
    #expect(await record.run(["request", url]) == 9)
    let said = "acct: https://issuer.example reports too many requests"
    #expect(record.err == [said] + (hint.map { ["acct: hint: \($0)"] } ?? []))
    #expect(await record.acct("request", url, "--json") == 9)
    let line = try #require(record.err.last)
    let error = try JSON(parsing: Array(line.utf8)).objectValue?["error"]?.objectValue
    #expect(error?["hint"] == hint.map(JSON.string) ?? .null)
  }

  @Test("A server failure with Retry-After says how long to wait")
  func failing() async {
    let answer = HTTPResponse(status: 503, fields: [("Retry-After", "120")], body: Secret("no"))
    await account(.success(answer))
    #expect(await record.run(["request", url]) == 11)
    let hint = "try again in 2 min, at 08:02; nothing was wrong with the account"
    #expect(record.err.last == "acct: hint: \(hint)")
  }

  @Test("The pauses double if the server names none")
  func backoff() async {
    await account(limited(nil), .failure(.closed), .failure(.timedOut), limited(nil))
    let start = record.now
    #expect(await record.run(["request", url, "--retry", "4", "-q"]) == 0)
    #expect(record.now - start == 1 + 2 + 4 + 8)
    #expect(record.err.isEmpty)
  }

  @Test(
    "A lost request is repeated only if it may be sent twice",
    arguments: [
      ("GET", HTTPFailure.closed, 2), ("POST", .closed, 1), ("PUT", .timedOut, 2), ("PATCH", .timedOut, 1),
      ("POST", .unreachable(reason: "no"), 2), ("GET", .malformed, 1), ("GET", .untrusted(reason: "no"), 1),
    ]
  )
  func lost(_ method: String, _ failure: HTTPFailure, _ requests: Int) async {
    await account(.failure(failure))
    _ = await record.run(["request", method, url, "--retry", "1"])
    #expect(record.requests.count == requests)
  }

  @Test("A file of -o changes once the body is complete")
  func output() async {
    await account()
    #expect(await record.run(["request", url, "-o", "out"]) == 0)
    #expect(record.outputs == ["out": "fine"])
    #expect(record.out.isEmpty)
  }
}
