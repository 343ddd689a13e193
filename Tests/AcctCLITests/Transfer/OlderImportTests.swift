import AcctModel
import AcctPorts
import AcctTestSupport
import Secrets
import StrictJSON
import Testing

@Suite("Imports of older tokens")
struct OlderImportTests {
  let record = RecordedWorld()

  init() {
    record.secretFiles["pass"] = "made up\n"
    record.set("ACCT_EXPORT_PASSPHRASE_FILE", to: "pass")
  }

  /// Imports a document; what it says is in the record.
  private func take(_ document: String, _ options: String...) async -> Int32 {
    record.provide("in", document)
    record.clear()
    return await record.run(["add", "--import", "in"] + options)
  }

  private func export(_ names: String...) async {
    #expect(await record.run(["export"] + names + ["-o", "out", "--force"]) == 0, "\(record.err)")
  }

  private func takeExport(_ options: String...) async -> Int32 {
    record.provide("in", record.secretFiles["out"] ?? "")
    record.clear()
    return await record.run(["add", "--import", "in"] + options)
  }

  private func token(of name: String) async -> String {
    #expect(await record.acct("token", "--offline", "-a", name) == 0, "\(record.err)")
    return record.out
  }

  private static func document(_ word: String, _ changes: [String: JSON]) -> String {
    Handoffs.bearer(
      changing: [
        "access_token": .string("at-\(word)"), "refresh_token": .string("r-\(word)"), "expires_in": nil,
        "clientId": "client",
      ].merging(changes) { $1 }
    )
  }

  private static let kept = [
    "acct: the tokens of a here are newer than those of the import: nothing was stored",
    "acct: hint: `--replace` takes those of the import",
  ]

  @Test(
    "A document with an earlier end, issue or iat than the account's is refused, and taken with --replace",
    arguments: [
      (["expiresAt": "2099-01-01T13:00:00Z"], ["expiresAt": "2099-01-01T07:00:00Z"]),
      (["expiry_date": 1_800_003_600_000], ["expiry": "2027-01-15T08:30:00.25Z"]),
      (["expires_in": 3600, "issued_at": 1_799_999_000], ["expires_in": 7200, "issued_at": 1_799_998_000]),
      (
        ["access_token": .string(Handoffs.token(["iat": 1_799_999_000, "exp": 1_800_003_600]))],
        ["access_token": .string(Handoffs.token(["iat": 1_799_998_000, "exp": 1_800_009_600]))]
      ),
    ] as [([String: JSON], [String: JSON])]
  )
  func documents(noon: [String: JSON], dawn: [String: JSON]) async {
    let (noon, dawn) = (Self.document("noon", noon), Self.document("dawn", dawn))
    #expect(await take(noon, "--name", "a") == 0)
    let before = record.keyring.items
    #expect(await take(dawn, "--name", "a") == 1)
    #expect(record.err == Self.kept)
    #expect(record.keyring.items == before)
    #expect(await take(dawn, "--name", "a", "--replace") == 0)
    #expect(record.err == ["acct: replaced the tokens of a"])
    #expect(record.keyring.items != before)
    // What is newer needs no option.
    #expect(await take(noon, "--name", "a") == 0)
    #expect(record.err == ["acct: renewed a"])
    #expect(record.keyring.items == before)
  }

