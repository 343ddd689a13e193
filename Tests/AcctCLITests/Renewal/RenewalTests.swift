import AcctModel
import Secrets
import AcctPorts
import AcctTestSupport
import StrictJSON
import Synchronization
import Testing

/// An authorization server in memory, whose token endpoint answers as a test says.
final class FakeIssuer: Sendable {
  static let issuer = "https://issuer.example"
  private let answers: Mutex<[Result<HTTPResponse, HTTPFailure>]>

  init(_ answers: Result<HTTPResponse, HTTPFailure>...) { self.answers = Mutex(answers) }

  func respond(_ request: HTTPRequest) throws(HTTPFailure) -> HTTPResponse {
    if request.url.path == "/.well-known/oauth-authorization-server" {
      return .json(
        #"{"issuer":"https://issuer.example","token_endpoint":"https://issuer.example/token"}"#
      )
    }
    return try answers.withLock { $0.isEmpty ? .success(.json("{}", 500)) : $0.removeFirst() }.get()
  }
}

extension HTTPResponse {
  static func json(_ body: String, _ status: Int = 200, _ fields: (String, String)...) -> HTTPResponse {
    HTTPResponse(status: status, fields: [("Content-Type", "application/json")] + fields, body: Secret(body))
  }
}

@Suite("Renewal")
struct RenewalTests {
  let record = RecordedWorld()

  static let renewed = HTTPResponse.json(
    #"{"access_token":"new","token_type":"Bearer","expires_in":3600,"refresh_token":"r2"}"#
  )

  /// An account with a refresh token, and `left` seconds on its token.
  private func account(left: Int64, _ answers: Result<HTTPResponse, HTTPFailure>...) async {
    let handoff = Handoffs.bearer(changing: ["refresh_token": "r1", "clientId": "client"])
    #expect(await record.add(handoff) == 0)
    record.now += 3600 - left
    let issuer = FakeIssuer()
    let queue = Mutex(answers)
    record.serve { request throws(HTTPFailure) in
      guard request.url.path == "/token" else { return try issuer.respond(request) }
      return try queue.withLock { $0.isEmpty ? .success(.json("{}", 500)) : $0.removeFirst() }.get()
    }
  }

  /// The refresh token and the access token in the keyring.
  private var kept: [String?] {
    let items = record.keyring.items.values.first
    return [items?[.refreshToken], items?[.accessToken]].map { secret in
      secret?.withBytes { span in String(decoding: span.indices.map { span[$0] }, as: UTF8.self) }
    }
  }

  private var note: JSON? {
    record.filesText.split(separator: "\n").lazy
      .compactMap { try? JSON(parsing: Array($0.utf8)).objectValue?["renewalStartedAt"] }.first
  }

  @Test("A token with five minutes left is renewed, and the new one is printed")
  func renews() async {
    await account(left: 300, .success(Self.renewed))
    #expect(await record.acct("token") == 0)
    #expect(record.out == "new\n")
    #expect(record.err.isEmpty)
    #expect(kept == ["r2", "new"])
    #expect(note == .null)
    let form = record.requests.last?.body.map { body in
      body.withBytes { span in String(decoding: span.indices.map { span[$0] }, as: UTF8.self) }
    }
    #expect(form == "grant_type=refresh_token&refresh_token=r1&client_id=client")
  }

  @Test("A renewal by another process between two reads never pairs an old token with a new time")
  func meanwhile() async {
    await account(left: -1, .success(Self.renewed))
    let expiry = Timestamp(clamped: record.now + 3600).description
    let keyring = record.keyring
    keyring.interruptNextRead {
      keyring.put(.refreshToken, Secret("r9"))
      keyring.put(.accessToken, Secret("renewed-elsewhere"))
      keyring.put(.expiresAt, Secret(expiry))
    }
    #expect(await record.acct("token") == 0)
    #expect(record.out == "renewed-elsewhere\n")
    #expect(record.requests.isEmpty)
  }

