import AcctPorts
import AcctPrograms
import AcctTestSupport
import Testing

/// Questions that are not the protocol, and those that only one program has.
@Suite("A question of a program")
struct ProgramQuestionTests {
  let record = RecordedWorld()

  private func ask(_ question: String, _ words: String...) async -> Int32 {
    record.provide("-", question)
    record.clear()
    return await record.run(["helper"] + words)
  }

  @Test(
    "A question that is not Bazel's gets an error, and nothing on standard output",
    arguments: [
      "", "{", "[]", #"{"url":"https://issuer.example"}"#, #"{"uri":1}"#, "\u{0}\u{1B}[2J",
      #"{"uri":"https://issuer.example","uri":"https://issuer.example"}"#,
      "{\"uri\":\"\(String(repeating: "a", count: 1 << 16))\"}",
    ]
  )
  func bazel(_ question: String) async {
    #expect(await record.add(Handoffs.bearer()) == 0)
    #expect(await ask(question, "bazel", "get") == 1)
    #expect(record.out.isEmpty)
    #expect(record.err.first?.hasPrefix("acct: the program's question can't be read: ") == true)
    #expect(!record.err.joined().contains("\u{1B}"))
  }

  @Test("A question of another version of ExecCredential gets an error, and nothing else")
  func kubectl() async {
    #expect(await record.add(Handoffs.bearer()) == 0)
    for info in [
      "{", #"{"kind":"Pod"}"#, #"{"kind":"ExecCredential","apiVersion":"client.authentication.k8s.io/v1alpha1"}"#,
    ] {
      record.set("KUBERNETES_EXEC_INFO", to: info)
      #expect(await record.acct("helper", "kubectl") == 1)
      #expect(record.out.isEmpty)
      #expect(record.err.first?.hasPrefix("acct: the program's question can't be read: ") == true)
    }
  }

