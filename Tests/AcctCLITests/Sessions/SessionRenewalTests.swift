import AcctEngine
import AcctModel
import Secrets
import AcctPorts
import AcctTestSupport
import StrictJSON
import Testing

/// A backend's sealed session that is due: confirmed, then refreshed, and only then ended.
@Suite("Renewing a sealed session")
struct SessionRenewalTests {
  let record = RecordedWorld()

  private func backend(left: Int64? = 60, _ answers: [String: [FakeBackend.Answer]]) async throws -> FakeBackend {
    try await record.plantSession(left: left)
    return FakeBackend(record, answers)
  }

  @Test("A session that is not due, or whose end is unknown, is used without a request")
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

  @Test("A core without the annex of backends renews no session, and keeps it")
  func coreAlone() async throws {
    let backend = try await backend([:])
    let account = try #require(AccountOverview(record.engine).listing().accounts.first)
    await #expect(throws: account.notRenewable) { try await Renewal(record.engine).renew(account, because: .forced) }
    #expect(backend.asked.isEmpty)
    #expect(record.sealed == "Fe26.2*1*old")
  }

  @Test("A due session that is confirmed gets its new end, and its rotation is stored at once")
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

  @Test("A confirmed session that is still due is refreshed and asked for its new end")
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
    "A session ends for each reason of the server after a refresh failed, and the reason is kept",
    arguments: ["session_invalid", "missing_did", "oauth_data_missing", "something_new"]
  )
  func over(reason: String) async throws {
    let refusal = FakeBackend.Answer.success(.json(#"{"success":false,"error":"Missing Authorization header"}"#, 401))
    let backend = try await backend(["session": [FakeBackend.refused(reason)], "refresh-token": [refusal]])
    #expect(await record.acct("header") == 4)
    #expect(record.err.first?.contains(reason) == true)
    #expect(record.err.last?.contains("`acct login ") == true)
    #expect(backend.asked == ["session", "refresh-token"])
    #expect(record.sealed == "Fe26.2*1*old")
    #expect(await record.acct("status", "--json") == 4)
    let account = record.json?.objectValue?["account"]?.objectValue
    #expect(account?["state"] == "reauthRequired")
    #expect(account?["reason"]?.stringValue?.contains(reason) == true)
    // The server's answer stands: no request repeats it.
    #expect(await record.acct("header") == 4)
    #expect(backend.asked.count == 2)
  }

  @Test("A session that the backend rejects but can refresh continues")
  func revived() async throws {
    let backend = try await backend([
      "session": [FakeBackend.refused("session_invalid"), FakeBackend.valid(record)],
      "refresh-token": [FakeBackend.extended("Fe26.2*1*new")],
    ])
    #expect(await record.acct("header") == 0)
    #expect(record.out == "Cookie: sid=Fe26.2*1*new\n")
    #expect(backend.asked == ["session", "refresh-token", "session"])
  }

  @Test("A session survives one exception of the backend, and not a second one")
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

  @Test("A session rejected without a reason is kept")
  func unexplained() async throws {
    let backend = try await backend(left: -1, ["session": [FakeBackend.refused(nil)]])
    #expect(await record.acct("header") == 4)
    #expect(backend.asked == ["session", "refresh-token"])
    #expect(try record.member("standing") == "signedIn")
    #expect(try record.member("renewalStartedAt") == .null)
  }

  @Test("A failed refresh is tried once more, and then a new sign-in is needed")
  func refreshFails() async throws {
    let backend = try await backend(
      left: -1,
      ["session": [FakeBackend.valid(record, left: -1)], "refresh-token": [FakeBackend.couldNot]]
    )
    #expect(await record.acct("header") == 4)
    #expect(backend.asked == ["session", "refresh-token", "session", "refresh-token"])
    #expect(record.err.contains { $0.contains("Token refresh failed") })
    #expect(record.err.last?.contains("sign in again") == true)
    #expect(try record.member("standing") == "signedIn")
    #expect(record.sealed == "Fe26.2*1*old")
  }

  @Test("A confirmation of another identity, or a malformed one, changes nothing", arguments: sessionNonsense)
  func nonsense(what: String, answer: @Sendable (RecordedWorld) -> FakeBackend.Answer) async throws {
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
    "A rotated session is stored whatever the answer says, unless it names another identity",
    arguments: [
      .success(.json("{}", 503)), .success(.json(#"{"valid":true,"expiresAt":"soon"}"#)),
      .success(.json(#"{"valid":true,"did":"did:plc:alice","expiresAt":[]}"#)),
      .success(.json("<p>")), .success(.json("{}", 429)),
    ] as [FakeBackend.Answer]
  )
  func rolledBesides(answer: FakeBackend.Answer) async throws {
    var rolling = try answer.get()
    rolling.fields.append(("Set-Cookie", "sid=Fe26.2*1*new"))
    _ = try await backend(left: -1, ["session": [.success(rolling), FakeBackend.refused(nil)]])
    #expect(await record.acct("header") != 0)
    #expect(record.sealed == "Fe26.2*1*new")
    #expect(try record.member("standing") == "signedIn")
  }

  @Test("A session follows its DID to a new handle")
  func newHandle() async throws {
    let renamed: [String: JSON] = ["handle": "a.example.org", "userHandle": .null]
    _ = try await backend(["session": [FakeBackend.valid(record, changing: renamed)]])
    #expect(await record.acct("header") == 0)
    #expect(try record.member("handle") == "a.example.org")
  }

  @Test("The command status --check always asks the backend, and refresh --force refreshes")
  func onDemand() async throws {
    let backend = try await backend(
      left: 9_000,
      ["session": [FakeBackend.valid(record)], "refresh-token": [FakeBackend.extended("Fe26.2*1*new")]]
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

  @Test("The command status --check shows a session that the server has just ended")
  func checkEnds() async throws {
    _ = try await backend(left: 9_000, ["session": [FakeBackend.refused("session_invalid")]])
    #expect(await record.acct("status", "--check", "--json") == 4)
    let account = record.json?.objectValue?["account"]?.objectValue
    #expect(account?["state"] == "reauthRequired")
    // Its time is not up, but it is over.
    #expect(await record.acct("refresh") == 4)
    #expect(await record.acct("refresh", "--all") == 4)
  }

  @Test("The command status --check --json reports an unreachable backend on standard error")
  func checkFails() async throws {
    _ = try await backend(left: 9_000, ["session": [.failure(.untrusted(reason: "no"))]])
    #expect(await record.acct("status", "--check", "--json") == 10)
    #expect(record.json?.objectValue?["account"]?.objectValue?["state"] == "valid")
    let error = try JSON(parsing: Array((record.err.last ?? "").utf8)).objectValue?["error"]
    #expect(error?["code"] == "network" && error?["exit"] == 10)
  }

  @Test("The command remove ends the session at the backend, and --local leaves that out")
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

  @Test("The command remove works even if the backend can't be reached")
  func removalOffline() async throws {
    let backend = try await backend(["logout": [.failure(.timedOut)]])
    #expect(await record.acct("remove", "alice") == 0)
    #expect(backend.asked == ["logout"])
    #expect(record.keyring.count == 0)
  }
}

extension Result<HTTPResponse, HTTPFailure> {
  fileprivate static func foreign(_ record: RecordedWorld, _ changes: [String: JSON]) -> FakeBackend.Answer {
    FakeBackend.valid(record, rotated: "Fe26.2*1*foreign", changing: changes)
  }
}

/// The name of a faulty answer, and the answer.
private let sessionNonsense: [(String, @Sendable (RecordedWorld) -> FakeBackend.Answer)] = [
  ("another DID", { .foreign($0, ["did": "did:plc:mallory"]) }),
  (
    "another handle without a DID",
    { .foreign($0, ["did": .null, "handle": "mallory.example.com", "userHandle": .null]) }
  ),
  ("two handles", { .foreign($0, ["userHandle": "mallory.example.com"]) }),
  ("a bad DID", { .foreign($0, ["did": "alice"]) }),
  ("a bad handle without a DID", { .foreign($0, ["did": .null, "handle": "-", "userHandle": .null]) }),
  ("another DID as sub", { .foreign($0, ["did": .null, "sub": "did:plc:mallory"]) }),
  ("two DIDs", { .foreign($0, ["sub": "did:plc:mallory"]) }),
  ("no valid", { FakeBackend.valid($0, changing: ["valid": .null]) }),
  ("a bad time", { FakeBackend.valid($0, changing: ["expiresAt": "soon"]) }),
  ("truncated JSON", { _ in .success(.json(#"{"valid":tr"#)) }),
  ("a list", { _ in .success(.json("[]")) }),
  ("HTML", { _ in .success(HTTPResponse(status: 200, fields: [("Content-Type", "text/html")], body: Secret("<p>"))) }),
  (
    "a redirect",
    { _ in .success(HTTPResponse(status: 302, fields: [("Location", "https://evil.test/")], body: Secret(""))) }
  ),
  ("404", { _ in .success(.json("{}", 404)) }),
]
