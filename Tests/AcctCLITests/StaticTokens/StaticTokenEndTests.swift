import AcctModel
import AcctPorts
import AcctTestSupport
import StrictJSON
import Testing

@Suite("The end of a static token")
struct StaticTokenEndTests {
  let record = RecordedWorld()
  private static let hint = "`acct login work` stores a new one"

  private func expires() async -> JSON? { await record.status("expiresAt") }

  @Test("The end of a static token is the given time, or the end of the given day in UTC")
  func given() async {
    let options = ["--name", "work", "--expires"]
    for (text, end) in [
      ("2027-01-31", "2027-01-31T23:59:59Z"), ("2027-01-31T12:00:00+02:00", "2027-01-31T10:00:00Z"),
      ("2w", "2027-01-29T08:00:00Z"), ("90d", "2027-04-15T08:00:00Z"),
    ] {
      record.secretFiles["token"] = "a"
      let add = ["add", "--token", "token", "--allow-origin", "https://api.example"]
      #expect(await record.run(add + options + [text]) == 0)
      #expect(await expires() == .string(end))
    }
  }

  @Test("The end of a static token is the exp of a JWT unless a time is given")
  func claimed() async {
    await record.addToken(Handoffs.token(["exp": 1_800_086_400]))
    #expect(await expires() == "2027-01-16T08:00:00Z")
    let token = Handoffs.token(["exp": 1_800_086_400])
    await record.addToken(token, at: StaticTokens.origin, "--expires", "2027-02-01")
    #expect(await expires() == "2027-02-01T23:59:59Z")
    for opaque in [Handoffs.token(["exp": "soon"]), "a.b.c", "eyJh.eyJ", "plain"] {
      #expect(await record.addToken(opaque) == 0)
      #expect(await expires() == .null)
    }
  }

  @Test("A static token that has expired already is added with a notice")
  func past() async {
    #expect(await record.addToken(Handoffs.token(["exp": 1_799_999_000])) == 0)
    #expect(record.err.first?.contains("has expired already") == true)
    #expect(await record.acct("header", "https://api.example/") == 4)
  }

  @Test("A static token is used to its end, with a notice on its last day")
  func used() async {
    let token = Handoffs.token(["exp": 1_800_259_200])
    await record.addToken(token, at: StaticTokens.origin, "--name", "work")
    #expect(await record.acct("header", "https://api.example/") == 0)
    #expect(record.err.isEmpty)
    record.now = 1_800_259_200 - 60
    #expect(await record.acct("header", "https://api.example/") == 0)
    #expect(
      record.err == ["acct: the token of work expires in 1 min; \(Self.hint)"]
    )
    #expect(await record.status("state") == "valid")
    #expect(await record.acct("token", "--min-valid", "90") == 4)
    record.now = 1_800_259_200
    #expect(await record.acct("header", "https://api.example/") == 4)
    #expect(record.err.first == "acct: the token of work has expired")
    #expect(record.err.last == "acct: hint: \(Self.hint)")
    #expect(await record.acct("status") == 4)
    #expect(await record.status("state") == "expired")
  }

  static let forms: [[String]] = [
    ["--scheme", "Token"], ["--header", "X-Key"], ["--header", "X-Key", "--scheme", "Key"], ["--scheme", "none"],
    ["--basic", "a b"], ["--basic", ""], ["--scheme", "A'b"], ["--header", "X*$k"],
    ["--allow-origin", "https://b.example"],
  ]

  @Test("The hint of a rejected static token stores a new one, in the form of the old one", arguments: forms)
  func rejected(_ options: [String]) async {
    record.secretFiles["token"] = StaticTokens.token
    let add = ["add", "--token", "token", "--allow-origin", "https://api.example", "--name", "work"]
    #expect(await record.run(add + options) == 0)
    #expect(await record.acct("header", "https://api.example/") == 0)
    let before = record.out
    record.serve(401, "no")
    #expect(await record.acct("request", "https://api.example/v1", "--retry", "2") == 4)
    #expect(record.out == "no")
    #expect(record.requests.count == 1)
    #expect(
      record.err == [
        "acct: https://api.example answered 401: the server rejected the token of work",
        "acct: hint: \(Self.hint)",
      ]
    )
    record.now += 60
    record.serve(401, "no")
    #expect(await record.acct("request", "https://api.example/v1", "--retry", "2") == 4)
    #expect(await record.acct("header", "https://api.example/") == 4)
    #expect(record.err.first == "acct: https://api.example has rejected the token of work")
    #expect(await record.run(["login", "work", "--token", "token"]) == 0, "\(record.err)")
    #expect(await record.acct("header", "https://api.example/") == 0)
    #expect(record.out == before)
  }

  @Test("A static token whose item is gone is missing, with the line that stores a new one")
  func gone() async throws {
    await record.addToken("a", at: StaticTokens.origin, "--name", "work")
    try await record.keyring.lose()
    #expect(await record.acct("header", "https://api.example/") == 4)
    #expect(record.err.first == "acct: work has no token: its secrets are not in the keyring")
    #expect(record.err.last?.contains(Self.hint) == true)
    #expect(await record.acct("export", "work", "-o", "out") != 0)
  }

  @Test("The command refresh skips static tokens, and can't force one")
  func refresh() async {
    await record.addToken("a", at: StaticTokens.origin, "--name", "work")
    #expect(await record.acct("refresh", "--all") == 0)
    #expect(record.err.isEmpty)
    #expect(await record.acct("refresh", "--all", "--force") == 0)
    #expect(record.err.isEmpty)
    #expect(await record.acct("refresh", "work") == 0)
    #expect(await record.acct("refresh", "work", "--force") == 4)
    #expect(record.err.last?.contains(Self.hint) == true)
    let token = Handoffs.token(["exp": 1_800_000_060])
    await record.addToken(token, at: StaticTokens.origin, "--name", "work")
    record.now += 61
    #expect(await record.acct("refresh", "--all") == 0)
    #expect(record.err == ["acct: work needs a new token: `acct login work`"])
  }

  @Test("The hint's line stores a new token and leaves the active account as it is")
  func notSwitched() async throws {
    await record.addToken("a", at: StaticTokens.origin, "--name", "work")
    await record.addToken("b", at: "https://b.example", "--name", "active")
    record.serve(401, "no")
    #expect(await record.acct("request", "-a", "work", "https://api.example/v1") == 4)
    let line = try #require(record.err.last?.split(separator: "`").dropFirst().first)
    record.answer("new")
    #expect(await record.run(line.split(separator: " ").dropFirst().map(String.init)) == 0)
    #expect(await record.acct("token", "-a", "work") == 0)
    #expect(record.out == "new\n")
    #expect(await record.status("name") == "active")
  }

  @Test("A check of a static account asks no server and says so")
  func check() async {
    await record.addToken("a", at: StaticTokens.origin, "--name", "work")
    #expect(await record.acct("status", "--check") == 0)
    #expect(record.err.first?.contains("no server can be asked about the token of work") == true)
    #expect(record.requests.isEmpty)
    let token = Handoffs.token(["exp": 1_799_999_000])
    await record.addToken(token, at: StaticTokens.origin, "--name", "work")
    #expect(await record.acct("status", "--check") == 4)
    #expect(record.err.first == "acct: no server can be asked about the token of work")
  }
}
