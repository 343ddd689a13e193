import Release
import AcctEngine
import AcctModel
import Secrets
import AcctPorts
import AcctProtocol
import StrictJSON
import Testing

/// Every answer to every kind of renewal, without a server: what is done next, and what the account says then.
@Suite("The renewal of tokens")
struct RenewalStateMachineTests {
  /// Renewals, by the columns of the table.
  enum Kind: String {
    /// With a refresh token, and no other form.
    case own
    /// After one whose answer was never stored.
    case again
    /// For another purpose.
    case second
    /// By a grant that is requested anew.
    case direct
  }

  /// The step, and in brackets what differs in the account: "note" for that of a renewal in flight, "ended".
  static let table = """
    answer        own               again             second            direct
    tokens        store             store             store             store
    blemished     store             store             store             store
    unusable      token             token             token             fail
    bearer        token             token             token             fail
    identity      token             token             token             store
    ended         fail[ended]       fail[ended]       fail              fail
    end           fail[ended]       fail[ended]       fail              fail[refused]
    unknown       fail[refused]     fail[note+refused] fail             fail[refused]
    unexplained   fail[refused]     fail[note+refused] fail             fail[refused]
    proof         fail              fail[note]        fail              fail
    408           fail[note]        fail[note]        fail[note]        fail
    scope         fail[refused]     fail[note+refused] fail             fail[refused]
    client        fail[refused]     fail[note+refused] fail             fail[refused]
    busy          fail              fail[note]        fail              fail
    500           fail[note]        fail[note]        fail[note]        fail
    page          fail[note]        fail[note]        fail[note]        fail
    unreachable   fail              fail[note]        fail              fail
    timeout       fail[note]        fail[note]        fail[note]        fail
    """

  static let rows = table.split(separator: "\n").dropFirst().map { $0.split(separator: " ").map(String.init) }

  @Test("An answer has one consequence", arguments: rows)
  func consequence(row: [String]) throws {
    for (kind, expected) in zip([Kind.own, .again, .second, .direct], row.dropFirst()) {
      var machine = try machine(kind, forms: ["form"])
      guard case .send("form") = machine.begin() else {
        Issue.record("\(kind): the form is not sent")
        continue
      }
      #expect(machine.account.renewalStartedAt == now)
      #expect(words(try take(row[0], &machine), machine.account) == expected, "\(row[0]), \(kind)")
    }
  }

  @Test("A second token's request is followed by the next form if its scope is rejected, and else by none")
  func secondForms() throws {
    for row in Self.rows {
      var machine = try machine(.second, forms: ["scoped", "plain"])
      _ = machine.begin()
      let step = try take(row[0], &machine)
      #expect(isSending(step) == (row[0] == "scope"), "\(row[0])")
    }
  }

  @Test("A rejected request is followed by the next form, and no other answer is")
  func forms() throws {
    for row in Self.rows {
      var machine = try machine(.own, forms: ["named", "plain"])
      guard case .send("named") = machine.begin() else {
        Issue.record("the first form is not sent")
        continue
      }
      let step = try take(row[0], &machine)
      guard ["end", "unknown", "unexplained", "proof", "scope"].contains(row[0]) else {
        #expect(!isSending(step), "\(row[0])")
        continue
      }
      #expect(isSending(step))
      #expect(machine.account.renewalStartedAt == now)
      #expect(words(try take("scope", &machine), machine.account) == "fail[refused]")
    }
  }

  @Test("The tokens of another user end the session, and none is stored")
  func otherUser() throws {
    var machine = try machine(.own, forms: ["form"])
    _ = machine.begin()
    let step = machine.take(try outcome(200, Self.tokens(["sub": "did:plc:mallory"])), at: now)
    #expect(words(step, machine.account) == "fail[ended]")
  }

