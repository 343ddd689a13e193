import AcctModel
import AcctPorts
import AcctTestSupport
import StrictJSON
import Testing

/// A backend's sealed session that is due: validated, then extended, and only then over.
@Suite("A sealed session")
struct SessionRenewalTests {
  let record = RecordedWorld()

  private func backend(
    left: Int64? = 60,
    _ answers: [String: [FakeBackend.Answer]]
  ) async throws -> FakeBackend {
    try await record.plantSession(left: left)
    return FakeBackend(record, answers)
  }

  @Test("that is not due is used without a question; so is one whose end is not known")
  func notDue() async throws {
    for left in [301, nil] as [Int64?] {
      try await record.plantSession(left: left)
      #expect(await record.acct("header") == 0)
      #expect(record.out == "Cookie: sid=Fe26.2*1*old\n")
      #expect(await record.acct("header", "--bearer", "\(FakeBackend.origin)/x") == 0)
      #expect(record.out == "Authorization: Bearer Fe26.2*1*old\n")
      #expect(await record.acct("token") == 0)
      #expect(record.out == "Fe26.2*1*old\n")
    }
    #expect(await record.acct("header", "https://elsewhere.example/") == 8)
  }

  @Test("that is due and confirmed gets its new end, and what was rolled is stored at once")
  func rotated() async throws {
    let valid = FakeBackend.valid(record, rotated: "Fe26.2*1*new")
    let backend = try await backend(["session": [valid]])
    #expect(await record.acct("header") == 0)
    #expect(record.out == "Cookie: sid=Fe26.2*1*new\n")
    #expect(record.err.isEmpty)
    #expect(record.sealed == "Fe26.2*1*new")
    #expect(backend.asked == ["session"])
    #expect(try record.member("renewalStartedAt") == .null)
    #expect(try record.member("validatedAt") == "2027-01-15T08:00:00Z")
    #expect(try record.member("expiresAt") == "2027-01-16T08:00:00Z")
    let sent = record.requests.first?.fields.first { $0.name == "Cookie" }?.value
    #expect(sent == Secret("sid=Fe26.2*1*old"))
  }

  @Test("that is confirmed and still due is extended, and asked for its new end")
  func extended() async throws {
    let backend = try await backend([
      "session": [FakeBackend.valid(record, left: 60), FakeBackend.valid(record)],
      "refresh-token": [FakeBackend.extended("Fe26.2*1*new")],
    ])
    #expect(await record.acct("token") == 0)
    #expect(record.out == "Fe26.2*1*new\n")
    #expect(backend.asked == ["session", "refresh-token", "session"])
    #expect(try record.member("expiresAt") == "2027-01-16T08:00:00Z")
  }

