import AcctPorts
import AcctTestSupport
import Testing

/// `acct exec` with the tokens of several accounts.
@Suite("acct exec with several accounts")
struct ExecSeveralTests {
  private let record = RecordedWorld()

  /// Adds a key of a made-up server.
  private func addKey(_ name: String, _ options: String...) async {
    record.secretFiles["token"] = "made-up-key-of-\(name)"
    let line = ["add", "--token", "token", "--allow-origin", "https://\(name).example", "--name", name] + options
    #expect(await record.run(line) == 0, "\(record.err)")
    record.clear()
  }

  private var assignments: [String] {
    record.exec.calls.last?.assignment.split(separator: "\n").map(String.init) ?? []
  }

  @Test("Each --env NAME=ACCOUNT has the token of its account, and --env NAME that of the selected one")
  func variables() async {
    await addKey("openai")
    await addKey("stripe")
    #expect(await record.add(Handoffs.bearer()) == 0)
    record.clear()
    let line = ["exec", "--env", "A=openai", "--env", "B=stripe", "--env", "C", "--", "env"]
    #expect(await record.run(line) == 0, "\(record.err)")
    #expect(assignments == ["A=made-up-key-of-openai", "B=made-up-key-of-stripe", "C=opaque-bob"])
    #expect(record.out.isEmpty && record.err.isEmpty, "\(record.err)")
    #expect(await record.acct("-a", "stripe", "exec", "--env", "A", "--env", "B=openai", "--", "env") == 0)
    #expect(assignments == ["A=made-up-key-of-stripe", "B=made-up-key-of-openai"])
    let url = "https://openai.example/v1"
    #expect(await record.acct("exec", "--for", url, "--env", "A", "--env", "B=stripe", "--", "env") == 0)
    #expect(assignments == ["A=made-up-key-of-openai", "B=made-up-key-of-stripe"])
  }

  @Test("A variable of a service gets the key of that service's account, and never the active one's of another")
  func service() async {
    for (service, key) in [("openai", "sk-proj-made-up"), ("stripe", "sk_test_made_up")] {
      record.provide("-", "\(key)\n")
      #expect(await record.acct("add", service, "--token", "-") == 0, "\(record.err)")
    }
    #expect(await record.acct("exec", "--env", "OPENAI_API_KEY", "--", "env") == 0, "\(record.err)")
    #expect(assignments == ["OPENAI_API_KEY=sk-proj-made-up"])
    #expect(record.err == ["acct: using openai, whose service reads OPENAI_API_KEY"])
    #expect(await record.acct("exec", "--env", "OPENAI_API_KEY", "--env", "B=stripe", "--", "env") == 0)
    #expect(assignments == ["OPENAI_API_KEY=sk-proj-made-up", "B=sk_test_made_up"])
    #expect(await record.acct("-a", "stripe", "exec", "--env", "OPENAI_API_KEY", "--", "env") == 0)
    #expect(assignments == ["OPENAI_API_KEY=sk_test_made_up"])
    #expect(await record.acct("exec", "--env", "GROQ_API_KEY", "--", "env") == 8)
    #expect(record.err.first == "acct: stripe is a key of another service than GROQ_API_KEY's")
    record.provide("-", "sk-proj-second\n")
    #expect(await record.acct("add", "openai", "--token", "-", "--name", "second", "--no-switch") == 0)
    #expect(await record.acct("exec", "--env", "OPENAI_API_KEY", "--", "env") == 5)
    #expect(record.err.first?.hasSuffix("several accounts are of that one: openai, second") == true, "\(record.err)")
  }

