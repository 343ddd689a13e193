import AcctModel
import AcctPorts
import AcctTestSupport
import StrictJSON
import Testing

/// The words that people read of a state, beside the time that they read with it.
@Suite("The words for a state")
struct StateTextTests {
  let record = RecordedWorld()

  private var state: JSON? { record.json?.objectValue?["account"]?.objectValue?["state"] }

  @Test("A token that can't be renewed is valid to its end, and says what follows")
  func toItsEnd() async {
    #expect(await record.add(Handoffs.bearer(changing: ["expires_in": 300])) == 0)
    #expect(await record.acct("list") == 0)
    #expect(record.out.contains("  valid  in 5 min, then sign in\n"))
    #expect(await record.acct("status") == 0)
    #expect(await record.acct("token") == 0)

    record.now += 300
    #expect(await record.acct("status", "--json") == 4)
    #expect(state == "expired")
    #expect(await record.acct("list") == 0)
    #expect(record.out.contains("  expired  now\n"))
    #expect(await record.acct("token") == 4)
    #expect(record.err.first == "acct: the session of bob.example.com has expired")
  }

  @Test("A token with less time than requested is not used for that, and is still valid")
  func tooMuchAsked() async {
    #expect(await record.add(Handoffs.bearer()) == 0)
    #expect(await record.acct("token", "--min-valid", "3600") == 4)
    #expect(
      record.err.first?.hasSuffix("less time left than requested, and can't be renewed") == true
    )
    #expect(await record.acct("list") == 0)
    #expect(record.out.contains("  valid  in 1 h, then sign in\n"))
  }

  @Test("A token that can be renewed is due before its end and after it", arguments: [120, -7200])
  func due(left: Int64) async {
    #expect(await record.add(Handoffs.bearer(changing: ["refresh_token": "r"])) == 0)
    record.now += 3600 - left
    #expect(await record.acct("list") == 0)
    #expect(record.out.contains("  due    \(left > 0 ? "in 2 min, renews itself" : "2 h ago")\n"))
    #expect(await record.run([]) == 0)
    #expect(record.out.contains("is active: due, its token expire"))
    #expect(await record.acct("status", "--json") == 0)
    #expect(state == "expiring")
  }

  @Test("A session that its server has ended is shown without a time")
  func over() async throws {
    let handoff = Handoffs.bearer(changing: ["refresh_token": "r", "clientId": "client"])
    #expect(await record.add(handoff) == 0)
    record.serve { request throws(HTTPFailure) in
      request.url.path == "/token"
        ? .json(#"{"error":"invalid_grant"}"#, 400)
        : .json(
          #"{"issuer":"https://issuer.example","token_endpoint":"https://issuer.example/token"}"#
        )
    }
    #expect(await record.acct("refresh", "--force") == 4)
    #expect(await record.acct("list") == 0)
    #expect(record.out.contains("  sign in again  -\n"))
  }
}