  @Test("The same refusal ends the session if it comes again a minute later, and not before")
  func sameRefusal() throws {
    let first: JSONObject = ["error": "device_removed", "error_description": "trace 1"]
    let second: JSONObject = ["error": "device_removed", "error_description": "trace 2"]
    for kind in [Kind.own, .direct] {
      var account = try machine(kind, forms: ["form"]).account
      func renew(_ status: Int, _ object: JSONObject, after seconds: Int64) throws -> String {
        account.renewalStartedAt = nil
        var machine = try machine(kind, forms: ["form"], of: account)
        _ = machine.begin()
        let step = machine.take(try outcome(status, object), at: now.adding(seconds: seconds))
        account = machine.account
        return words(step, account)
      }
      #expect(try renew(403, first, after: 0) == "fail[refused]")
      #expect(try renew(403, second, after: 59) == "fail[refused]")
      // Another one begins anew.
      #expect(try renew(400, second, after: 70) == "fail[refused]")
      #expect(try renew(403, ["error": "other"], after: 140) == "fail[refused]")
      #expect(try renew(429, [:], after: 210) == "fail[refused]")
      #expect(try renew(500, [:], after: 220).hasPrefix("fail["))
      #expect(try renew(403, ["error": "other", "error_description": "gone"], after: 230) == "fail[ended]")
      #expect(account.recordedState.reason == "other: gone")
      // A grant after all, which the user has insisted on: see `Renewal.items`.
      #expect(try renew(200, Self.tokens(), after: 300) == "store[ended]")
    }
  }

  @Test("A grant between two refusals makes the second one the first")
  func grantBetween() throws {
    var account = try machine(.own, forms: ["form"]).account
    account.renewalStartedAt = nil
    let first = account.noteRefusedRenewal(Doubt(status: 403, code: "device_removed", at: now), "device_removed")
    account.noteRenewal()
    #expect(account.recordedState == .signedIn)
    let later = Doubt(status: 403, code: "device_removed", at: now.adding(seconds: 99))
    let second = account.noteRefusedRenewal(later, "device_removed")
    #expect(!first && !second)
    #expect(account.recordedState.doubt == later)
  }

