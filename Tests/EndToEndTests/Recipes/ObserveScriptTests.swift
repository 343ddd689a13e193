import AcctTestSupport
import StrictJSON
import Testing

/// `Examples/observe.sh`: plain curl, with what each answer taught.
@Suite("Plain curl with rotating nonces")
struct ObserveScriptTests {
  @Test("100 requests with curl need one retry, for the first, and 100 more need none")
  func rotation() async throws {
    // Every nonce is good for three requests, then for one, and worth nothing afterwards.
    let server = try await StrictServer(["nonce_uses": 3, "nonce_keep": 0, "nonce_seconds": 0])
    let home = try AcctHome()
    let added = try await home.importing(try await server.issue(["dpop": true]))
    try #require(added.status == 0, "\(added.errorText)")
    for tries in [1, 0] {
      let script = home.script("Examples/observe.sh", "\(server.resource)/resource")
      let output = try await script.run(limit: .seconds(300))
      #expect(output.status == 0, "\(output.errorText)")
      #expect(output.text == "100 requests, \(tries) of them asked twice\n")
      try await server.set(["nonce_uses": 1])
    }
    let counts = try await server.counts()
    #expect(counts["resources"] == 200)
    #expect(counts["nonce_challenges"] == 1)
    try await server.expectNothingWrong()
  }
}