  @Test("A kubeconfig that tells no cluster gets the token of the account that the user named with it")
  func noCluster() async {
    #expect(await record.add(Handoffs.bearer()) == 0)
    #expect(await record.acct("helper", "kubectl", "-a", "bob.example.com") == 0)
    #expect(
      record.out
        == #"{"apiVersion":"client.authentication.k8s.io/v1beta1","kind":"ExecCredential","status":"#
        + #"{"expirationTimestamp":"2027-01-15T09:00:00Z","token":"opaque-bob"}}"# + "\n"
    )
    #expect(await record.acct("helper", "kubectl") == 1)
    #expect(record.out.isEmpty)
    #expect(
      record.err.first == "acct: the program does not say which server it asks for"
    )
    #expect(await record.add(Handoffs.dpop()) == 0)
    #expect(await record.acct("helper", "kubectl", "-a", "alice.example.com") == 1)
    #expect(record.out.isEmpty)
    #expect(record.err.first?.hasPrefix("acct: the program can't send the credential of ") == true)
  }

  @Test("The go command gets nothing before a server has asked, whatever accounts there are")
  func go() async {
    #expect(await record.add(Handoffs.bearer()) == 0)
    record.keyring.fail(with: .locked())
    #expect(await record.acct("helper", "go") == 0)
    #expect(record.out.isEmpty)
    #expect(record.err.isEmpty)
  }

  @Test("Cargo asks several questions of one run, and each is answered on its line")
  func cargo() async {
    await record.addGiven()
    let get = AskingProgram.cargo.question(AskingProgram.url)
    let login = #"{"v":1,"registry":{"index-url":"https://issuer.example"},"kind":"login","token":"x"}"#
    #expect(await ask(get + login + "\n" + get, "cargo", "--cargo-plugin") == 0)
    let answer = String(AskingProgram.cargo.bearer("opaque-bob", 0).dropFirst(10))
    #expect(
      record.out == "{\"v\":[1]}\n" + answer + "{\"Err\":{\"kind\":\"operation-not-supported\"}}\n" + answer
    )
    #expect(await ask("", "cargo", "--cargo-plugin") == 0)
    #expect(record.out == "{\"v\":[1]}\n")
  }

  @Test(
    "A line that is not cargo's is an error in cargo's words, and the next one is still answered",
    arguments: ["{", "[]", #"{"v":2}"#, #"{"v":1,"registry":{"index-url":"https://issuer.example"},"kind":"get"}"#]
  )
  func notCargos(_ line: String) async {
    await record.addGiven()
    let get = AskingProgram.cargo.question(AskingProgram.url)
    #expect(await ask("\(line)\n\(get)", "cargo", "--cargo-plugin") == 1)
    let lines = record.out.split(separator: "\n")
    #expect(lines.count == 3)
    #expect(
      lines.dropFirst().first == #"{"Err":{"kind":"other","message":"the request is not one of version 1"}}"#
    )
    #expect(lines.last?.hasPrefix(#"{"Ok":"#) == true)
    #expect(record.err.first?.hasPrefix("acct: the program's question can't be read: ") == true)
  }

  @Test("A line of cargo that has no end is not read to its end")
  func endless() async {
    let line = String(repeating: "a", count: 1 << 17)
    #expect(await ask(line, "cargo", "--cargo-plugin") == 1)
    #expect(record.out == "{\"v\":[1]}\n")
  }

  @Test("The command keyring is asked in the ways of pip and of uv, with options before and behind")
  func keyring() async {
    #expect(await record.add(Handoffs.bearer()) == 0)
    let url = "https://issuer.example/simple/"
    let ways: [([String], String)] = [
      (["get", url, "__token__"], "opaque-bob\n"),
      (
        ["--mode=creds", "--output=json", "get", url],
        #"{"username": "oauth2", "password": "opaque-bob"}"# + "\n"
      ),
      (["--mode", "creds", "--output", "plain", "get", url], "oauth2\nopaque-bob\n"),
      (["get", url, "--mode", "creds"], "oauth2\nopaque-bob\n"),
      (["--account", "bob.example.com", "--mode=creds", "get", url, "alice"], "alice\nopaque-bob\n"),
    ]
    for (words, answer) in ways {
      record.clear()
      #expect(await record.run(["helper", "keyring"] + words) == 0, "\(words)")
      #expect(record.out == answer, "\(words)")
    }
    // The user's own script may choose the account before the words of the program.
    record.clear()
    #expect(
      await record.run(["helper", "-a", "bob.example.com", "keyring", "--mode=creds", "get", url]) == 0
    )
    #expect(record.out == "oauth2\nopaque-bob\n")
  }

  @Test("A host alone, which pip and uv ask for after a URL of plain http was refused, gets nothing")
  func bareHost() async {
    #expect(await record.add(Handoffs.bearer()) == 0)
    #expect(await record.acct("helper", "keyring", "get", "http://issuer.example/", "alice") == 1)
    #expect(record.out.isEmpty)
    #expect(record.err.first?.contains("plain http is for loopback only") == true)
    for host in ["issuer.example", "issuer.example:443"] {
      #expect(await record.acct("helper", "keyring", "get", host, "alice") == 1)
      #expect(record.out.isEmpty && record.err.isEmpty, "\(host) \(record.err)")
    }
  }

  @Test(
    "A user or a host that looks like an option of acct chooses nothing, and prints no help",
    arguments: [
      "--account=work", "--account=work@issuer.example", "-awork", "-h", "--help", "--verbose",
      "--experimental-dump-help", "--version",
    ]
  )
  func options(_ word: String) async {
    for name in ["work", "home"] { await record.addToken("tok-\(name)", at: "https://issuer.example", "--name", name) }
    let url = "https://issuer.example/simple/"
    for words in [
      ["keyring", "get", url, word], ["keyring", "--mode=creds", "get", url, word],
      ["keyring", "get", url, word, "--mode=creds"], ["keyring", "get", word, "alice"],
      ["--account", "git", "keyring", "get", url, word],
    ] {
      record.clear()
      #expect(await record.run(["helper"] + words) == 64, "\(words)")
      #expect(record.out.isEmpty, "\(words)")
      #expect(
        record.err == [
          "acct: the protocol has no operation \(word.prefix { $0 != "=" })",
          "acct: hint: see `man acct-helper`",
        ]
      )
    }
  }

  @Test("Cargo, which sends tokens on, gets that of a sign-in only if the user chooses the account or the origin")
  func given() async {
    #expect(await record.add(Handoffs.bearer()) == 0)
    #expect(await record.ask(.cargo) == 0)
    #expect(record.out == AskingProgram.cargo.none.out)
    #expect(
      record.err == [
        "acct: the program sends tokens on, so it gets that of bob.example.com only if you choose it",
        "acct: hint: set ACCT_ACCOUNT (a .acct file does not count), or, if all of "
          + "https://issuer.example may have it, run "
          + "`acct allow bob.example.com https://issuer.example`",
      ]
    )
    let answer = AskingProgram.cargo.bearer("opaque-bob", 0)
    #expect(await record.ask(.cargo, as: "bob.example.com") == 0)
    #expect(record.out == answer)
    record.set("ACCT_ACCOUNT", to: "bob.example.com")
    #expect(await record.ask(.cargo) == 0)
    #expect(record.out == answer)
    // A token that the user brought with its origins is for them; a sign-in beside it does not compete.
    record.set("ACCT_ACCOUNT", to: "")
    await record.addToken("tok", at: "https://issuer.example", "--name", "registry")
    #expect(await record.acct("switch", "bob.example.com") == 0)
    #expect(await record.ask(.cargo) == 0)
    #expect(record.out.contains("Bearer tok"), "\(record.out) \(record.err)")
  }

  @Test("Bazel's caches that are not at http get none without a word")
  func otherProtocols() async {
    #expect(await record.add(Handoffs.bearer()) == 0)
    for address in ["grpc://cache.example:8980/a", "unix:/run/cache"] {
      #expect(await record.ask(.bazel, for: address) == 0)
      #expect(record.out == "{}\n" && record.err.isEmpty, "\(record.err)")
    }
  }

  @Test("A cluster whose certificate kubectl does not verify gets no token")
  func unverified() async {
    #expect(await record.add(Handoffs.bearer()) == 0)
    record.set(
      "KUBERNETES_EXEC_INFO",
      to: #"{"kind":"ExecCredential","apiVersion":"client.authentication.k8s.io/v1","spec":"#
        + #"{"cluster":{"server":"https://issuer.example","insecure-skip-tls-verify":true}}}"#
    )
    for options in [[], ["--account", "bob.example.com"]] {
      record.clear()
      #expect(await record.run(["helper", "kubectl"] + options) == 1)
      #expect(record.out.isEmpty)
      #expect(
        record.err.first?.hasPrefix("acct: the program does not verify the server's certificate") == true
      )
    }
  }

  @Test("What the command keyring does not know is bad usage; what it is to store is ignored")
  func keyringsOthers() async {
    #expect(await record.add(Handoffs.bearer()) == 0)
    let url = "https://issuer.example/simple/"
    for words in [["get", url, "a", "--later"], ["diagnose"], ["get", url, "a", "b"]] {
      record.clear()
      #expect(await record.run(["helper", "keyring"] + words) == 64, "\(words)")
      #expect(record.out.isEmpty)
    }
    for words in [["get", url], ["get", url, "a\nb"], ["--mode=all", "get", url, "a"]] {
      record.clear()
      #expect(await record.run(["helper", "keyring"] + words) == 1, "\(words)")
      #expect(record.out.isEmpty)
    }
    #expect(await record.acct("helper", "keyring", "set", url, "alice") == 0)
    #expect(record.out.isEmpty)
    #expect(await record.acct("helper", "keyring", "del", url, "alice") == 1)
    #expect(record.accountFiles == 1)
  }

  @Test("A token in a field of its own goes to Bazel alone: the go command would send it on")
  func forms() async {
    await record.addToken("tok-a", at: "https://issuer.example", "--header", "X-API-Key")
    #expect(await record.ask(.bazel) == 0)
    #expect(record.out == #"{"headers":{"X-API-Key":["tok-a"]}}"# + "\n")
    for program in [AskingProgram.kubectl, .go, .cargo, .keyring] {
      let status = await record.ask(program)
      #expect(record.out == program.none.out && status == program.none.status, "\(program.name)")
    }
  }
}