  @Test("A document with the same tokens is no conflict, and only its description is taken")
  func sameDocument() async {
    let end: [String: JSON] = ["expiresAt": "2099-01-01T13:00:00Z"]
    #expect(await take(Self.document("noon", end), "--name", "a") == 0)
    #expect(
      await take(Self.document("noon", end.merging(["origins": ["https://b.example"]]) { $1 }), "--name", "a") == 0
    )
    #expect(record.err == ["acct: a has the same tokens already"])
    #expect(await record.acct("header", "https://b.example/") == 0)
  }

  @Test(
    "A document that does not say how old it is replaces tokens of the same kind, and none that acct has renewed since"
  )
  func unknownAge() async {
    #expect(await take(Self.document("one", ["expires_in": 3600]), "--name", "a") == 0)
    #expect(await take(Self.document("two", ["expires_in": 60]), "--name", "a") == 0)
    #expect(record.err == ["acct: renewed a"])
    let first = Self.document("three", ["expiresAt": "2027-01-15T08:10:00Z"])
    #expect(await take(first, "--name", "a") == 0)
    await refresh("r-three")
    #expect(await take(first, "--name", "a") == 1)
    #expect(record.err == Self.kept)
  }

  /// Renews `a`, whose refresh token this is.
  private func refresh(_ refreshToken: String) async {
    _ = RotatingServer(record, refreshToken, [(RenewalTests.renewed, "r2")])
    #expect(await record.acct("refresh", "--force", "a") == 0, "\(record.err)")
  }

  @Test("An export from before a renewal does not end the session that the renewal began", arguments: [0, 60])
  func export(seconds: Int64) async {
    #expect(await record.addRenewable())
    #expect(await record.acct("rename", "bob.example.com", "a") == 0)
    await export("a")
    record.now += seconds
    let server = RotatingServer(record, "r1", [(RenewalTests.renewed, "r2"), (RenewalTests.renewed, "r2")])
    #expect(await record.acct("refresh", "--force", "a") == 0)
    #expect(await takeExport() == 1)
    #expect(record.err == Self.kept)
    #expect(await record.acct("refresh", "--force", "a") == 0, "\(record.err)")
    #expect(server.asked == 2)
    #expect(await takeExport("--replace") == 0)
    #expect(record.err == ["acct: replaced the tokens of a"])
    #expect(await token(of: "a") == "opaque-bob\n")
  }

  @Test("An export of a static token does not replace one that was stored later", arguments: [0, 60])
  func staticToken(seconds: Int64) async {
    await record.addToken("old", at: StaticTokens.origin, "--name", "key")
    await export("key")
    record.now += seconds
    record.secretFiles["new"] = "new"
    #expect(await record.acct("login", "key", "--token", "new") == 0)
    #expect(await takeExport() == 1)
    #expect(record.err.first == "acct: the tokens of key here are newer than those of the import: nothing was stored")
    #expect(await token(of: "key") == "new\n")
    #expect(await takeExport("--replace") == 0)
    #expect(record.err == ["acct: replaced the token of key"])
    #expect(await token(of: "key") == "old\n")
  }

  @Test("An export of another machine's newer token replaces the one that was taken from there before")
  func newerExport() async {
    let other = RecordedWorld()
    other.secretFiles["pass"] = "made up\n"
    other.set("ACCT_EXPORT_PASSPHRASE_FILE", to: "pass")
    // Random bytes count upward in both worlds: without this both would make the same id.
    await other.addToken("else", at: StaticTokens.origin, "--name", "else")
    #expect(await other.acct("remove", "else") == 0)
    await record.addToken("old", at: StaticTokens.origin, "--name", "key")
    for (token, words) in [("old", "added key"), ("new", "replaced the token of key")] {
      if token == "new" {
        record.now += 60
        record.secretFiles["new"] = "new"
        #expect(await record.acct("login", "key", "--token", "new") == 0)
      }
      await export("key")
      other.provide("in", record.secretFiles["out"] ?? "")
      #expect(await other.acct("add", "--import", "in") == 0)
      #expect(other.err == ["acct: \(words)"])
      #expect(await other.acct("token", "-a", "key") == 0)
      #expect(other.out == "\(token)\n")
    }
  }

  @Test("An export of several accounts is refused as a whole, and names each that is newer here")
  func several() async {
    for name in ["one", "two", "three"] { await record.addToken(name, at: StaticTokens.origin, "--name", name) }
    await export("--all")
    #expect(await record.acct("remove", "two", "--local") == 0)
    for name in ["one", "three"] {
      record.secretFiles["new"] = "new-\(name)"
      #expect(await record.acct("login", name, "--token", "new") == 0)
    }
    let before = record.keyring.items
    #expect(await takeExport() == 1)
    #expect(
      record.err.first == "acct: the tokens of one, three here are newer than those of the import: nothing was stored"
    )
    #expect(record.keyring.items == before && record.accountFiles == 2)
    #expect(await takeExport("--replace", "--json") == 0)
    #expect(record.accountFiles == 3)
  }

  @Test("What has ended here takes an older import that works")
  func ended() async {
    let short = Self.document(
      "short",
      ["refresh_token": nil, "expiresAt": "2027-01-15T08:10:00Z", "issued_at": 1_799_999_900]
    )
    let long = Self.document(
      "long",
      ["refresh_token": nil, "expiresAt": "2027-01-15T10:00:00Z", "issued_at": 1_799_999_000]
    )
    #expect(await take(short, "--name", "a") == 0)
    #expect(await take(long, "--name", "a") == 1)
    record.now += 1800
    #expect(await take(long, "--name", "a") == 0)
    #expect(record.err == ["acct: renewed a"])
    #expect(await token(of: "a") == "at-long\n")
  }

  @Test("What has ended here does not take an older import that has ended as well")
  func bothEnded() async {
    #expect(await take(Self.document("one", ["refresh_token": nil, "expiresAt": 1_799_999_000]), "--name", "a") == 0)
    #expect(record.err == ["acct: the token of a has expired already", "acct: added a"])
    #expect(await take(Self.document("two", ["refresh_token": nil, "expiresAt": 1_799_990_000]), "--name", "a") == 1)
  }

  @Test("A session that its server has ended takes an export from before")
  func endedSession() async throws {
    #expect(await record.addRenewable())
    #expect(await record.acct("rename", "bob.example.com", "a") == 0)
    await export("a")
    await refresh("r1")
    _ = RotatingServer(record, "other", [])
    #expect(await record.acct("refresh", "--force", "a") == 4)
    #expect(await takeExport() == 0)
    #expect(record.err == ["acct: renewed a"])
  }

  @Test("A time of renewal that lies ahead is of a clock that was off, and does not count")
  func clockAhead() async {
    #expect(await record.addRenewable())
    #expect(await record.acct("rename", "bob.example.com", "a") == 0)
    record.now += 100_000_000
    await refresh("r1")
    record.now -= 100_000_000
    let fresh = Handoffs.bearer(
      changing: ["access_token": "fresh", "refresh_token": "r9", "clientId": "client", "expiresAt": 1_800_003_600]
    )
    #expect(await take(fresh) == 0)
    #expect(record.err == ["acct: renewed a"])
  }

  @Test("--replace is for what has no sign-in")
  func usage() async {
    for rest in [["--issuer", "https://a.example"], ["--guest", "https://a.example"], ["alice.example"]] {
      #expect(await record.run(["add", "--replace"] + rest) == 64)
    }
  }

  @Test("An export with the tokens of today brings back no origin that was revoked since")
  func revokedOrigin() async {
    await record.addToken("one", at: "https://a.example", "--allow-origin", "https://b.example", "--name", "k")
    await export("k")
    #expect(await record.acct("allow", "k", "https://b.example", "--revoke") == 0)
    #expect(await takeExport() == 0)
    #expect(record.err == ["acct: k has the same token already"])
    #expect(await record.acct("header", "-a", "k", "https://b.example/") == 8)
  }

  @Test("A token that an import has brought is as old as it was where it came from")
  func ageOfImport() async {
    await record.addToken("one", at: "https://a.example", "--name", "k")
    await export("k")
    let first = record.secretFiles["out"]
    record.now += 60
    record.secretFiles["token"] = "two\n"
    #expect(await record.acct("login", "k", "--token", "token") == 0)
    await export("k")
    let second = record.secretFiles["out"]
    // As on another machine: the first, and later the second.
    #expect(await record.acct("remove", "--local", "k") == 0)
    record.now += 60
    record.secretFiles["out"] = first
    #expect(await takeExport() == 0)
    record.secretFiles["out"] = second
    #expect(await takeExport() == 0, "\(record.err)")
    #expect(await token(of: "k") == "two\n")
    record.secretFiles["out"] = first
    #expect(await takeExport() == 1)
    #expect(await token(of: "k") == "two\n")
  }
}