  @Test(
    "A .env file has plain values and references to a token, a user and a header, and the last line of a name counts"
  )
  func file() async {
    await addKey("openai")
    await addKey("git", "--basic", "mara")
    record.foreignFiles[".env"] = """
      # settings
      PORT=3000
      export A="acct://openai"
      A=acct://git
      U='acct://git/user'
      H=acct://openai/header # the whole value
      B="two
      lines"
      EMPTY=

      """
    #expect(await record.acct("exec", "--env-file", ".env", "--", "env") == 0, "\(record.err)")
    #expect(
      assignments == [
        "PORT=3000", "A=made-up-key-of-git", "U=mara", "H=Bearer made-up-key-of-openai", "B=two", "lines", "EMPTY=",
      ]
    )
    record.provide("-", "A=acct://openai\nB=1\n")
    #expect(await record.acct("exec", "--env-file", "-", "--env", "A=git", "--", "env") == 0, "\(record.err)")
    #expect(assignments == ["A=made-up-key-of-git", "B=1"])
    #expect(record.out.isEmpty && record.err.isEmpty)
  }

  @Test(
    "Nothing is run where one line can't be used, and its number is told",
    arguments: [
      ("A=acct://openai\nB=acct://nope\n", 5, ".env, line 2: no account is called nope"),
      ("A=acct://openai\n\nnonsense\n", 65, ".env: line 3: no = follows the name"),
      ("A=acct://\n", 5, ".env, line 1: "),
      ("A=acct://alice.example.com/header\n", 64, ".env, line 1: alice.example.com has a DPoP key"),
      ("A=acct://openai/user\n", 65, "the user of openai is not known"),
      ("A=acct://query/header\n", 64, "the token of query is sent in the URL's query"),
    ] as [(String, Int32, String)]
  )
  func lines(text: String, status: Int32, words: String) async {
    await addKey("openai")
    await addKey("query", "--query", "key")
    #expect(await record.add(Handoffs.dpop()) == 0)
    record.clear()
    record.foreignFiles[".env"] = text
    #expect(await record.acct("exec", "--env-file", ".env", "--", "env") == status, "\(record.err)")
    #expect(record.err.first?.hasPrefix("acct: \(words)") == true, "\(record.err)")
    #expect(record.exec.calls.isEmpty)
  }

  @Test("Nothing is run where one token can't be had, and its account is named")
  func wholly() async {
    await addKey("openai")
    #expect(await record.add(Handoffs.bearer()) == 0)
    record.now += 4000
    record.clear()
    let line = ["exec", "--env", "A=openai", "--env", "B=bob.example.com", "--", "env"]
    #expect(await record.run(line) == 4)
    #expect(record.err.first?.contains("bob.example.com") == true, "\(record.err)")
    record.clear()
    record.keyring.lock()
    #expect(await record.run(line) == 6)
    #expect(record.exec.calls.isEmpty)
    #expect(await record.acct("exec", "--env", "A=openai", "--env", "B=nope", "--", "env") == 5)
    record.exec.fail(with: .notFound(program: "nope"))
    #expect(await record.acct("exec", "--env", "A=openai", "--", "nope") == 127)
  }

  @Test("A file that is not there, or is too large, is told")
  func files() async {
    await addKey("openai")
    #expect(await record.acct("exec", "--env-file", "no.env", "--", "env") == 65)
    #expect(record.err.first == "acct: no.env: no such file or directory")
    record.foreignFiles[".env"] = String(repeating: "A=1\n", count: 1 << 18) + "\n"
    #expect(await record.acct("exec", "--env-file", ".env", "--", "env") == 65)
    #expect(record.exec.calls.isEmpty)
  }

  @Test(
    "Options that don't go together are refused",
    arguments: [
      ["--env", "A=openai", "--env", "A"], ["--env", "A=openai", "--token-file", "B"], ["--env", "=openai"],
      ["--env-file", ".env", "--id-token-file", "B"], ["--env", "A=openai", "--for", "https://openai.example"],
      ["-a", "openai", "--env", "A=openai"], ["--env-file", ".env", "-a", "openai"],
      ["--env", "A=openai", "--credentials", "x"], ["--env", "A=openai", "--env", "1=openai"],
    ]
  )
  func usage(options: [String]) async {
    await addKey("openai")
    record.foreignFiles[".env"] = "A=1\n"
    #expect(await record.run(["exec"] + options + ["--", "env"]) == 64, "\(record.err)")
    #expect(record.exec.calls.isEmpty)
  }

  @Test("A locked keyring is opened once, before the accounts are read side by side")
  func unlocked() async {
    await addKey("openai")
    await addKey("stripe")
    await addKey("git")
    let before = record.keyring.reads
    #expect(await record.acct("exec", "--env", "A=openai", "--env", "B=stripe", "--env", "C=git", "--", "x") == 0)
    #expect(record.keyring.reads == before + 4)
  }
}

/// The option that every command has.
@Suite("--account")
struct AccountOptionTests {
  private let record = RecordedWorld()

  @Test(
    "An account that is given twice is a mistake for every command",
    arguments: [
      ["-a", "bob", "-a", "alice", "header", "https://pds.example/"], ["list", "-a", "bob", "--account", "alice"],
      ["-a", "bob", "token", "--account=alice"], ["status", "-a", "bob", "-a", "bob"],
      ["exec", "-a", "bob", "-a", "alice", "--", "env"], ["log", "-a", "bob", "-qa", "alice"],
      ["request", "https://pds.example/", "-a", "bob", "--account", "alice"],
      ["helper", "setup", "aws", "-a", "bob", "-a", "alice"], ["-a", "bob", "helper", "git", "get", "-a", "alice"],
    ]
  )
  func twice(line: [String]) async {
    #expect(await record.add(Handoffs.bearer()) == 0)
    record.clear()
    #expect(await record.run(line) == 64)
    #expect(record.err.first == "acct: --account is given twice, and a command is for one account", "\(record.err)")
    #expect(record.exec.calls.isEmpty && record.requests.isEmpty)
  }

  @Test("The words of exec's program are its own")
  func program() async {
    #expect(await record.add(Handoffs.bearer()) == 0)
    #expect(await record.acct("exec", "-a", "bob.example.com", "--", "x", "-a", "1", "-a", "2") == 0, "\(record.err)")
  }
}
