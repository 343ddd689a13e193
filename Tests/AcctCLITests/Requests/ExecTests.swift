import AcctPorts
import AcctTestSupport
import Testing

@Suite("acct exec")
struct ExecTests {
  let record = RecordedWorld()

  @Test("The command exec becomes the program, with the token in ACCT_TOKEN or in --env's variable")
  func becomes() async {
    #expect(await record.add(Handoffs.bearer()) == 0)
    #expect(await record.acct("exec", "--", "curl", "--json", "-a", "x") == 0)
    #expect(await record.acct("exec", "--env", "GH_TOKEN", "--", "gh", "--", "pr") == 0)
    #expect(
      record.exec.calls == [
        .init(command: ["curl", "--json", "-a", "x"], assignment: "ACCT_TOKEN=opaque-bob"),
        .init(command: ["gh", "--", "pr"], assignment: "GH_TOKEN=opaque-bob"),
      ]
    )
    #expect(record.out.isEmpty && record.err.isEmpty)
  }

  @Test("The command exec acts for the selected account")
  func chosen() async {
    #expect(await record.add(Handoffs.bearer("alice")) == 0)
    #expect(await record.add(Handoffs.bearer("bob")) == 0)
    #expect(await record.acct("-a", "alice.example.com", "exec", "--", "env") == 0)
    #expect(record.exec.calls.first?.assignment == "ACCT_TOKEN=opaque-alice")
  }

  @Test("The command exec says that a key-bound token is useless without its key")
  func bound() async {
    #expect(await record.add(Handoffs.dpop()) == 0)
    #expect(await record.acct("exec", "--", "env") == 0)
    #expect(record.err.first?.contains("bound to a DPoP key") == true)
    #expect(record.exec.calls.count == 1)
  }

  @Test(
    "The command exec runs nothing on a malformed command line",
    arguments: [
      ["exec"], ["exec", "--"], ["exec", "env"], ["exec", "--", ""], ["exec", "--env", "A=", "--", "env"],
      ["exec", "--env", "1A", "--", "env"], ["exec", "--env", "", "--", "env"], ["exec", "--env", "Ä", "--", "env"],
      ["exec", "--min-valid", "-1", "--", "env"],
    ]
  )
  func usage(arguments: [String]) async {
    #expect(await record.add(Handoffs.bearer()) == 0)
    #expect(await record.run(arguments) == 64)
    #expect(record.exec.calls.isEmpty)
  }

  @Test("The command exec runs nothing without a token")
  func noToken() async {
    #expect(await record.acct("exec", "--", "env") == 5)
    #expect(await record.add(Handoffs.bearer()) == 0)
    record.now += 4000
    #expect(await record.acct("exec", "--", "env") == 4)
    record.keyring.lock()
    #expect(await record.acct("exec", "--", "env") == 6)
    #expect(record.exec.calls.isEmpty)
  }

  @Test("The command exec reports a missing program without a renewal")
  func looksFirst() async {
    #expect(await record.add(Handoffs.dpop()) == 0)
    record.now += 4000
    record.exec.fail(with: .notFound(program: "nope"))
    #expect(await record.acct("exec", "--", "nope") == 127)
    #expect(record.err == ["acct: nope: no such command"])
    #expect(record.requests.isEmpty)
  }

  @Test("The command exec exits as env does if the program can't be run")
  func failures() async {
    #expect(await record.add(Handoffs.bearer()) == 0)
    record.exec.fail(with: .notFound(program: "nope"))
    #expect(await record.acct("exec", "--", "nope") == 127)
    #expect(record.err == ["acct: nope: no such command"])
    record.exec.fail(with: .notExecutable(program: "/etc/passwd", reason: "permission denied"))
    #expect(await record.acct("exec", "--", "/etc/passwd") == 126)
  }
}