  @Test("A renewal reads the keyring twice: to see that it is due, and under the lock")
  func reads() async {
    await account(left: 300, .success(Self.renewed))
    record.keyring.holdReads {}
    #expect(await record.acct("token") == 0)
    #expect(record.keyring.heldReads == 2)
  }

  @Test("A renewal after a rejected request reads the keyring once more than the request")
  func readsOfRequest() async {
    await account(left: 900)
    let issuer = FakeIssuer(.success(Self.renewed))
    record.serve { request throws(HTTPFailure) in
      guard request.url.path == "/things" else { return try issuer.respond(request) }
      return request.carries(bearer: "new") ? .json("{}") : .json("{}", 401)
    }
    record.keyring.holdReads {}
    #expect(await record.acct("request", "\(FakeIssuer.issuer)/things") == 0)
    #expect(record.keyring.heldReads == 2)
  }

  @Test("A request that was rejected with a token that is no longer stored renews nothing")
  func refusedMeanwhile() async {
    await account(left: 900)
    record.serve { [keyring = record.keyring] request throws(HTTPFailure) in
      #expect(request.url.path == "/things")
      if request.carries(bearer: "renewed-elsewhere") { return .json("{}") }
      // Another process's renewal, whose token ends when this one would have.
      keyring.put(.accessToken, Secret("renewed-elsewhere"))
      return .json("{}", 401)
    }
    #expect(await record.acct("request", "\(FakeIssuer.issuer)/things") == 0)
    #expect(record.requests.count == 2)
  }

  @Test("A request that is rejected with the token of another process, too, renews that one")
  func refusedTwice() async {
    await account(left: 900)
    let issuer = FakeIssuer(.success(Self.renewed))
    record.serve { [keyring = record.keyring] request throws(HTTPFailure) in
      guard request.url.path == "/things" else { return try issuer.respond(request) }
      if request.carries(bearer: "new") { return .json("{}") }
      // All of the user's tokens end at once.
      keyring.put(.accessToken, Secret("renewed-elsewhere"))
      return .json("{}", 401)
    }
    #expect(await record.acct("request", "\(FakeIssuer.issuer)/things") == 0)
    #expect(record.requests.count { $0.url.path == "/things" } == 3)
  }

  @Test("A token with more than five minutes left is not renewed")
  func notDue() async {
    await account(left: 301)
    #expect(await record.acct("token") == 0)
    #expect(record.requests.isEmpty)
  }

  @Test("A renewal keeps the old refresh token if the server sends no new one")
  func notRotated() async {
    let answer = HTTPResponse.json(#"{"access_token":"new","token_type":"Bearer"}"#)
    await account(left: -1, .success(answer))
    #expect(await record.acct("token") == 0)
    #expect(kept == ["r1", "new"])
  }

  @Test("A bound account that is answered with a bearer token keeps the session that came with it")
  func otherType() async {
    let handoff = Handoffs.dpop(changing: ["issuer": "https://as.example", "clientId": "client"])
    #expect(await record.add(handoff) == 0)
    let server = RecordedServer(record, tokens: RecordedServer.tokens("b"))
    #expect(await record.acct("refresh", "--force") == 11)
    #expect(record.err.first?.contains("a token of type Bearer") == true, "\(record.err)")
    #expect(kept.first == "rt-b-long-enough")
    #expect(kept.last != "at-b-long-enough")
    #expect(note == .null)
    server.set("/token", RecordedServer.tokens("c", ["token_type": "DPoP"]))
    #expect(await record.acct("refresh", "--force") == 0, "\(record.err)")
    #expect(server.bodies("/token").last?.contains("refresh_token=rt-b-long-enough&") == true)
    #expect(kept == ["rt-c-long-enough", "at-c-long-enough"])
  }

  @Test("The option --offline uses the time left with a notice, and an expired token needs the network")
  func offline() async {
    await account(left: 60)
    #expect(await record.acct("token", "--offline") == 0)
    #expect(record.out == "opaque-bob\n")
    #expect(record.err.count == 1)
    record.now += 60
    #expect(await record.acct("token", "--offline") == 4)
    #expect(
      record.err.first?.hasSuffix("has expired, and --offline does not allow renewing it") == true
    )
    #expect(record.err.last == "acct: hint: leave out --offline")
    #expect(record.requests.isEmpty)
  }