  @Test("A session that ends after an answer that could not be stored was not interrupted")
  func unstored() throws {
    var machine = try machine(.own, forms: ["form"])
    _ = machine.begin()
    _ = machine.take(try outcome(200, nil), at: now)
    #expect(machine.account.renewalStartedAt != nil)
    var next = try self.machine(.own, forms: ["form"], of: machine.account)
    _ = next.begin()
    _ = next.take(try outcome(400, ["error": "invalid_grant", "error_description": "used"]), at: now)
    #expect(
      next.account.recordedState.reason
        == "the answer to an earlier renewal could not be stored, and used"
    )
    // One that was not answered before, too, was interrupted.
    var lost = try self.machine(.again, forms: ["form"])
    _ = lost.begin()
    _ = lost.take(try outcome(200, nil), at: now)
    var last = try self.machine(.own, forms: ["form"], of: lost.account)
    _ = last.begin()
    _ = last.take(try outcome(400, ["error": "invalid_grant"]), at: now)
    #expect(last.account.recordedState.reason?.contains("interrupted") == true)
  }

  private let now: Timestamp
  private let origin: Origin

  init() throws {
    now = try #require(Timestamp(secondsSince1970: 1_800_000_000))
    origin = try Origin("https://as.example")
  }

  private func machine(
    _ kind: Kind,
    forms: [String],
    of known: Account? = nil
  ) throws -> RenewalStateMachine<String> {
    var client = ClientSettings.standard
    if kind == .direct { client.grant = .clientCredentials }
    var account = Account(
      id: try AccountID("0d1c2b3a-0000-4000-8000-000000000001"),
      name: try AccountName("alice"),
      kind: .oauth,
      tokenType: .dpop,
      identity: Identity(subject: "did:plc:alice", issuer: try Issuer("https://as.example"), clientID: "client"),
      subjectStatements: SubjectStatements(idToken: "alice"),
      source: .issuer,
      did: try DID("did:plc:alice"),
      issuerSource: .did,
      origins: OwnOrigins(),
      client: client,
      tokenLifetime: TokenLifetime(expiresAt: nil, canRenew: true),
      createdAt: now
    )
    if let known { account = known }
    if kind == .again { account.renewalStartedAt = now.adding(seconds: -60) }
    return RenewalStateMachine(
      account,
      forms,
      asking: RequestRefusal.Asked(
        clientID: "client",
        method: .none,
        scope: nil,
        targets: [],
        account: account,
        isSecondToken: kind == .second
      ),
      at: origin,
      since: now,
      redacting: { $0 }
    )
  }

  private static func tokens(_ changes: JSONObject = [:]) -> JSONObject {
    var answer: JSONObject = [
      "access_token": "made-up-access-token", "token_type": "DPoP", "refresh_token": "made-up-refresh-token",
      "expires_in": 3600,
    ]
    for (name, value) in changes { answer[name] = value }
    return answer
  }

  private typealias Step = RenewalStateMachine<String>.Step

  private func take(_ answer: String, _ machine: inout RenewalStateMachine<String>) throws -> Step {
    switch answer {
    case "unreachable": machine.take(.network(.http(.unreachable(reason: "made up"), origin)))
    case "timeout": machine.take(.network(.http(.timedOut, origin)))
    case "tokens": machine.take(try outcome(200, Self.tokens()), at: now)
    case "blemished":
      machine.take(
        try outcome(
          201,
          Self.tokens(["scope": 7, "expires_in": "soon", "id_token": "", "sub": ["a"], "issued_token_type": .null])
        ),
        at: now
      )
    case "unusable": machine.take(try outcome(200, Self.tokens(["access_token": "two words"])), at: now)
    case "end": machine.take(try outcome(200, ["error": "bad_refresh_token"]), at: now)
    case "unknown": machine.take(try outcome(403, ["error": "device_removed"]), at: now)
    case "unexplained": machine.take(try outcome(400, [:]), at: now)
    case "proof": machine.take(try outcome(400, ["error": "invalid_dpop_proof"]), at: now)
    case "408": machine.take(try outcome(408, [:]), at: now)
    case "bearer": machine.take(try outcome(200, Self.tokens(["token_type": "Bearer"])), at: now)
    // An ID token without an end.
    case "identity":
      machine.take(
        try outcome(
          200,
          Self.tokens([
            "id_token": """
            eyJhbGciOiJSUzI1NiJ9.eyJpc3MiOiJodHRwczovL2FzLmV4YW1wbGUiLCJhdWQiOiJjbGllbnQiLCJzdWIiOiJhbGljZSJ9.c2ln
            """
          ])
        ),
        at: now
      )
    case "ended": machine.take(try outcome(400, ["error": "invalid_grant"]), at: now)
    case "scope": machine.take(try outcome(400, ["error": "invalid_scope"]), at: now)
    case "client": machine.take(try outcome(401, ["error": "invalid_client"]), at: now)
    case "busy": machine.take(try outcome(429, [:]), at: now)
    case "500": machine.take(try outcome(500, [:]), at: now)
    default: machine.take(try outcome(200, nil), at: now)
    }
  }

  private func outcome(_ status: Int, _ object: JSONObject?) throws -> TokenOutcome {
    let body = object.map { Secret(JSON.object($0).serialized()) } ?? Secret("<!DOCTYPE html>")
    let answer = ServerAnswer(status: status, contentType: "application/json", body: body, redacting: Redactor([]))
    return TokenOutcome(answer, boundTo: "made-up-thumbprint")
  }

  private func isSending(_ step: Step) -> Bool {
    if case .send = step { true } else { false }
  }

  private func words(_ step: Step, _ account: Account) -> String {
    let differences = [
      account.renewalStartedAt == nil ? nil : "note",
      account.recordedState.refusedRenewal == nil ? nil : "refused",
      account.recordedState.state == .reauthRequired ? "ended" : nil,
    ].compactMap(\.self)
    let verb =
      switch step {
      case .send(let form): "send-\(form)"
      case .store: "store"
      case .storeRefreshToken: "token"
      case .fail: "fail"
      }
    return differences.isEmpty ? verb : "\(verb)[\(differences.joined(separator: "+"))]"
  }
}
