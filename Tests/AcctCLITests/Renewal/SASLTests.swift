import AcctPorts
import AcctTestSupport
import Testing

@Suite("acct token --sasl")
struct SASLTests {
  let record = RecordedWorld()

  @Test("The command token prints the initial response of SASL with the account's token")
  func response() async {
    #expect(await record.add(Handoffs.bearer()) == 0)
    #expect(await record.acct("token", "--sasl", "xoauth2", "--user", "bob@mail.example") == 0)
    // user=bob@mail.example^Aauth=Bearer opaque-bob^A^A
    #expect(record.out == "dXNlcj1ib2JAbWFpbC5leGFtcGxlAWF1dGg9QmVhcmVyIG9wYXF1ZS1ib2IBAQ==\n")
    #expect(await record.acct("token", "--sasl", "oauthbearer", "--user", "bob@mail.example") == 0)
    // n,a=bob@mail.example,^Aauth=Bearer opaque-bob^A^A
    #expect(record.out == "bixhPWJvYkBtYWlsLmV4YW1wbGUsAWF1dGg9QmVhcmVyIG9wYXF1ZS1ib2IBAQ==\n")
  }

  @Test("A static token that is sent as a bearer token can be sent by SASL, any other can't")
  func staticTokens() async {
    await record.addToken("tok-a")
    #expect(await record.acct("token", "--sasl", "xoauth2", "--user", "a") == 0)
    await record.addToken("tok-b", at: "https://b.example", "--header", "X-API-Key", "--name", "b")
    #expect(await record.acct("token", "--sasl", "xoauth2", "--user", "a", "-a", "b") == 64)
    #expect(record.out.isEmpty)
  }

  @Test("A key-bound token can't be sent by SASL, and the keyring is not asked for it")
  func bound() async {
    #expect(await record.add(Handoffs.dpop()) == 0)
    record.keyring.fail(with: .locked())
    #expect(await record.acct("token", "--sasl", "xoauth2", "--user", "a@mail.example") == 64)
    #expect(record.out.isEmpty)
    #expect(
      record.err == [
        "acct: the token of alice.example.com is not a bearer token, and SASL has no other",
        "acct: hint: leave out --sasl and --user, or name another account with --account",
      ]
    )
  }

  @Test(
    "The options of SASL belong together, and a user name has no control characters",
    arguments: [
      ["--sasl", "xoauth2"], ["--user", "a"], ["--sasl", "plain", "--user", "a"],
      ["--sasl", "xoauth2", "--user", ""], ["--sasl", "xoauth2", "--user", "a\u{01}auth=Bearer x"],
      ["--sasl", "xoauth2", "--user", "a\nb"], ["--sasl", "oauthbearer", "--user", "a", "--json"],
    ]
  )
  func usage(_ options: [String]) async {
    #expect(await record.add(Handoffs.bearer()) == 0)
    record.clear()
    #expect(await record.run(["token"] + options) == 64)
    #expect(record.out.isEmpty)
  }
}
