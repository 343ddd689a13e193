import Secrets
import AcctTestSupport
import StrictJSON
import Testing

@Suite("A login that docker stores beside the user's own accounts")
struct DockerLoginTests {
  let record = RecordedWorld()

  private func store(_ server: String, _ user: String, _ secret: String, as account: String? = nil) async -> Int32 {
    let login: JSON = ["ServerURL": .string(server), "Username": .string(user), "Secret": .string(secret)]
    record.provide("-", String(decoding: login.serialized(), as: UTF8.self))
    record.clear()
    return await record.run(["helper", "docker", "store"] + (account.map { ["--account", $0] } ?? []))
  }

  private func line(of account: String, at url: String) async -> String {
    #expect(await record.acct("header", url, "-a", account) == 0, "\(record.err)")
    return record.out
  }

  @Test("A login replaces no token that other servers get, too, though it would have its name")
  func sameName() async {
    await record.addToken("pat", at: "https://r.example", "--basic", "alice", "--allow-origin", "https://s.example")
    #expect(await store("r.example", "alice", "pass") == 0)
    #expect(record.accountFiles == 2)
    let own = await line(of: "alice@r.example", at: "https://s.example/")
    #expect(own == "Authorization: Basic YWxpY2U6cGF0\n")
    let login = await line(of: "alice@r.example-2", at: "https://r.example/")
    #expect(login == "Authorization: Basic YWxpY2U6cGFzcw==\n")
  }

  @Test("Neither a logout nor another user's login deletes a token that was allowed elsewhere")
  func allowed() async {
    await record.addToken("pat", at: "https://git.example", "--basic", "alice")
    #expect(await record.acct("allow", "alice@git.example", "https://api.git.example") == 0)
    #expect(await record.docker("erase", "git.example") == 0)
    #expect(record.err.first?.hasSuffix("is not a login that the program has stored") == true)
    #expect(await store("git.example", "bot", "pass") == 0)
    #expect(record.accountFiles == 2)
    let own = await line(of: "alice@git.example", at: "https://api.git.example/")
    #expect(own == "Authorization: Basic YWxpY2U6cGF0\n")
  }

  @Test("A login for an account that is named replaces no other account of that name")
  func named() async {
    await record.addToken("pat", at: "https://api.github.com", "--name", "work")
    #expect(await store("r.example", "alice", "pass", as: "work") == 1)
    #expect(record.out == "" && record.err == ["acct: another account is called work"])
    #expect(await line(of: "work", at: "https://api.github.com/") == "Authorization: Bearer pat\n")
    #expect(await store("ghcr.io", "alice", "one", as: "hub") == 0)
    #expect(await store("quay.io", "alice", "two", as: "hub") == 1)
    #expect(record.err == ["acct: another account is called hub"])
    #expect(await store("ghcr.io", "alice", "pass", as: "hub") == 0)
    let login = await line(of: "hub", at: "https://ghcr.io/")
    #expect(login == "Authorization: Basic YWxpY2U6cGFzcw==\n")
    #expect(await store("ghcr.io", "alice", "three", as: "second") == 0)
    #expect(record.accountFiles == 3)
  }

  @Test("A login is stored where its name is a sign-in's, and for a user that can be no name")
  func freeName() async {
    _ = await record.add(Handoffs.bearer("bob"), "--name", "alice@r.example")
    #expect(await store("r.example", "alice", "pass") == 0, "\(record.err)")
    #expect(record.accountFiles == 2)
    #expect(await store("s.example", "first last", "pass") == 0, "\(record.err)")
    #expect(await record.docker("get", "s.example") == 0)
    #expect(record.json?.objectValue?["Username"] == "first last")
  }
}
