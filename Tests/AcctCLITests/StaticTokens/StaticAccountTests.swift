import AcctModel
import Secrets
import AcctPorts
import AcctTestSupport
import StrictJSON
import Testing

@Suite("Accounts with a static token")
struct StaticAccountTests {
  let record = RecordedWorld()

  @Test("A static token under a known name replaces the account's token and form, and keeps its id")
  func renewed() async {
    await record.addToken("old", at: StaticTokens.origin, "--name", "work", "--scheme", "Token")
    let id = await record.status("id")
    #expect(await record.addToken("new", at: "https://b.example", "--name", "work", "--replace") == 0)
    #expect(record.err == ["acct: replaced the token of work"])
    #expect(await record.status("id") == id)
    #expect(await record.acct("header", "https://b.example/") == 0)
    #expect(record.out == "Authorization: Bearer new\n")
    #expect(record.accountFiles == 1 && record.keyring.count == 1)
  }

  @Test("A static token without a name belongs to its user and first origin")
  func unnamed() async {
    await record.addToken("one")
    #expect(await record.addToken("two") == 0)
    #expect(record.err == ["acct: replaced the token of static@api.example"])
    #expect(await record.addToken("a", at: StaticTokens.origin, "--basic", "alice") == 0)
    #expect(record.err == ["acct: added alice@api.example"])
    #expect(await record.addToken("b", at: StaticTokens.origin, "--basic", "bob") == 0)
    #expect(await record.addToken("three", at: "https://b.example") == 0)
    #expect(record.err == ["acct: added static@b.example"])
    #expect(record.accountFiles == 4)
  }

  @Test("A static token does not take the name of an account of another kind")
  func nameTaken() async {
    await record.addGuest(Guests.token(), "--name", "work")
    let before = record.keyring.items
    #expect(await record.addToken("new", at: StaticTokens.origin, "--name", "work") == 64)
    #expect(record.keyring.items == before)
    await record.addToken("new", at: StaticTokens.origin, "--name", "key")
    #expect(await record.addGuest(Guests.token("g2"), "--name", "key") == 64)
  }

  @Test("A renamed static account is found under its new name")
  func renamed() async {
    await record.addToken("old", at: StaticTokens.origin, "--name", "work")
    #expect(await record.acct("rename", "work", "job") == 0)
    #expect(await record.addToken("new", at: StaticTokens.origin, "--name", "job") == 0)
    #expect(record.err == ["acct: replaced the token of job"])
    #expect(record.accountFiles == 1)
  }

  @Test("A static account is exported and imported under the same id")
  func moved() async throws {
    let other = RecordedWorld()
    for world in [record, other] {
      world.secretFiles["pass"] = "made up\n"
      world.set("ACCT_EXPORT_PASSPHRASE_FILE", to: "pass")
    }
    // Random bytes count upward in both worlds: without this both would make the same id.
    await other.addToken("else", at: StaticTokens.origin, "--name", "else")
    #expect(await other.acct("remove", "else") == 0)
    await record.addToken("mine", at: StaticTokens.origin, "--name", "work", "--basic", "alice")
    #expect(await record.acct("export", "--all", "-o", "out") == 0)
    other.provide("in", record.secretFiles["out"] ?? "")
    for done in ["added work", "work has the same token already"] {
      #expect(await other.acct("add", "--import", "in") == 0)
      #expect(other.err == ["acct: \(done)"])
      #expect(other.keyring.items == record.keyring.items)
    }
    #expect(await other.acct("header", "https://api.example/") == 0)
    #expect(other.out == "Authorization: Basic YWxpY2U6bWluZQ==\n")
  }

