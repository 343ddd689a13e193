import AcctTestSupport
import StrictJSON
import Testing

@Suite("Retries of acct request")
struct RequestRetryTests {
  @Test("A request that needs a nonce is sent twice, and the next one has the nonce")
  func nonce() async throws {
    let server = try await StrictServer()
    let home = try AcctHome()
    let added = try await home.importing(try await server.issue(["dpop": true]))
    try #require(added.status == 0, "\(added.errorText)")
    for _ in 1...2 {
      let output = try await home.acct("request", "\(server.resource)/resource", "-d", "a body")
      #expect(output.status == 0, "\(output.errorText)")
      #expect(output.text.contains("user-1"))
    }
    #expect(try await server.requests(to: "resource").count == 3)
    try await server.expectNothingWrong()
  }

  @Test("A request whose nonce is always rejected is not sent a third time")
  func nonceForEver() async throws {
    let server = try await StrictServer()
    let home = try AcctHome()
    let added = try await home.importing(try await server.issue(["dpop": true]))
    try #require(added.status == 0, "\(added.errorText)")
    try await server.fault(["endpoint": "resource", "kind": "nonce_challenge", "count": nil])
    let output = try await home.acct("request", "\(server.resource)/resource")
    #expect(output.status == 4)
    // The refused token is renewed once, whatever it was refused for.
    #expect(try await server.requests(to: "resource").count <= 3)
  }

  @Test("A request whose token is rejected is sent again after one renewal")
  func renewal() async throws {
    let server = try await StrictServer()
    let home = try AcctHome()
    let added = try await home.importing(try await server.issue(["dpop": true]))
    try #require(added.status == 0, "\(added.errorText)")
    try await server.control("revoke-access")
    let folder = try TemporaryFolder()
    let file = try folder.file("body", containing: "a body")
    let output = try await home.acct("request", "\(server.resource)/resource", "-d", "@\(file)")
    #expect(output.status == 0, "\(output.errorText)")
    #expect(try await server.counts()["refreshes"] == 1)
    try await server.expectNothingWrong()
  }

  @Test("A request in a session that the server ended exits 4 and writes the answer")
  func ended() async throws {
    let server = try await StrictServer()
    let home = try AcctHome()
    let added = try await home.importing(try await server.issue(["dpop": true]))
    try #require(added.status == 0, "\(added.errorText)")
    try await server.control("end")
    let output = try await home.acct("request", "\(server.resource)/resource", "-i")
    #expect(output.status == 4, "\(output.errorText)")
    #expect(output.text.hasPrefix("HTTP/1.1 401 Unauthorized\r\n"))
    #expect(output.errorText.contains("sign in again"))
  }

  @Test("A 429 without --retry is the answer and says how long to wait")
  func limited() async throws {
    let server = try await FlowServer()
    let url = "\(server.url)/flaky/1/429?Retry_After=0"
    let output = try await server.home().acct("request", url)
    #expect(output.status == 9)
    #expect(output.text == "no: 429\n")
    #expect(output.errorText.contains("hint: try again now; --retry N waits and tries again"))
    #expect(try await server.seen("/flaky/1/429") == 1)
  }

  @Test("A 429 or 5xx with --retry is retried as often as it says", arguments: ["429", "503"])
  func retried(_ status: String) async throws {
    let server = try await FlowServer()
    let home = try await server.home()
    let url = "\(server.url)/flaky/2/\(status)?Retry_After=0"
    let tooFew = try await home.acct("request", url, "--retry", "1")
    #expect(tooFew.status == (status == "429" ? 9 : 11))
    #expect(tooFew.text == "no: \(status)\n")
    #expect(try await server.seen("/flaky/2/\(status)") == 2)
    let enough = "\(server.url)/flaky/2/\(status)?Retry_After=0&again"
    _ = try await home.request([enough, "--retry", "2"])
  }

  @Test("A POST is repeated after 429 and not after 5xx, whose effect is unknown")
  func notIdempotent() async throws {
    let server = try await FlowServer()
    let home = try await server.home()
    let failed = try await home.acct("request", "\(server.url)/flaky/1/500?Retry_After=0", "-d", "x", "--retry", "3")
    #expect(failed.status == 11)
    #expect(try await server.seen("/flaky/1/500") == 1)
    let limited = try await home.request(["\(server.url)/flaky/1/429?Retry_After=0", "-d", "x", "--retry", "3"])
    #expect(limited["length"] == 1)
  }
}
