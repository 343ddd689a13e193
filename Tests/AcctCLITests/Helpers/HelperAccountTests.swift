import AcctCLI
import AcctConsole
import AcctPorts
import AcctTestSupport
import Testing

@Suite("The account that a program gets")
struct HelperAccountTests {
  let record = RecordedWorld()

  private func asked(_ attributes: String..., as account: String? = nil) async -> String {
    let question = ["protocol=https", "host=git.example"] + attributes
    record.provide("-", question.map { "\($0)\n" }.joined() + "\n")
    record.clear()
    let options = account.map { ["--account", $0] } ?? []
    #expect(await record.run(["helper", "git"] + options + ["get"]) == 0)
    return record.out.split(separator: "\n").first { $0.hasPrefix("password=") }.map { String($0.dropFirst(9)) } ?? ""
  }

  @Test("Of several accounts that have the origin, the one that is chosen answers")
  func chosen() async {
    for name in ["a", "b", "c"] { await record.addToken("tok-\(name)", at: "https://git.example", "--name", name) }
    #expect(await asked() == "tok-c")
    #expect(await asked(as: "a") == "tok-a")
    record.set("ACCT_ACCOUNT", to: "b")
    #expect(await asked() == "tok-b")
    #expect(await asked(as: "a") == "tok-a")
    record.set("ACCT_ACCOUNT", to: "")
    record.place([.trusted(path: "/x/.acct", names: ["a"])])
    #expect(await asked() == "tok-a")
  }

  @Test("The only account that has the origin answers, whichever account is active")
  func only() async {
    await record.addToken("tok-a", at: "https://git.example", "--name", "a")
    await record.addToken("tok-b", at: "https://other.example", "--name", "b")
    #expect(await asked() == "tok-a")
    record.set("ACCT_ACCOUNT", to: "b")
    #expect(await asked() == "tok-a")
  }

  @Test("Two accounts that have the origin, none of them chosen, are both named and neither answers")
  func ambiguous() async {
    await record.addToken("tok-a", at: "https://git.example", "--name", "a")
    await record.addToken("tok-b", at: "https://git.example", "--name", "b")
    await record.addToken("tok-c", at: "https://other.example", "--name", "c")
    #expect(await asked() == "")
    #expect(
      record.err == [
        "acct: https://git.example is an origin of more than one account: a, b",
        "acct: hint: select one with --account, ACCT_ACCOUNT, a .acct file or `acct switch`",
      ]
    )
    #expect(await asked("username=b") == "tok-b")
    #expect(await asked("username=nobody") == "")
  }

  @Test("A user that the program names chooses between accounts, also against the active one")
  func user() async {
    await record.addToken("pass-a", at: "https://git.example", "--basic", "alice")
    await record.addToken("pass-b", at: "https://git.example", "--basic", "bob")
    #expect(await asked() == "pass-b")
    #expect(await asked("username=alice") == "pass-a")
    #expect(await asked("username=carol") == "")
    #expect(await asked("username=alice", as: "bob@git.example") == "pass-a")
    record.set("ACCT_ACCOUNT", to: "bob@git.example")
    #expect(await asked("username=alice") == "pass-a")
    #expect(await asked("username=carol") == "")
    #expect(record.err.joined().contains("another user than that of bob@git.example"))
  }

  @Test("An account that was named and lacks the origin is refused, and the hint allows it")
  func refused() async {
    await record.addToken("tok-a", at: "https://git.example", "--name", "a")
    await record.addToken("tok-b", at: "https://other.example", "--name", "b")
    #expect(await asked(as: "b") == "")
    #expect(record.err.count == 2)
    #expect(record.err.last == "acct: hint: to allow it, run `acct allow b https://git.example`")
    #expect(await asked(as: "nobody") == "")
    #expect(record.err.first == "acct: no account is called nobody")
  }

  @Test("The active account answers if it can, and no other takes its place if it can't")
  func activeCannot() async {
    await record.addToken("tok-a", at: "https://git.example", "--name", "a")
    await record.addToken("key", at: "https://git.example", "--name", "b", "--header", "X-Key")
    #expect(await asked() == "")
    #expect(record.err.first?.contains("the credential of b") == true)
    #expect(await record.acct("switch", "a") == 0)
    #expect(await asked() == "tok-a")
  }

  @Test("No account at all, and none with the origin, are told apart from a locked keyring")
  func none() async {
    #expect(await asked() == "")
    #expect(record.err.first == "acct: no account has the origin https://git.example")
    await record.addToken("tok", at: "https://git.example", "--name", "a")
    record.keyring.lock()
    record.keyring.unlockWhenAsked()
    #expect(await asked() == "")
    #expect(record.err.first?.hasPrefix("acct: the keyring is locked") == true)
    #expect(await record.docker("get", "git.example") == 1)
    #expect(record.out == "credentials not found in native keychain\n")
    #expect(record.err.first?.hasPrefix("acct: the keyring is locked") == true)
  }

  @Test("A .acct file that is ignored is named")
  func ignored() async {
    await record.addToken("tok", at: "https://git.example", "--name", "a")
    record.place([.ignored(path: "/x/.acct", reason: "made up")])
    #expect(await asked() == "tok")
    #expect(record.err == ["acct: /x/.acct is ignored: made up"])
  }

  @Test("Reasons are JSON where that is asked for")
  func json() async {
    #expect(await record.helper("protocol=https\nhost=a.example\n\n", "git", "get", "--json") == 0)
    #expect(record.out == "" && record.err.first?.hasPrefix(#"{"version":1,"error""#) == true)
  }

  @Test("The name that acct is called by chooses the protocol")
  func names() {
    func arguments(_ line: String...) -> [String] { Acct.arguments(of: line) }
    #expect(arguments("acct", "list") == ["list"])
    #expect(arguments("/usr/bin/acct") == [])
    #expect(arguments("/usr/bin/git-credential-acct", "get") == ["helper", "git", "get"])
    #expect(
      arguments("git-credential-acct", "--account", "work", "get") == ["helper", "git", "--account", "work", "get"]
    )
    #expect(arguments("docker-credential-acct", "list") == ["helper", "docker", "list"])
    #expect(arguments("/x/git-credential-acct/acct", "get") == ["get"])
    #expect(arguments() == [])
  }
}
