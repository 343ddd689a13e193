import AcctTestSupport
import StrictJSON
import Testing

@Suite("What acct request does once more")
struct RequestRetryTests {
  @Test("a request that wants a nonce, once; the next one knows it")
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

  @Test("a request whose nonce is never right is not made a third time")
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

  @Test("a request whose token is refused, after one renewal")
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

  @Test("a session that the server has ended exits 4, with its answer written")
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

  @Test("429 is the answer without --retry, and says how long to wait")
  func limited() async throws {
    let server = try await FlowServer()
    let url = "\(server.url)/flaky/1/429?Retry_After=0"
    let output = try await server.home().acct("request", url)
    #expect(output.status == 9)
    #expect(output.text == "no: 429\n")
    #expect(output.errorText.contains("hint: try again now; --retry N waits and tries again"))
    #expect(try await server.seen("/flaky/1/429") == 1)
  }

  @Test("429 and 5xx are waited for with --retry, so often and no more", arguments: ["429", "503"])
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

  @Test("POST is repeated after 429, and not after 5xx: nobody knows what it did")
  func notIdempotent() async throws {
    let server = try await FlowServer()
    let home = try await server.home()
    let failed = try await home.acct(
      "request",
      "\(server.url)/flaky/1/500?Retry_After=0",
      "-d",
      "x",
      "--retry",
      "3"
    )
    #expect(failed.status == 11)
    #expect(try await server.seen("/flaky/1/500") == 1)
    let limited = try await home.request([
      "\(server.url)/flaky/1/429?Retry_After=0", "-d", "x", "--retry", "3",
    ])
    #expect(limited["length"] == 1)
  }
}
