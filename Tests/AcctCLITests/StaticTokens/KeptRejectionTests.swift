import AcctPorts
import AcctTestSupport
import StrictJSON
import Testing

/// A server's 401 for a token that nothing renews.
@Suite("A rejection that is kept")
struct KeptRejectionTests {
  private let record = RecordedWorld()

  private func reject() async {
    await refuseOnce()
    record.now += 60
    #expect(await record.acct("request", "\(StaticTokens.origin)/v1") == 4)
  }

  private func refuseOnce(at path: String = "/v1") async {
    await record.addToken("made-up-token", at: StaticTokens.origin, "--name", "work")
    record.serve(401, "no")
    #expect(await record.acct("request", "\(StaticTokens.origin)\(path)") == 4)
  }

  @Test("One 401 is shown, and the token is still given")
  func once() async {
    await refuseOnce(at: "/admin/users?all=1")
    #expect(await record.acct("status") == 0)
    #expect(record.out.contains("valid, refused once: 401 at /admin/users, 08:00\n"), "\(record.out)")
    #expect(await record.acct("status", "--json") == 0)
    #expect(record.json?["account"]?["state"] == "valid")
    #expect(record.json?["account"]?["reason"] == "refusedOnce")
    #expect(await record.acct("header", "\(StaticTokens.origin)/v1") == 0)
    #expect(await record.acct("token") == 0)
    #expect(await record.acct("doctor", "--offline") == 0, "\(record.out)")
  }

  @Test("What may be a secret in a path is not kept", arguments: ["/hooks/T0001-a-very-long-one", "/~mara", "/a%2Fb"])
  func secretPath(_ path: String) async {
    await refuseOnce(at: path)
    #expect(await record.acct("status") == 0)
    let shown = path.hasPrefix("/hooks") ? "/hooks/..." : "/..."
    #expect(record.out.contains("refused once: 401 at \(shown), 08:00\n"), "\(record.out)")
  }

  @Test("A second 401 within a minute is the same attempt, and one after a success is the first again")
  func within() async {
    await refuseOnce()
    record.now += 59
    #expect(await record.acct("request", "\(StaticTokens.origin)/v2") == 4)
    #expect(await record.acct("token") == 0)
    record.serve(200, "yes")
    #expect(await record.acct("request", "\(StaticTokens.origin)/v1") == 0)
    #expect(await record.acct("status") == 0)
    #expect(!record.out.contains("refused once"))
    record.serve(401, "no")
    record.now += 60
    #expect(await record.acct("request", "\(StaticTokens.origin)/v1") == 4)
    #expect(await record.acct("token") == 0)
  }

  @Test("A rejection is shown with its server and time, in text and in JSON, and stops header and token")
  func shown() async {
    await reject()
    #expect(await record.acct("status") == 4)
    #expect(record.out.contains("sign in again: rejected by api.example at 08:01\n"), "\(record.out)")
    #expect(await record.acct("status", "--json") == 4)
    let account = record.json?["account"]
    #expect(account?["state"] == "reauthRequired")
    #expect(account?["reason"] == "rejected", "\(record.out)")
    #expect(await record.acct("list") == 0)
    #expect(record.out.contains("sign in again"))
    for command in [["header", "\(StaticTokens.origin)/v1"], ["token"]] {
      #expect(await record.run(command) == 4)
      #expect(
        record.err.last
          == "acct: hint: sign in again with `acct login work`, or try it once more with `acct request https://api.example`",
        "\(record.err)"
      )
    }
  }

  @Test("A request still tries a rejected token, and a success clears the rejection")
  func cleared() async {
    await reject()
    record.serve(500, "later")
    _ = await record.acct("request", "\(StaticTokens.origin)/v1", "--retry", "0")
    #expect(await record.acct("token") == 4)
    record.serve(200, "yes")
    #expect(await record.acct("request", "\(StaticTokens.origin)/v1") == 0)
    #expect(await record.acct("token") == 0)
    #expect(await record.acct("status") == 0)
  }

  @Test("A new token ends the rejection of the old one")
  func replaced() async {
    await reject()
    record.secretFiles["token"] = "another-made-up-token"
    #expect(await record.acct("login", "work", "--token", "token") == 0, "\(record.err)")
    #expect(await record.acct("token") == 0)
    #expect(record.out == "another-made-up-token\n")
  }

  @Test("doctor names the account that needs a person last, and exits 1")
  func doctor() async {
    await reject()
    #expect(await record.acct("doctor", "--offline") == 1)
    let problem = record.out.split(separator: "\n").last { !$0.hasPrefix(" ") }
    #expect(problem?.hasPrefix("problem   https://api.example has rejected the token of work") == true, "\(record.out)")
    #expect(record.out.contains("sign in again with `acct login work`"))
  }
}
