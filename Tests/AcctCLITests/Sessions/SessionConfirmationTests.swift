import AcctModel
import AcctPorts
import AcctTestSupport
import StrictJSON
import Testing

/// A sign-in at a backend that rotates the session in its confirmation.
@Suite("A session that is rotated while its sign-in is confirmed")
struct SessionConfirmationTests {
  private let record = RecordedWorld()

  private func signIn(confirmedBy answer: HTTPResponse) async -> Int32 {
    var rolling = answer
    rolling.fields.append(("Set-Cookie", "sid=Fe26.2*1*new"))
    let start = #"{"success":true,"authUrl":"https://pds.example/authorize"}"#
    _ = FakeBackend(record, ["mobile-start": [.success(.json(start))], "session": [.success(rolling)]])
    record.answer("anchor://auth-callback?session_token=Fe26.2*1*old&did=did:plc:alice&handle=alice.example.com")
    return await record.acct("add", "--session", FakeBackend.origin, "alice.example.com", "--no-browser")
  }

  @Test("A session rotated in the confirmation is stored, whatever else the answer says", arguments: [200, 503, 429])
  func kept(status: Int) async throws {
    #expect(await signIn(confirmedBy: .json(#"{"valid":true}"#, status)) == 0)
    #expect(record.sealed == "Fe26.2*1*new")
    #expect(record.err.contains { $0.contains("could not be checked yet") } == (status != 200))
  }

  @Test("A confirmation of another identity stores neither the session nor an account")
  func foreign() async {
    let body = #"{"did":"did:plc:mallory"}"#
    #expect(await signIn(confirmedBy: .json(body, 503)) == 11)
    #expect(record.keyring.count == 0 && record.accountFiles == 0)
  }
}