  @Test("The option --min-valid requires more time than the buffer")
  func minimum() async {
    await account(left: 900, .success(Self.renewed))
    #expect(await record.acct("token", "--min-valid", "600") == 0)
    #expect(record.out == "opaque-bob\n")
    #expect(await record.acct("token", "--min-valid", "901") == 0)
    #expect(record.out == "new\n")
  }

  /// The failure, the exit status, and whether the server may have spent the token.
  static let faults: [(String, Result<HTTPResponse, HTTPFailure>, Int32, Bool)] = [
    ("500", .success(.json("{}", 500)), 11, true),
    ("503 with Retry-After", .success(.json("{}", 503, ("Retry-After", "120"))), 11, true),
    ("429", .success(.json("{}", 429)), 9, false),
    ("reset", .failure(.closed), 10, true),
    ("time-out", .failure(.timedOut), 10, true),
    ("nobody there", .failure(.unreachable(reason: "connection refused")), 10, false),
    ("no such name", .failure(.unresolved(host: "issuer.example")), 10, false),
    ("a bad certificate", .failure(.untrusted(reason: "expired")), 10, false),
    ("truncated JSON", .success(.json(#"{"access_token":"n"#)), 11, true),
    (
      "HTML with 200",
      .success(HTTPResponse(status: 200, fields: [("Content-Type", "text/html")], body: Secret("<p>"))), 11, true
    ),
    ("an endless body", .failure(.tooLarge(limit: 1 << 20)), 11, true),
    ("an empty 403", .success(HTTPResponse(status: 403, fields: [], body: Secret(""))), 11, false),
    (
      "a redirect elsewhere",
      .success(HTTPResponse(status: 307, fields: [("Location", "https://evil.test/")], body: Secret(""))), 11, false
    ),
    ("a DPoP token for a bearer account", .success(.json(#"{"access_token":"n","token_type":"DPoP"}"#)), 11, true),
  ]

  @Test("A token not yet expired is used with a notice if its renewal fails", arguments: faults)
  func faultBeforeTheEnd(what: String, answer: Result<HTTPResponse, HTTPFailure>, status: Int32, isOpen: Bool) async {
    await account(left: 60, answer)
    #expect(await record.acct("token") == 0)
    #expect(record.out == "opaque-bob\n")
    #expect(record.err.count == 1)
    #expect(kept == ["r1", "opaque-bob"])
  }

  @Test("An expired token whose renewal fails is an error, and the next call renews it", arguments: faults)
  func faultAfterTheEnd(what: String, answer: Result<HTTPResponse, HTTPFailure>, status: Int32, isOpen: Bool) async {
    await account(left: -1, answer, .success(Self.renewed))
    #expect(await record.acct("token") == status, "\(what)")
    #expect(record.out.isEmpty)
    #expect(kept == ["r1", "opaque-bob"])
    #expect((note != .null) == isOpen, "\(what)")
    #expect(await record.acct("status", "--json") == 0)
    #expect(record.json?.objectValue?["account"]?.objectValue?["state"] == "expiring")
    #expect(await record.acct("token") == 0)
    #expect(record.out == "new\n")
    #expect(note == .null)
  }

  @Test("Only the server's invalid_grant in a renewal requires a new sign-in")
  func invalidGrant() async {
    let answer = HTTPResponse.json(
      #"{"error":"invalid_grant","error_description":"token was revoked"}"#,
      400
    )
    await account(left: 60, .success(answer))
    #expect(await record.acct("token") == 4)
    #expect(record.err.first?.contains("token was revoked") == true)
    #expect(kept == ["r1", "opaque-bob"])
    #expect(await record.acct("status", "--json") == 4)
    let account = record.json?.objectValue?["account"]?.objectValue
    #expect(account?["state"] == "reauthRequired")
    #expect(account?["reason"] == "token was revoked")
    let sent = record.requests.count
    #expect(await record.acct("token") == 4)
    #expect(record.requests.count == sent)
  }

  @Test("A new sign-in of the same identity clears the server's invalid_grant")
  func signInClears() async {
    await account(left: 60, .success(.json(#"{"error":"invalid_grant"}"#, 400)))
    #expect(await record.acct("token") == 4)
    #expect(await record.add(Handoffs.bearer(changing: ["clientId": "client"])) == 0)
    #expect(await record.acct("token") == 0)
  }

  @Test("A renewal says that an earlier one was interrupted if its answer was lost")
  func interrupted() async {
    await account(left: -1, .failure(.closed), .success(.json(#"{"error":"invalid_grant"}"#, 400)))
    #expect(await record.acct("token") == 10)
    #expect(await record.acct("token") == 4)
    #expect(record.err.first?.contains("interrupted") == true)
  }

  @Test("A renewal sends nothing while the keyring can't be written")
  func keyringFirst() async {
    await account(left: -1, .success(Self.renewed))
    record.keyring.lock()
    #expect(await record.acct("token") == 6)
    #expect(record.requests.allSatisfy { $0.url.path != "/token" })
  }

  @Test("The command refresh succeeds for a token that can't be renewed and is not due")
  func notRenewable() async {
    #expect(await record.add(Handoffs.bearer()) == 0)
    #expect(await record.acct("refresh") == 0)
    #expect(record.err == ["acct: bob.example.com is not due"])
    #expect(await record.acct("refresh", "--force") == 4)
  }

  @Test("The command refresh renews a due token, --force any token, --all every account")
  func refresh() async {
    await account(left: 900, .success(Self.renewed), .success(.json("{}", 500)))
    #expect(await record.acct("refresh") == 0)
    #expect(record.requests.isEmpty)
    #expect(await record.acct("refresh", "--force") == 0)
    #expect(kept == ["r2", "new"])
    #expect(await record.acct("refresh", "--all", "--force") == 11)
    #expect(await record.acct("refresh", "--all") == 0)
  }

  @Test("The command refresh --all --json prints the result of each account")
  func refreshAllJSON() async {
    await account(left: 900, .success(.json("{}", 500)))
    #expect(await record.add(Handoffs.bearer("carol")) == 0)
    #expect(await record.acct("refresh", "--all", "--force", "--json") == 11)
    #expect(record.err.isEmpty)
    let outcomes = record.json?.objectValue?["accounts"]?.arrayValue?.map(\.objectValue)
    #expect(outcomes?.map { $0?["result"] } == ["failed", "cannotRenew"])
    #expect(outcomes?.last??["name"] == "carol.example.com")
    #expect(outcomes?.last??["error"] == .null)
    let error = outcomes?.first??["error"]?.objectValue
    #expect(error?.names == ["code", "message", "hint", "exit"])
    #expect(error?["exit"] == 11)
    #expect(await record.acct("refresh", "--all", "--json") == 0)
    #expect(
      record.json?.objectValue?["accounts"]?.arrayValue?.map { $0.objectValue?["result"] } == ["notDue", "notDue"]
    )
  }

  @Test("The command refresh --all ends with the accounts that need a new sign-in")
  func refreshAllPerson() async {
    await account(left: 900, .success(Self.renewed))
    #expect(await record.add(Handoffs.bearer("carol")) == 0)
    #expect(await record.acct("refresh", "--all", "--force") == 0)
    #expect(record.err.last == "acct: sign in again with `acct login carol.example.com`")
  }
}

extension HTTPRequest {
  /// Whether it carries a bearer token.
  func carries(bearer token: String) -> Bool {
    fields.contains { $0.name == "Authorization" && $0.value == Secret("Bearer \(token)") }
  }
}
