import AcctModel
import AcctPorts
import AcctTestSupport
import Secrets
import StrictJSON
import Testing

/// The end of a session has many spellings, and every command tells the same of it.
@Suite("The end of a session")
struct SessionEndTests {
  private let record = RecordedWorld()

  /// An account whose token has a minute left, at a server that answers with these.
  private func account(_ answers: HTTPResponse...) async -> RotatingServer {
    #expect(await record.addRenewable())
    record.now += 3540
    return RotatingServer(record, "r1", answers.map { ($0, "r1") })
  }

  private static func answer(_ status: Int, _ type: String, _ body: String) -> HTTPResponse {
    HTTPResponse(status: status, fields: [("Content-Type", type)], body: Secret(body))
  }

  private func told(_ line: String) -> Bool { record.err.contains { $0.contains(line) } }

  /// Every command says that the session has ended, in these words.
  private func expectEnd(_ words: String, at server: RotatingServer) async {
    let asked = server.asked
    let login = "acct login bob.example.com"
    #expect(await record.acct("token") == 4)
    #expect(told("the server has ended the session of bob.example.com: \(words)") && told(login), "\(record.err)")
    #expect(await record.acct("header", "https://issuer.example/") == 4)
    #expect(told(words) && told(login), "\(record.err)")
    #expect(await record.acct("status", "--json") == 4)
    let account = record.json?.objectValue?["account"]?.objectValue
    #expect(account?["state"] == "reauthRequired")
    #expect(account?["reason"]?.stringValue == words)
    #expect(await record.acct("status") == 4)
    #expect(record.out.contains(words), "\(record.out)")
    #expect(await record.acct("list", "--json") == 0)
    #expect(record.out.contains(#""state":"reauthRequired""#) && record.out.contains(words))
    #expect(await record.acct("metrics") == 0)
    #expect(
      record.out.split(separator: "\n").contains { $0.hasPrefix("acct_account_needs_sign_in{") && $0.hasSuffix(" 1") }
    )
    #expect(await record.acct("log", "--json") == 0)
    #expect(record.out.contains(#""event":"renewalRefused""#))
    _ = await record.acct("doctor", "--offline")
    #expect(record.out.contains(words) || told(words), "\(record.out)")
    // Nothing is deleted, and nothing was asked.
    #expect(server.asked == asked)
    #expect(record.keyring.items.values.first?[.refreshToken] == Secret("r1"))
    #expect(record.keyring.items.values.first?[.accessToken] != nil)
  }

  @Test(
    "A refusal for good is the end, whatever the server calls it",
    arguments: [
      (
        200, "application/json", #"{"error":"bad_refresh_token","error_description":"at its end"}"#,
        "bad_refresh_token: at its end"
      ),
      (
        400, "application/json",
        #"{"errors":[{"errorType":"invalid_grant","message":"sign in once more"}],"success":false}"#,
        "sign in once more"
      ),
      (400, "text/plain; charset=utf-8", #"{"error":"invalid_grant"}"#, "the refresh token is no longer valid"),
      (400, "application/json", #"{"error":"interaction_required"}"#, "interaction_required"),
      (500, "text/html", #"{"error":{"code":"session_not_found","message":"none"}}"#, "session_not_found: none"),
      (
        400, "application/json", #"{"error":"invalid_request","error_description":"no such refresh token"}"#,
        "invalid_request: no such refresh token"
      ),
    ]
  )
  func spellings(status: Int, type: String, body: String, words: String) async {
    let server = await account(Self.answer(status, type, body))
    #expect(await record.acct("refresh") == 4)
    await expectEnd(words, at: server)
  }

  @Test(
    "The same refusal twice, a minute or more apart, is the end",
    arguments: [
      (403, #"{"error":"device_removed","error_description":"its owner did it"}"#, "device_removed: its owner did it"),
      (400, #"{"error":"invalid_request"}"#, "invalid_request"), (404, "", "it answered 404"),
    ]
  )
  func twice(status: Int, body: String, words: String) async {
    let refusal = Self.answer(status, "application/json", body)
    let server = await account(refusal, refusal, refusal)
    #expect(await record.acct("refresh") == 11)
    #expect(await record.acct("status", "--json") == 0)
    #expect(record.json?.objectValue?["account"]?.objectValue?["state"] == "expiring")
    #expect(record.out.contains(words), "\(record.out)")
    record.now += 30
    #expect(await record.acct("refresh") == 11)
    #expect(await record.acct("metrics") == 0)
    #expect(
      record.out.split(separator: "\n").contains { $0.hasPrefix("acct_account_needs_sign_in{") && $0.hasSuffix(" 0") }
    )
    record.now += 31
    #expect(await record.acct("refresh") == 4)
    await expectEnd(words, at: server)
  }

  @Test("A refusal in a sentence alone is the same with another number in it")
  func sentences() async {
    let answers = [1, 2].map { Self.answer(403, "application/json", #"{"message":"device removed (ref \#($0))"}"#) }
    _ = await account(answers[0], answers[1])
    #expect(await record.acct("refresh") == 11)
    record.now += 61
    #expect(await record.acct("refresh") == 4)
    #expect(told("device removed (ref 2)"), "\(record.err)")
  }

  @Test("The same refusal of client credentials twice, a minute or more apart, is the end of their account, too")
  func twiceWithoutPerson() async {
    let words = "other_error: something went wrong, there is no token"
    let body = #"{"error":"other_error","error_description":"something went wrong, there is no token"}"#
    let server = RecordedServer(record, tokens: RecordedServer.tokens("a", ["refresh_token": .null]))
    record.secretFiles["secret"] = "s3cret"
    let options = ["--client-id", "robot", "--client-secret-file", "secret", "--grant", "client-credentials"]
    #expect(await record.run(["add", "--issuer", RecordedServer.issuer] + options) == 0, "\(record.err)")
    server.set("/token", .json(body, 404))
    for status: Int32 in [11, 4] {
      #expect(await record.acct("refresh", "--force") == status, "\(record.err)")
      #expect(told(words), "\(record.err)")
      record.now += 61
    }
    #expect(await record.acct("status", "--json") == 4)
    let account = record.json?.objectValue?["account"]?.objectValue
    #expect(account?["state"] == "reauthRequired")
    #expect(account?["reason"]?.stringValue == words)
    #expect(await record.acct("list", "--json") == 0)
    #expect(record.out.contains(#""state":"reauthRequired""#) && record.out.contains(words), "\(record.out)")
    #expect(server.bodies("/token").count == 3)
  }

  @Test("The same limit, or a server that fails, is never an end")
  func passing() async {
    for answer in [
      HTTPResponse.json("{}", 429), .json("{}", 503), .json("{}", 408), .json("{}", 425),
      .json(#"{"error":"temporarily_unavailable"}"#, 400), .json(#"{"error":"invalid_dpop_proof"}"#, 400),
    ] {
      let record = RecordedWorld()
      #expect(await record.addRenewable())
      record.now += 3540
      _ = RotatingServer(record, "r1", [(answer, "r1"), (answer, "r1"), (answer, "r1")])
      for _ in 0..<3 {
        #expect(await record.acct("refresh") != 4, "\(record.err)")
        record.now += 61
      }
      #expect(await record.acct("status", "--json") == 0)
    }
  }

  @Test("The command `refresh --force` asks after an end, and a grant ends it")
  func insists() async {
    let refusal = HTTPResponse.json(#"{"error":"invalid_grant","error_description":"no"}"#, 400)
    let server = await account(refusal, refusal, RenewalTests.renewed)
    #expect(await record.acct("refresh") == 4)
    #expect(await record.acct("refresh") == 4)
    #expect(server.asked == 1)
    #expect(await record.acct("refresh", "--force") == 4)
    #expect(told("the server has ended the session of bob.example.com: no"), "\(record.err)")
    #expect(server.asked == 2)
    #expect(await record.acct("refresh", "--all", "--force") == 0, "\(record.err)")
    #expect(await record.acct("token") == 0)
    #expect(record.out == "new\n")
    #expect(await record.acct("status", "--json") == 0)
    #expect(record.json?.objectValue?["account"]?.objectValue?["state"] == "valid")
  }

  @Test("A device sign-in that is pending in the words of a session's end waits for its grant")
  func pending() async {
    let pending = HTTPResponse.json(#"{"error":"invalid_grant","error_description":"authorization_pending"}"#, 400)
    let server = RecordedServer(record, tokens: pending, pending, RecordedServer.tokens("a"))
    #expect(await record.addDevice() == 0, "\(record.err)")
    #expect(server.bodies("/token").count == 3)
    #expect(await record.acct("token") == 0)
    #expect(record.out == "at-a-long-enough\n")
  }

  @Test("A device sign-in that is declined ends with 4, in the server's words")
  func declined() async {
    for body in [
      #"{"error":"authorization_declined","error_description":"the user declined"}"#,
      #"{"error":"invalid_grant","error_description":"the user declined"}"#,
    ] {
      let record = RecordedWorld()
      let server = RecordedServer(record, tokens: Self.answer(400, "text/plain", body))
      #expect(await record.addDevice() == 4, "\(record.err)")
      #expect(record.err.contains { $0.contains("the user declined") }, "\(record.err)")
      #expect(server.bodies("/token").count == 1)
    }
  }

  @Test("A device sign-in whose code expired ends with 4")
  func expired() async {
    _ = RecordedServer(record, tokens: .json(#"{"error":"code_expired"}"#, 400))
    #expect(await record.addDevice() == 4, "\(record.err)")
    #expect(told("the code expired before it was entered"), "\(record.err)")
  }
}
