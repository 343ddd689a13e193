import AcctPorts
import AcctTestSupport
import StrictJSON
import Testing

@Suite("acct remove")
struct RemoveTests {
  private let record = RecordedWorld()

  private func names() async -> [JSON?]? {
    #expect(await record.acct("list", "--json") == 0)
    return record.json?["accounts"]?.arrayValue?.map { $0["name"] }
  }

  @Test("Several accounts are removed at once, and none if one of them is unknown")
  func several() async {
    for name in ["alice", "bob", "carol"] { #expect(await record.add(Handoffs.bearer(name), "--name", name) == 0) }
    #expect(await record.acct("remove", "alice", "dave", "--local") == 5)
    #expect(await names() == ["alice", "bob", "carol"])
    #expect(await record.acct("remove", "alice", "bob", "alice", "--local") == 0)
    #expect(record.err == ["acct: removed alice", "acct: removed bob"])
    #expect(await names() == ["carol"])
    #expect(await record.acct("remove", "--json", "--local", "--all", "--yes") == 0)
    #expect(record.json?["removed"] == ["carol"])
    #expect(await names() == [])
  }

  @Test("A key is removed on a terminal only after a question, which names it")
  func question() async {
    await record.addToken("made-up-token", at: StaticTokens.origin, "--name", "openai")
    #expect(await record.add(Handoffs.bearer("alice"), "--name", "alice") == 0)
    record.answer("n")
    #expect(await record.acct("remove", "alice", "openai") == 3)
    #expect(await names()?.count == 2)
    record.answer("y")
    #expect(await record.acct("remove", "openai") == 0)
    #expect(await names() == ["alice"])
  }

  @Test("--yes and a script's own names ask nothing, and --all without a terminal needs --yes")
  func scripts() async {
    await record.addToken("made-up-token", at: StaticTokens.origin, "--name", "one")
    await record.addToken("made-up-token-2", at: StaticTokens.origin, "--name", "two")
    #expect(await record.acct("remove", "--all") == 64)
    #expect(record.err.first == "acct: one, two would be removed; nothing was changed")
    #expect(await record.acct("remove", "one") == 0)
    record.answer("unused")
    #expect(await record.acct("remove", "--all", "--yes") == 0)
    #expect(await names() == [])
    #expect(await record.acct("remove") == 64)
    #expect(await record.acct("remove", "one", "--all") == 64)
  }

  @Test("The log keeps what was removed, and a new account of the same name has a history of its own")
  func logged() async {
    record.set("HOSTNAME", to: "laptop")
    await record.addToken("made-up-token", at: StaticTokens.origin, "--name", "key")
    record.now += 60
    #expect(await record.acct("remove", "key") == 0)
    for words in [["log"], ["log", "key"]] {
      #expect(await record.run(words) == 0)
      #expect(record.out.contains("removed"), "\(record.out)")
      #expect(record.out.contains("added"))
    }
    await record.addToken("another-token", at: StaticTokens.origin, "--name", "key")
    #expect(await record.acct("log", "key", "--json") == 0)
    let kinds = record.json?["events"]?.arrayValue?.map { $0["event"] }
    #expect(kinds == ["added", "removed", "added"], "\(record.out)")
    #expect(!record.filesText.contains("made-up-token"))
  }

  @Test("A damaged file of removals is written anew, and keeps no account from being removed")
  func notLogged() async {
    await record.addToken("made-up-token", at: StaticTokens.origin, "--name", "key")
    record.corrupt(.removals, with: "{")
    #expect(await record.acct("remove", "key") == 0)
    #expect(await record.acct("log", "key") == 0)
    #expect(record.out.contains("removed"))
  }
}
