import AcctModel
import AcctPorts
import AcctTestSupport
import Synchronization
import Testing

@Suite("Waiting and trying again")
struct RequestWaitTests {
  let record = RecordedWorld()
  private let url = "https://issuer.example/list"

  /// An account, and a server that answers so.
  private func account(_ answers: Result<HTTPResponse, HTTPFailure>...) async {
    #expect(await record.add(Handoffs.bearer()) == 0)
    record.clear()
    let queue = Mutex(answers[...])
    record.serve { _ throws(HTTPFailure) in
      try (queue.withLock { $0.popFirst() } ?? .success(.json("fine"))).get()
    }
  }

  private func limited(_ retryAfter: String?) -> Result<HTTPResponse, HTTPFailure> {
    let fields = retryAfter.map { [("Retry-After", $0)] } ?? []
    return .success(HTTPResponse(status: 429, fields: fields, body: Secret("no")))
  }

  @Test(
    "Retry-After is honoured, as seconds and as a date",
    arguments: [
      ("7", 7), ("Fri, 15 Jan 2027 08:00:09 GMT", 9), ("Thu, 14 Jan 2027 08:00:00 GMT", 0),
      ("soon", 1), (nil, 1),
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
    "A countdown and a bar are without colour, and not there on a dumb terminal",
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

  @Test("A wait of more than an hour is the user's to decide")
  func tooLong() async {
    await account(limited("3601"))
    let start = record.now
    #expect(await record.run(["request", url, "--retry", "1"]) == 9)
    #expect(record.now == start)
    #expect(record.out == "no")
    #expect(record.err.last == "acct: hint: its Retry-After is 3601")
  }

  @Test("Without a word from the server the pauses double")
  func backoff() async {
    await account(limited(nil), .failure(.closed), .failure(.timedOut), limited(nil))
    let start = record.now
    #expect(await record.run(["request", url, "--retry", "4", "-q"]) == 0)
    #expect(record.now - start == 1 + 2 + 4 + 8)
    #expect(record.err.isEmpty)
  }

  @Test(
    "A lost request is made again only if it may be made twice",
    arguments: [
      ("GET", HTTPFailure.closed, 2), ("POST", .closed, 1), ("PUT", .timedOut, 2),
      ("PATCH", .timedOut, 1), ("POST", .unreachable(reason: "no"), 2), ("GET", .malformed, 1),
      ("GET", .untrusted(reason: "no"), 1),
    ]
  )
  func lost(_ method: String, _ failure: HTTPFailure, _ requests: Int) async {
    await account(.failure(failure))
    _ = await record.run(["request", method, url, "--retry", "1"])
    #expect(record.requests.count == requests)
  }

  @Test("-o changes a file once all is there")
  func output() async {
    await account()
    #expect(await record.run(["request", url, "-o", "out"]) == 0)
    #expect(record.outputs == ["out": "fine"])
    #expect(record.out.isEmpty)
  }
}