  @Test("An import does not replace another static token that has the same name here")
  func importedBesideAnother() async throws {
    let other = RecordedWorld()
    for world in [record, other] {
      world.secretFiles["pass"] = "made up\n"
      world.set("ACCT_EXPORT_PASSPHRASE_FILE", to: "pass")
    }
    // Random bytes count upward in both worlds: without this both would make the same id.
    await other.addToken("else", at: StaticTokens.origin, "--name", "else")
    #expect(await other.acct("remove", "else") == 0)
    await other.addToken("theirs", at: StaticTokens.origin, "--name", "work")
    await record.addToken("mine", at: StaticTokens.origin, "--name", "work")
    #expect(await record.acct("export", "--all", "-o", "out") == 0)
    other.provide("in", record.secretFiles["out"] ?? "")
    #expect(await other.acct("add", "--import", "in") == 0)
    #expect(other.err == ["acct: added work-2"])
    #expect(await other.acct("token", "-a", "work") == 0)
    #expect(other.out == "theirs\n")
    #expect(await other.acct("token", "-a", "work-2") == 0)
    #expect(other.out == "mine\n")
  }

  @Test("The removal of a static account asks no server and leaves nothing")
  func removed() async {
    await record.addToken()
    #expect(await record.acct("remove", "static@api.example") == 0)
    let removed = "acct: removed static@api.example"
    let notice = "acct: the token of static@api.example is still valid: revoke it at its server"
    #expect(record.err == [notice, removed])
    #expect(record.accountFiles == 0 && record.keyring.count == 0)
    #expect(record.requests.isEmpty)
    await record.addToken()
    #expect(await record.acct("remove", "static@api.example", "--local") == 0)
    #expect(record.err == [removed])
    await record.addToken(Handoffs.token(["exp": 1_799_999_000]))
    #expect(await record.acct("remove", "static@api.example") == 0)
    #expect(record.err == [removed])
  }

  @Test("A static account can be switched to, observed and asked for its limits")
  func used() async {
    await record.addToken("a", at: StaticTokens.origin, "--name", "a")
    await record.addToken("b", at: "https://b.example", "--name", "b")
    #expect(await record.acct("switch", "a") == 0)
    record.provide("-", "HTTP/1.1 200 OK\r\nRateLimit-Limit: 5\r\nRateLimit-Remaining: 3\r\n\r\n")
    #expect(await record.acct("observe", "https://api.example/v1") == 0)
    #expect(await record.acct("limits") == 0)
    #expect(record.out.contains("3 of 5 left"))
    #expect(await record.acct("key", "show") == 1)
  }

  @Test("The doctor finds nothing wrong with a static account")
  func healthy() async {
    await record.addToken()
    #expect(await record.acct("doctor", "--offline", "--json") == 0)
    let findings = record.json?.objectValue?["findings"]?.arrayValue ?? []
    #expect(!findings.isEmpty && findings.allSatisfy { $0["severity"] != "problem" })
  }

  @Test("A static account whose file is lost is rebuilt without an origin, and can be added anew")
  func rebuilt() async throws {
    let id = try AccountID("00000000-0000-4000-8000-000000000000")
    record.corrupt(.keyringDecision, with: "secret-service\n")
    try await record.keyring.keyring().write(id, [.init(.staticToken, Secret(StaticTokens.token))], .forbidden)
    #expect(await record.acct("doctor", "--offline", "--repair") == 0)
    #expect(await record.acct("list", "--json") == 0)
    let account = record.json?.objectValue?["accounts"]?.arrayValue?.first
    #expect(account?["kind"] == "static" && account?["name"] == "static")
    #expect(account?["origins"] == [])
    #expect(await record.acct("header", "-a", "static", "https://api.example/") == 8)
    #expect(
      await record.addToken("x", at: StaticTokens.origin, "--name", "static", "--header", "X-Key") == 0
    )
    #expect(record.err == ["acct: replaced the token of static"])
  }

  @Test("A static account whose file is lost keeps the end that its token tells")
  func rebuiltWithEnd() async throws {
    let id = try AccountID("00000000-0000-4000-8000-000000000000")
    record.corrupt(.keyringDecision, with: "secret-service\n")
    let token = Handoffs.token(["exp": 1_800_086_400])
    try await record.keyring.keyring().write(id, [.init(.staticToken, Secret(token))], .forbidden)
    #expect(await record.acct("doctor", "--offline", "--repair") == 0)
    #expect(await record.acct("list", "--json") == 0)
    let account = record.json?.objectValue?["accounts"]?.arrayValue?.first
    #expect(account?["expiresAt"] == "2027-01-16T08:00:00Z")
  }
}
