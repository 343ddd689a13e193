import AcctModel
import AcctPorts
import AcctTestSupport
import StrictJSON
import Synchronization
import Testing

/// Long random walks through every failure except a server's own end of the session.
@Suite("Random walks of keyring and network faults")
struct TroubleWalkTests {
  private static let outages: [KeyringFailure?] = [
    nil, nil, nil, .locked(), .unavailable(reason: "none is running"), .timedOut, .cancelled,
    .failed(reason: "it said so"),
  ]

  /// Everything that a token endpoint, or the way to it, can answer without ending the session.
  private static let answers: [Result<HTTPResponse, HTTPFailure>] = [
    .failure(.unreachable(reason: "no route")), .failure(.timedOut), .failure(.closed),
    .failure(.unresolved(host: "issuer.example")), .failure(.malformed),
    .failure(.untrusted(reason: "the certificate has expired")), .failure(.tooLarge(limit: 1)),
    .success(.json("{}", 500)), .success(.json("{}", 503, ("Retry-After", "1"))), .success(.json("{}", 429)),
    .success(.json("<html>", 200)), .success(.json(#"{"access_token":"#, 200)),
    .success(.json("", 302, ("Location", "/"))), .success(.json("", 408)), .success(.json("", 425)),
  ]

  /// Refusals without a reason: the same one to two renewals a minute apart ends the session, and deletes nothing.
  private static let refusals: [Result<HTTPResponse, HTTPFailure>] = [
    .success(.json("", 403)), .success(.json("", 400)), .success(.json(#"{"error":"invalid_client"}"#, 401)),
    .success(.json(#"{"error":"server_error"}"#, 400)),
  ]

  private static let commands: [[String]] = [
    ["token"], ["header"], ["list"], ["status"], ["status", "--check"], ["refresh"], ["refresh", "--force"],
    ["refresh", "--all"], ["token", "--offline"], ["token", "--min-valid", "9999"], ["header", "--no-input"],
  ]

  @Test(
    "No credential is deleted and no session ends unless the server says so",
    arguments: 0..<TestExtent.count(4, full: 12),
    [false, true]
  )
  func walk(seed: Int, isRefused: Bool) async throws {
    let record = RecordedWorld()
    let handoff = Handoffs.bearer(changing: ["refresh_token": "r1", "clientId": "client"])
    #expect(await record.add(handoff) == 0)
    let kept = record.keyring.items
    let issuer = FakeIssuer()
    let answer = Mutex(Self.answers[0])
    record.serve { request throws(HTTPFailure) in
      let now = answer.withLock { $0 }
      // The way to the endpoint fails as well, when nothing at all can be reached.
      if case .failure = now { return try now.get() }
      return request.url.path == "/token" ? try now.get() : try issuer.respond(request)
    }

    let answers = isRefused ? Self.answers + Self.refusals : Self.answers
    var numbers = RepeatableNumbers(seed: UInt64(seed))
    for _ in 0..<120 {
      record.keyring.fail(with: Self.outages.randomElement(using: &numbers) ?? nil)
      let next = answers.randomElement(using: &numbers) ?? answers[0]
      answer.withLock { $0 = next }
      record.now += Int64.random(in: 0...900, using: &numbers)
      record.clear()
      let command = Self.commands.randomElement(using: &numbers) ?? []
      let status = await record.run(command)
      #expect([0, 1, 3, 4, 6, 7, 9, 10, 11].contains(status), "\(command): \(status)")
      #expect(record.keyring.items == kept, "after \(command)")
      if !isRefused { #expect(record.filesText.contains(#""standing":"signedIn""#), "after \(command)") }
    }

    // And then everything is well again, without a new sign-in.
    record.keyring.fail(with: nil)
    answer.withLock { $0 = .success(RenewalTests.renewed) }
    if isRefused { #expect(await record.acct("refresh", "--force") == 0, "\(record.err)") }
    #expect(await record.acct("token", "--min-valid", "60") == 0)
    #expect(record.out == "new\n")
  }
}
