import AcctModel
import AcctPorts
import AcctTestSupport
import StrictJSON
import Testing

@Suite("Uses in acct log")
struct UseLogTests {
  let record = RecordedWorld()

  init() {
    record.set("HOSTNAME", to: "laptop")
    record.set("PARENT", to: "deploy.sh")
  }

  private var id: AccountID { get throws { try #require(record.keyring.items.keys.first) } }

  /// Adds an account whose token does not end.
  private func add() async {
    record.secretFiles["token"] = "made-up-token"
    let origins = ["https://issuer.example", "https://api.example"].flatMap { ["--allow-origin", $0] }
    let added = await record.run(["add", "--token", "token", "--name", "bob.example.com"] + origins)
    #expect(added == 0, "\(record.err)")
  }

  /// The uses that `log` prints: the minute since the first one, the program and the origin.
  private func uses(_ options: String...) async -> [String] {
    record.clear()
    #expect(await record.run(["log", "--json"] + options) == 0, "\(record.err)")
    let events = record.json?.objectValue?["events"]?.arrayValue ?? []
    return events.filter { $0.objectValue?["event"] == "used" }.map { event in
      ["program", "origin"].compactMap { event.objectValue?[$0]?.stringValue }.joined(separator: " ")
    }
  }

  private func header(_ url: String = "https://issuer.example/path?key=hidden") async {
    #expect(await record.acct("header", url) == 0, "\(record.err)")
  }

  @Test("A program's uses of an account at an origin are one line an hour")
  func hourly() async throws {
    record.now = 1_800_000_000
    await add()
    await header()
    record.now += 1800
    await header()
    #expect(await uses() == ["deploy.sh https://issuer.example"])
    #expect(record.replacements(of: .uses(try id)) == 1)
    record.now += 1800
    await header()
    #expect(await uses().count == 2)
    await header("https://api.example/other")
    record.set("PARENT", to: "cron")
    await header()
    #expect(Set(await uses()).count == 3)
    #expect(await uses().count == 4)
    #expect(!record.filesText.contains("hidden") && !record.filesText.contains("path"))
  }

  @Test("A header whose use is noted looks for one mark, and reads no file of uses")
  func usualCost() async throws {
    await add()
    await header()
    let reads = record.reads(of: .uses(try id))
    await header()
    #expect(record.reads(of: .uses(try id)) == reads)
    #expect(record.replacements(of: .uses(try id)) == 1)
  }

  @Test("Each way to get a credential is a use, under the name of the program that gets it")
  func ways() async {
    await add()
    record.serve { _ throws(HTTPFailure) in .json("{}") }
    #expect(await record.acct("token") == 0)
    #expect(await record.acct("request", "https://issuer.example/") == 0)
    #expect(await record.git("protocol=https", "host=api.example") == 0)
    #expect(await record.acct("exec", "--", "/usr/bin/tool", "--secret", "x") == 0)
    #expect(
      Set(await uses()) == ["deploy.sh", "deploy.sh https://issuer.example", "git https://api.example", "tool"]
    )
  }

  @Test("A full disk costs no header, and --verbose tells of it")
  func fullDisk() async {
    await add()
    record.fillDisk()
    await header()
    #expect(record.err.isEmpty)
    #expect(await record.acct("header", "https://issuer.example/", "-v") == 0)
    #expect(record.err.contains { $0.contains("not noting in the log that bob.example.com is used") }, "\(record.err)")
    record.fillDisk(false)
    #expect(await uses().isEmpty)
    await header()
    #expect(await uses().count == 1)
  }

  @Test("Marks of earlier hours are removed, and all of them with the account, whose last uses stay in the log")
  func marks() async throws {
    await add()
    for _ in 0..<3 {
      await header()
      record.now += 3600
    }
    #expect(record.useMarks == 1)
    #expect(await record.acct("remove", "bob.example.com", "--local", "--yes") == 0, "\(record.err)")
    #expect(record.useMarks == 0)
    #expect(await uses("bob.example.com").count == 3)
  }

  @Test("Uses push out no other event")
  func room() async {
    await add()
    for _ in 0..<210 {
      record.now += 3600
      await header("https://api.example/")
    }
    record.clear()
    #expect(await record.acct("log", "--json") == 0)
    #expect(record.out.contains(#""event":"added""#))
  }

  @Test("--used lists when each account was last used, also one that never was")
  func lastUses() async throws {
    await add()
    await header()
    record.now += 60
    await header("https://api.example/")
    let time = Timestamp(clamped: record.now)
    let other = Handoffs.bearer(changing: ["sub": "did:plc:carol", "handle": "carol.example.com"])
    #expect(await record.add(other, "--name", "carol") == 0, "\(record.err)")
    record.clear()
    #expect(await record.acct("log", "--used") == 0)
    #expect(
      record.out == """
        ACCOUNT          LAST USED             PROGRAM    ORIGIN
        bob.example.com  \(time)  deploy.sh  https://api.example
        carol            never                 -          -

        """
    )
    record.clear()
    #expect(await record.acct("log", "--used", "bob.example.com", "--json") == 0)
    let uses = record.json?.objectValue?["accounts"]?.arrayValue
    #expect(uses?.count == 1)
    #expect(uses?.first?.objectValue?["lastUsedAt"]?.stringValue == time.description)
    #expect(await record.acct("log", "--used", "--since", "2d") == 64)
  }

  @Test("A damaged file of uses is one without uses")
  func damaged() async throws {
    await add()
    record.corrupt(.uses(try id), with: "not a use\n1 r laptop\n\u{FF}")
    #expect(await uses().isEmpty)
    await header()
    #expect(await uses() == ["deploy.sh https://issuer.example"])
  }

  @Test("Three renewals within a second are three lines")
  func renewals() async {
    #expect(await record.addRenewable())
    let issuer = FakeIssuer()
    record.serve { request throws(HTTPFailure) in
      request.url.path == "/token" ? RenewalTests.renewed : try issuer.respond(request)
    }
    for _ in 0..<3 { #expect(await record.acct("refresh", "--force") == 0, "\(record.err)") }
    record.clear()
    #expect(await record.acct("log", "--json") == 0)
    #expect(record.out.split(separator: #""event":"renewed""#).count == 4, "\(record.out)")
  }
}