  @Test(
    "is over for each reason of the server's, after a refresh was tried, and the reason is kept",
    arguments: ["session_invalid", "missing_did", "oauth_data_missing", "something_new"]
  )
  func over(reason: String) async throws {
    let refusal = FakeBackend.Answer.success(
      .json(#"{"success":false,"error":"Missing Authorization header"}"#, 401)
    )
    let backend = try await backend([
      "session": [FakeBackend.refused(reason)], "refresh-token": [refusal],
    ])
    #expect(await record.acct("header") == 4)
    #expect(record.err.first?.contains(reason) == true)
    #expect(record.err.last?.contains("acct add") == true)
    #expect(backend.asked == ["session", "refresh-token"])
    #expect(record.sealed == "Fe26.2*1*old")
    #expect(await record.acct("status", "--json") == 4)
    let account = record.json?.objectValue?["account"]?.objectValue
    #expect(account?["state"] == "reauthRequired")
    #expect(account?["reason"]?.stringValue?.contains(reason) == true)
    // The server's word stands: nobody asks again.
    #expect(await record.acct("header") == 4)
    #expect(backend.asked.count == 2)
  }

  @Test("that the backend refuses but can extend goes on")
  func revived() async throws {
    let backend = try await backend([
      "session": [FakeBackend.refused("session_invalid"), FakeBackend.valid(record)],
      "refresh-token": [FakeBackend.extended("Fe26.2*1*new")],
    ])
    #expect(await record.acct("header") == 0)
    #expect(record.out == "Cookie: sid=Fe26.2*1*new\n")
    #expect(backend.asked == ["session", "refresh-token", "session"])
  }

  @Test("survives one exception of the backend's, and not a second one")
  func exceptions() async throws {
    let thrown = FakeBackend.refused("exception_thrown")
    let first = try await backend(["session": [thrown, FakeBackend.valid(record)]])
    #expect(await record.acct("header") == 0)
    #expect(first.asked == ["session", "session"])
    let second = try await backend(left: -1, ["session": [thrown]])
    #expect(await record.acct("header") == 4)
    #expect(second.asked == ["session", "session", "refresh-token"])
    #expect(try record.member("standing") == "reauthRequired")
  }

  @Test("is kept where it is refused without a reason: nothing ends by that")
  func unexplained() async throws {
    let backend = try await backend(left: -1, ["session": [FakeBackend.refused(nil)]])
    #expect(await record.acct("header") == 4)
    #expect(backend.asked == ["session", "refresh-token"])
    #expect(try record.member("standing") == "signedIn")
    #expect(try record.member("renewalStartedAt") == .null)
  }

  @Test("is extended once more where that failed, and then it is time to sign in again")
  func refreshFails() async throws {
    let backend = try await backend(
      left: -1,
      [
        "session": [FakeBackend.valid(record, left: -1)],
        "refresh-token": [FakeBackend.couldNot],
      ]
    )
    #expect(await record.acct("header") == 4)
    #expect(backend.asked == ["session", "refresh-token", "session", "refresh-token"])
    #expect(record.err.contains { $0.contains("Token refresh failed") })
    #expect(record.err.last?.contains("sign in again") == true)
    #expect(try record.member("standing") == "signedIn")
    #expect(record.sealed == "Fe26.2*1*old")
  }

  @Test("of somebody else, or nonsense, changes nothing", arguments: sessionNonsense)
  func nonsense(what: String, answer: @Sendable (RecordedWorld) -> FakeBackend.Answer) async throws
  {
    let backend = try await backend(left: -1, ["session": [answer(record)]])
    let before = try record.member("expiresAt")
    #expect(await record.acct("header") == 11, "\(what): \(record.err)")
    #expect(backend.asked == ["session"])
    #expect(record.sealed == "Fe26.2*1*old")
    #expect(try record.member("expiresAt") == before)
    #expect(try record.member("standing") == "signedIn")
    #expect(try record.member("renewalStartedAt") == .null)
  }

  @Test(
    "that is rolled is kept whatever else the answer says, unless that is about somebody else",
    arguments: [
      .success(.json("{}", 503)), .success(.json(#"{"valid":true,"expiresAt":"soon"}"#)),
      .success(.json(#"{"valid":true,"did":"did:plc:alice","expiresAt":[]}"#)),
      .success(.json("<p>")), .success(.json("{}", 429)),
    ] as [FakeBackend.Answer]
  )
  func rolledBesides(answer: FakeBackend.Answer) async throws {
    var rolling = try answer.get()
    rolling.fields.append(("Set-Cookie", "sid=Fe26.2*1*new"))
    _ = try await backend(
      left: -1,
      ["session": [.success(rolling), FakeBackend.refused(nil)]]
    )
    #expect(await record.acct("header") != 0)
    #expect(record.sealed == "Fe26.2*1*new")
    #expect(try record.member("standing") == "signedIn")
  }

  @Test("follows its DID to a new handle")
  func newHandle() async throws {
    let renamed: [String: JSON] = ["handle": "a.example.org", "userHandle": .null]
    _ = try await backend(["session": [FakeBackend.valid(record, changing: renamed)]])
    #expect(await record.acct("header") == 0)
    #expect(try record.member("handle") == "a.example.org")
  }

  @Test("status --check asks, due or not, and refresh --force extends")
  func onDemand() async throws {
    let backend = try await backend(
      left: 9_000,
      [
        "session": [FakeBackend.valid(record)],
        "refresh-token": [FakeBackend.extended("Fe26.2*1*new")],
      ]
    )
    #expect(await record.acct("status", "--check", "--json") == 0)
    #expect(backend.asked == ["session"])
    #expect(
      record.json?.objectValue?["account"]?.objectValue?["validatedAt"] == "2027-01-15T08:00:00Z"
    )
    record.now += 300
    #expect(await record.acct("status") == 0)
    #expect(record.out.contains("5 min ago"))
    #expect(await record.acct("refresh") == 0)
    #expect(backend.asked == ["session"])
    #expect(await record.acct("refresh", "--force") == 0)
    #expect(backend.asked == ["session", "session", "refresh-token", "session"])
    #expect(record.sealed == "Fe26.2*1*new")
  }

  @Test("status --check shows the end that the server has just told")
  func checkEnds() async throws {
    _ = try await backend(left: 9_000, ["session": [FakeBackend.refused("session_invalid")]])
    #expect(await record.acct("status", "--check", "--json") == 4)
    let account = record.json?.objectValue?["account"]?.objectValue
    #expect(account?["state"] == "reauthRequired")
  }

  @Test("status --check --json says on standard error why nobody could be asked")
  func checkFails() async throws {
    _ = try await backend(left: 9_000, ["session": [.failure(.untrusted(reason: "no"))]])
    #expect(await record.acct("status", "--check", "--json") == 10)
    #expect(record.json?.objectValue?["account"]?.objectValue?["state"] == "valid")
    let error = try JSON(parsing: Array((record.err.last ?? "").utf8)).objectValue?["error"]
    #expect(error?["code"] == "network" && error?["exit"] == 10)
  }

  @Test("is ended at the backend by remove, and --local leaves that out")
  func removal() async throws {
    for local in [false, true] {
      let backend = try await backend(["logout": [.success(.json(#"{"success":true}"#))]])
      let status =
        local
        ? await record.acct("remove", "--local", "alice") : await record.acct("remove", "alice")
      #expect(status == 0)
      #expect(backend.asked == (local ? [] : ["logout"]))
      #expect(record.keyring.count == 0)
      #expect(record.accountFiles == 0)
    }
  }

  @Test("is removed even where the backend can't be told")
  func removalOffline() async throws {
    let backend = try await backend(["logout": [.failure(.timedOut)]])
    #expect(await record.acct("remove", "alice") == 0)
    #expect(backend.asked == ["logout"])
    #expect(record.keyring.count == 0)
  }
}

extension Result<HTTPResponse, HTTPFailure> {
  fileprivate static func foreign(
    _ record: RecordedWorld,
    _ changes: [String: JSON]
  ) -> FakeBackend.Answer {
    FakeBackend.valid(record, rotated: "Fe26.2*1*foreign", changing: changes)
  }
}

/// What a backend should not say, and what it says.
private let sessionNonsense: [(String, @Sendable (RecordedWorld) -> FakeBackend.Answer)] = [
  ("another DID", { .foreign($0, ["did": "did:plc:mallory"]) }),
  (
    "another handle without a DID",
    { .foreign($0, ["did": .null, "handle": "mallory.example.com", "userHandle": .null]) }
  ),
  ("two handles", { .foreign($0, ["userHandle": "mallory.example.com"]) }),
  ("a bad DID", { .foreign($0, ["did": "alice"]) }),
  ("a bad handle", { .foreign($0, ["handle": "-"]) }),
  ("another DID as sub", { .foreign($0, ["did": .null, "sub": "did:plc:mallory"]) }),
  ("two DIDs", { .foreign($0, ["sub": "did:plc:mallory"]) }),
  ("no valid", { FakeBackend.valid($0, changing: ["valid": .null]) }),
  ("a bad time", { FakeBackend.valid($0, changing: ["expiresAt": "soon"]) }),
  ("truncated JSON", { _ in .success(.json(#"{"valid":tr"#)) }),
  ("a list", { _ in .success(.json("[]")) }),
  (
    "HTML",
    { _ in
      .success(
        HTTPResponse(status: 200, fields: [("Content-Type", "text/html")], body: Secret("<p>"))
      )
    }
  ),
  (
    "a redirect",
    { _ in
      .success(
        HTTPResponse(status: 302, fields: [("Location", "https://evil.test/")], body: Secret(""))
      )
    }
  ),
  ("404", { _ in .success(.json("{}", 404)) }),
]
