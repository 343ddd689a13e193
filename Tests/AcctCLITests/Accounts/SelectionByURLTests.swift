import AcctPorts
import AcctTestSupport
import StrictJSON
import Testing

@Suite("Selecting the account by the URL")
struct SelectionByURLTests {
  let record = RecordedWorld()

  /// Alice at a.example, Bob at b.example, both at both.example; Carol, who is active, at neither.
  private func three() async {
    for (name, origin) in [("alice", "https://a.example"), ("bob", "https://b.example")] {
      let origins = ["--allow-origin", origin, "--allow-origin", "https://both.example"]
      record.provide("-", Handoffs.bearer(name))
      #expect(await record.run(["add", "--import", "-", "--name", name] + origins) == 0, "\(record.err)")
    }
    #expect(await record.add(Handoffs.bearer("carol"), "--name", "carol", "--allow-origin", "https://c.example") == 0)
    record.clear()
  }

  @Test("An account that alone has the URL is used in place of the active one, with one line")
  func owner() async {
    await three()
    #expect(await record.acct("header", "https://a.example/x") == 0)
    #expect(record.out == "Authorization: Bearer opaque-alice\n")
    #expect(record.err == ["acct: using alice, which has https://a.example"])
    record.serve(200, "done")
    #expect(await record.acct("request", "https://b.example/x") == 0)
    #expect(record.err == ["acct: using bob, which has https://b.example"])
    #expect(await record.acct("header", "https://c.example/x") == 0)
    #expect(record.err.isEmpty)
    #expect(await record.acct("token", "https://a.example/x") == 0)
    #expect(record.out == "opaque-alice\n")
    #expect(await record.acct("token", "https://none.example/x") == 8)
    // It is a preference: the next command without a URL is Carol's.
    #expect(await record.acct("token") == 0)
    #expect(record.out == "opaque-carol\n")
  }

  @Test("Of several accounts that have the URL none is chosen, unless one is active")
  func several() async {
    await three()
    #expect(await record.acct("header", "https://both.example/x") == 5)
    #expect(
      record.err == [
        "acct: https://both.example is an origin of alice, bob, and not of the active account",
        "acct: hint: `--account NAME` selects one",
      ]
    )
    #expect(await record.acct("switch", "bob") == 0)
    #expect(await record.acct("header", "https://both.example/x") == 0)
    #expect(record.out == "Authorization: Bearer opaque-bob\n")
  }

  @Test("An account that was named is refused, and the hint names the one that has the URL")
  func named() async {
    await three()
    #expect(await record.acct("header", "-a", "carol", "https://a.example/x") == 8)
    #expect(record.err.last == "acct: hint: alice has it: `acct -a alice header ...`")
    record.set("ACCT_ACCOUNT", to: "carol")
    #expect(await record.acct("request", "https://a.example/x") == 8)
    #expect(record.err.last == "acct: hint: alice has it: `acct -a alice request ...`")
    #expect(await record.acct("header", "https://both.example/x") == 8)
    #expect(record.err.last == "acct: hint: alice, bob have it: `acct -a NAME header ...`")
    #expect(await record.acct("header", "https://none.example/x") == 8)
    #expect(record.err.last == "acct: hint: to allow it, run `acct allow carol https://none.example`")
  }

  @Test("The only account needs no switch")
  func only() async {
    #expect(await record.add(Handoffs.bearer("alice"), "--no-switch") == 0)
    #expect(await record.acct("token") == 0, "\(record.err)")
    #expect(record.out == "opaque-alice\n")
    #expect(await record.status("selectedBy") == nil)
    #expect(await record.add(Handoffs.bearer("bob"), "--no-switch") == 0)
    #expect(await record.acct("token") == 5)
  }

  @Test("A directory file that names no account is told, and never a reason to use another account")
  func unusable() async {
    await three()
    record.place([
      .unusable(path: "/p/q/.acct", reason: "its first line is empty"), .trusted(path: "/p/.acct", names: ["bob"]),
    ])
    #expect(await record.acct("token") == 65)
    #expect(record.err.first == "acct: /p/q/.acct chooses no account: its first line is empty")
    #expect(await record.acct("token", "-a", "bob") == 0)
  }

  @Test("The list marks the account that commands here would use, and says what chose it")
  func marked() async {
    await three()
    #expect(await record.acct("list") == 0)
    #expect(record.out.contains("*  carol"), "\(record.out)")
    #expect(record.err.isEmpty)
    record.place([.trusted(path: "/p/.acct", names: ["bob"])])
    #expect(await record.acct("list") == 0)
    #expect(record.out.contains("*  bob"), "\(record.out)")
    #expect(!record.out.contains("*  carol"), "\(record.out)")
    #expect(record.err == ["acct: bob is chosen by the .acct file /p/.acct"])
    #expect(await record.acct("list", "--json") == 0)
    let list = record.json?.objectValue
    #expect(list?["selected"] != list?["active"])
    #expect(list?["selected"] != .null)
    #expect(await record.acct("switch", "alice") == 0)
    #expect(record.err == ["acct: alice is active", "acct: here the .acct file /p/.acct chooses bob before it"])
  }
}
