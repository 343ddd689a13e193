import AcctModel
import AcctPorts
import AcctTestSupport
import StrictJSON
import Testing

@Suite("Selecting the account")
struct SelectionTests {
  let record = RecordedWorld()

  /// Alice, Bob and Carol, in that order; Carol is active.
  private func three() async {
    for name in ["alice", "bob", "carol"] {
      #expect(await record.add(Handoffs.bearer(name), "--name", name) == 0)
    }
  }

  private func chosen(_ options: String...) async -> [JSON?] {
    #expect(await record.run(["status", "--json"] + options) == 0)
    let status = record.json?.objectValue
    record.clear()
    return [status?["account"]?.objectValue?["name"], status?["selectedBy"]]
  }

  @Test("The account option precedes the environment, the directory and the active account")
  func order() async {
    await three()
    #expect(await chosen() == ["carol", "active"])
    record.place([.trusted(path: "/p/.acct", names: ["bob"])])
    #expect(await chosen() == ["bob", "directory"])
    record.set("ACCT_ACCOUNT", to: "alice")
    #expect(await chosen() == ["alice", "environment"])
    #expect(await chosen("-a", "carol") == ["carol", "option"])
    #expect(await chosen("carol") == ["carol", "option"])
  }

  @Test("A directory file that others can write is ignored with a notice")
  func ignoredDirectoryFile() async {
    await three()
    record.place([
      .ignored(path: "/p/q/.acct", reason: "others can write it"), .trusted(path: "/p/.acct", names: ["bob"]),
    ])
    record.clear()
    #expect(await record.acct("token") == 0)
    #expect(record.out == "opaque-bob\n")
    #expect(record.err == ["acct: /p/q/.acct is ignored: others can write it"])
  }

  @Test("A directory file is announced once on a terminal, and again if it chooses another account")
  func announced() async {
    await three()
    record.place([.trusted(path: "/p/.acct", names: ["bob"])])
    #expect(await record.acct("token") == 0)
    #expect(record.err.isEmpty)
    #expect(record.file(.directories) == nil)

    record.showOnTerminal()
    #expect(await record.acct("token", "-q") == 0)
    #expect(record.err.isEmpty)
    for line in ["bob", "alice"] {
      record.place([.trusted(path: "/p/.acct", names: [line])])
      #expect(await record.acct("token") == 0)
      #expect(
        record.err == ["acct: /p/.acct chooses \(line) in this folder and below; this is said once"]
      )
      #expect(await record.acct("token") == 0)
      #expect(record.err.isEmpty)
    }
    record.place([.trusted(path: "/q/.acct", names: ["alice"])])
    #expect(await record.acct("status") == 0)
    #expect(record.err.count == 1)
    // The file has no effect on another choice.
    record.place([.trusted(path: "/r/.acct", names: ["alice"])])
    #expect(await record.acct("token", "-a", "bob") == 0)
    #expect(record.err.isEmpty)
  }

  @Test("Status names the directory file that chose the account")
  func statusNamesFile() async {
    await three()
    record.place([.trusted(path: "/p/.acct", names: ["bob"])])
    #expect(await record.acct("status") == 0)
    #expect(record.out.contains("the .acct file /p/.acct\n"))
    #expect(await record.acct("status", "--json") == 0)
    #expect(record.json?.objectValue?["selectedByFile"] == "/p/.acct")
    #expect(await record.acct("status", "--json", "-a", "bob") == 0)
    #expect(record.json?.objectValue?["selectedByFile"] == .null)
  }

  @Test("An account file that the disk can't read is an error, not a missing account")
  func unreadable() async throws {
    await three()
    #expect(await record.acct("list", "--json") == 0)
    let accounts = try #require(record.json?.objectValue?["accounts"]?.arrayValue)
    let bob = try #require(accounts[1].objectValue?["id"]?.stringValue)
    record.failReading(try AccountID(bob))
    #expect(await record.acct("token", "-a", "bob") == 1)
    #expect(record.err.first?.hasSuffix("\(bob).json: input/output error") == true)
    #expect(await record.acct("token", "-a", "bob") == 0)
  }

  @Test("An account is found by name, handle, id and a prefix of the id of 8 or more characters")
  func references() async throws {
    await three()
    #expect(await record.acct("list", "--json") == 0)
    let accounts = try #require(record.json?.objectValue?["accounts"]?.arrayValue)
    let bob = try #require(accounts[1].objectValue?["id"]?.stringValue)
    for reference in ["bob", "bob.example.com", "@BOB.example.com", bob, String(bob.prefix(8))] {
      #expect(await record.acct("token", "-a", reference) == 0)
      #expect(record.out == "opaque-bob\n")
    }
    #expect(await record.acct("token", "-a", String(bob.prefix(7))) == 5)
  }

  @Test("An option that every command has may also precede the command")
  func leadingOptions() async {
    await three()
    #expect(await record.acct("-a", "bob", "token") == 0)
    #expect(record.out == "opaque-bob\n")
    #expect(await record.acct("--json", "--account=alice", "status") == 0)
    #expect(record.json?.objectValue?["account"]?.objectValue?["name"] == "alice")
    #expect(await record.acct("--nope", "status") == 64)
    #expect(await record.acct("-a") == 64)
  }

  @Test("An unknown name is an error that lists the others")
  func unknown() async {
    await three()
    #expect(await record.acct("token", "-a", "dave") == 5)
    #expect(
      record.err == ["acct: no account is called dave", "acct: hint: the accounts are alice, bob, carol"]
    )
  }

  @Test("An ambiguous handle is an error that lists the candidates")
  func ambiguous() async {
    #expect(await record.add(Handoffs.dpop(changing: ["clientId": "1"]), "--name", "one") == 0)
    #expect(await record.add(Handoffs.dpop(changing: ["clientId": "2"]), "--name", "two") == 0)
    #expect(await record.acct("token", "-a", "alice.example.com") == 5)
    #expect(record.err.first == "acct: alice.example.com could be one, two")
  }

  @Test(
    "Commands that need an account exit 5 without one and name `acct add`",
    arguments: ["header", "token", "status"]
  )
  func none(command: String) async {
    #expect(await record.acct(command) == 5)
    #expect(record.err.last?.contains("acct add") == true)
  }

  @Test("List without any account prints nothing and succeeds")
  func emptyList() async {
    #expect(await record.acct("list") == 0)
    #expect(record.out.isEmpty)
    #expect(await record.acct("list", "--json") == 0)
    #expect(record.json == ["version": 1, "active": nil, "selected": nil, "accounts": []])
  }

  @Test("List marks the account that the account option names, and has it as the selected one")
  func namedInList() async throws {
    await three()
    let marked = {
      record.out.split(separator: "\n").filter { $0.hasPrefix("*") }.map { $0.dropFirst().split(separator: " ")[0] }
    }
    record.set("ACCT_ACCOUNT", to: "bob")
    for (line, name) in [
      (["list"], "bob"), (["list", "-a", "alice"], "alice"), (["--account", "carol", "list"], "carol"),
    ] {
      record.clear()
      #expect(await record.run(line) == 0)
      #expect(marked() == [name[...]], "\(record.out)")
      #expect(record.out.split(separator: "\n").count == 4)
      #expect(record.err.last?.hasPrefix("acct: \(name) is chosen by ") == true, "\(record.err)")
      record.clear()
      #expect(await record.run(line + ["--json"]) == 0)
      let accounts = try #require(record.json?.objectValue?["accounts"]?.arrayValue).compactMap(\.objectValue)
      #expect(accounts.first { $0["name"] == JSON.string(name) }?["id"] == record.json?.objectValue?["selected"])
    }
    for options in [[], ["--json"]] {
      record.clear()
      #expect(await record.run(["list", "-a", "dave"] + options) == 5)
      #expect(record.out.isEmpty)
    }
  }

  @Test("The bare command acct names the selected account and what selected it")
  func home() async {
    #expect(await record.add(Handoffs.bearer("alice")) == 0)
    #expect(await record.add(Handoffs.bearer("bob")) == 0)
    #expect(await record.acct() == 0)
    #expect(record.out.hasPrefix("bob.example.com at issuer.example is active: valid"))
    record.place([.trusted(path: "/w/.acct", names: ["alice.example.com"])])
    #expect(await record.acct() == 0)
    #expect(record.out.hasPrefix("alice.example.com at issuer.example is chosen by the .acct file"))
    record.set("ACCT_ACCOUNT", to: "bob.example.com")
    #expect(await record.acct() == 0)
    #expect(record.out.hasPrefix("bob.example.com at issuer.example is chosen by ACCT_ACCOUNT"))
    record.set("ACCT_ACCOUNT", to: "nobody")
    #expect(await record.acct() == 5)
    #expect(record.out.isEmpty)
  }
}
