import AcctModel
import AcctPorts
import AcctTestSupport
import StrictJSON
import Testing

@Suite("Messages on the command line")
struct OutputTests {
  let record = RecordedWorld()

  @Test(
    "Bad usage exits 64 with one lower-case line and one hint on standard error",
    arguments: [
      ["nope"], ["header", "--nope"], ["header", "a", "b", "c"], ["remove"], ["rename", "a"],
      ["token", "--min-valid", "soon"], ["list", "--timeout", "0"], ["add"], ["header", "--format", "xml"],
    ]
  )
  func usage(arguments: [String]) async {
    #expect(await record.run(arguments) == 64)
    #expect(record.out.isEmpty)
    #expect(record.err.count == 2)
    let message = record.err.first?.dropFirst("acct: ".count)
    #expect(record.err.first?.hasPrefix("acct: ") == true)
    #expect(message?.first?.isUppercase == false)
    #expect(message?.last != ".")
    #expect(message?.contains(". ") == false)
    #expect(record.err.last?.hasPrefix("acct: hint: ") == true)
  }

  @Test(
    "A value that is none of a few is answered with all of them, and the one that is meant",
    arguments: [
      (["add", "--from", "gitt"], "git"), (["add", "--from", "oidc"], "oidc-agent"),
      (["header", "https://a.example", "--format", "crul"], "curl"), (["helper", "gti"], "git"),
      (["add", "--issuer", "https://a.example", "--grant", "jwt"], "jwt-bearer"),
    ]
  )
  func meantValue(line: [String], meant: String) async {
    let record = RecordedWorld()
    #expect(await record.run(line) == 64)
    #expect(record.err.first?.contains("; it is one of '") == true, "\(record.err)")
    #expect(record.err.last?.contains("did you mean `\(meant)`?") == true, "\(record.err)")
  }

  @Test(
    "A mistyped option before the command gets the one that is meant as a suggestion, as behind it",
    arguments: [
      (["--jsn", "list"], "--json"), (["list", "--jsn"], "--json"), (["--acount", "a", "list"], "--account"),
      (["--timout=5", "list"], "--timeout"), (["--quiet", "--no-colour", "list"], "--no-color"),
      (["--noinput", "add", "github"], "--no-input"), (["-version"], "--version"), (["--versoin"], "--version"),
      (["--hepl", "list"], "--help"), (["--verbos", "vault", "unlock"], "--verbose"),
      (["--jsn", "exec", "--", "ls", "--jsno"], "--json"),
      (["--offline", "header", "https://a.example"], "acct header --offline"),
    ]
  )
  func leadingOption(line: [String], meant: String) async {
    let record = RecordedWorld()
    #expect(await record.run(line) == 64)
    #expect(record.err.first?.hasPrefix("acct: unknown option '-") == true, "\(record.err)")
    #expect(record.err.last?.hasPrefix("acct: hint: did you mean `\(meant)`? `acct ") == true, "\(record.err)")
  }

  @Test("A letter that is no option is called that before the command")
  func leadingLetter() async {
    let record = RecordedWorld()
    #expect(await record.run(["-x", "list"]) == 64)
    #expect(record.err == ["acct: unknown option '-x'", "acct: hint: `acct list --help` shows what it takes"])
  }

  @Test("A closed list of values is printed whole, however long it is, and where none was given")
  func closedLists() async {
    let programs = "'git', 'docker', 'kubectl', 'bazel', 'go', 'cargo', 'keyring', 'google', 'terraform' or 'aws'"
    #expect(await record.run(["helper", "frobnicate"]) == 64)
    #expect(
      record.err.first == "acct: the value 'frobnicate' is invalid for '<program>'; it is one of \(programs)"
    )
    for words in [["helper"], ["helper", "--verbose"], ["helper", "--account", "git"]] {
      record.clear()
      #expect(await record.run(words) == 64)
      #expect(
        record.err.first == "acct: missing expected argument '<program>'; it is one of \(programs)"
      )
    }
    #expect(record.err.count == 2 && record.out.isEmpty)
  }

  @Test("A missing command is reported as such, wherever its name stands")
  func unknownCommand() async {
    #expect(await record.run(["--no-input", "nope", "x"]) == 64)
    #expect(record.err.first == "acct: there is no command nope")
  }

  @Test(
    "A mistyped command, or another program's name for it, gets the one that is meant as a suggestion",
    arguments: [
      ("swtch", "switch"), ("lsit", "list"), ("hedaer", "header"), ("ad", "add"), ("Switch", "switch"),
      ("stauts", "status"), ("exprot", "export"), ("whoami", "status"), ("ls", "list"), ("rm", "remove"),
      ("logout", "remove"), ("signin", "login"),
    ]
  )
  func mistyped(word: String, command: String) async {
    for line in [[word], [word, "--nope", "x"], ["-a", "alice", word], ["help", word]] {
      record.clear()
      #expect(await record.run(line) == 64)
      #expect(
        record.err == ["acct: there is no command \(word)", "acct: hint: did you mean `acct \(command)`?"]
      )
    }
  }

  @Test(
    "A command unlike any other gets no suggestion, and a hidden one is never suggested",
    arguments: ["frobnicate", "x", "hme", "complet"]
  )
  func unlike(word: String) async {
    #expect(await record.run([word]) == 64)
    #expect(record.err.last == "acct: hint: run `acct --help`")
  }

  @Test(
    "The command help says that a command does not exist",
    arguments: [["nope"], ["vault", "nope"], ["list", "nope"], ["vault", "lock", "nope"]]
  )
  func unknownHelp(names: [String]) async {
    #expect(await record.run(["help"] + names) == 64)
    #expect(record.err.first == "acct: there is no command \(names.joined(separator: " "))")
    #expect(record.out.isEmpty)
  }

  @Test("Bad usage with --json is one JSON object on standard error")
  func usageJSON() async {
    #expect(await record.run(["token", "--json", "--nope"]) == 64)
    let error = try? JSON(parsing: Array(record.err.joined().utf8)).objectValue?["error"]
    #expect(error?.objectValue?["exit"] == 64)
  }

  @Test(
    "Help and version are printed to standard output",
    arguments: [["--help"], ["--version"], ["help"], ["help", "add"], ["help", "vault", "lock"], ["help", "help"]]
  )
  func help(arguments: [String]) async {
    #expect(await record.run(arguments) == 0)
    #expect(!record.out.isEmpty)
    #expect(record.err.isEmpty)
  }

  @Test("The option --quiet silences everything but errors")
  func quiet() async {
    record.provide("-", Handoffs.dpop())
    #expect(await record.acct("add", "--import", "-", "--quiet") == 0)
    #expect(record.err.isEmpty)
    #expect(record.out.isEmpty)
  }

  @Test("The command list marks the active account and aligns its columns")
  func list() async {
    #expect(await record.add(Handoffs.dpop()) == 0)
    #expect(await record.add(Handoffs.bearer()) == 0)
    #expect(await record.acct("list") == 0)
    #expect(
      record.out == """
           NAME               SERVER          TOKEN   STATE  EXPIRES
           alice.example.com  pds.example     DPoP    valid  in 1 h, renews itself
        *  bob.example.com    issuer.example  Bearer  valid  in 1 h, then sign in

        """
    )
  }

  @Test("An account in JSON has exactly the keys of the contract")
  func accountKeys() async {
    #expect(await record.add(Handoffs.dpop()) == 0)
    #expect(await record.acct("list", "--json") == 0)
    let account = record.json?.objectValue?["accounts"]?.arrayValue?.first?.objectValue
    #expect(
      account?.names == [
        "id", "name", "kind", "handle", "did", "displayName", "service", "issuer", "clientId", "provider",
        "origins", "places", "scope", "tokenType", "thumbprint", "keyStorage", "active", "state", "reason", "expiresAt",
        "canRenew", "sessionEndsAt", "createdAt", "validatedAt", "limitations", "sentAs", "boundTo",
        "certificateEndsAt",
      ]
    )
    #expect(account?["origins"] == ["https://pds.example"])
    #expect(account?["thumbprint"] == .string(Handoffs.thumbprint))
    #expect(account?["issuer"] == "https://auth.example")
  }

  @Test("A damaged account file is named, and the other accounts are listed")
  func damaged() async {
    #expect(await record.add(Handoffs.dpop()) == 0)
    #expect(await record.add(Handoffs.bearer()) == 0)
    #expect(await record.acct("status", "--json", "alice.example.com") == 0)
    let id = record.json?.objectValue?["account"]?.objectValue?["id"]?.stringValue ?? ""
    if let id = try? AccountID(id) { record.corrupt(.account(id), with: "{") }
    #expect(await record.acct("list") == 0)
    #expect(record.out.contains("bob.example.com"))
    #expect(record.err == ["acct: the file of account \(id) is damaged: /data/accounts/\(id).json; skipped"])
  }

  @Test("Text from a server can't control the terminal")
  func escapes() async {
    let handoff = Handoffs.bearer(changing: ["displayName": "\u{1B}[31mred\u{7}", "scope": "a\nb"])
    #expect(await record.add(handoff) == 0)
    #expect(await record.acct("status") == 0)
    #expect(!record.out.contains("\u{1B}"))
    #expect(record.out.contains("\\u{1b}[31mred\\u{7}"))
    #expect(record.out.contains("a\\nb"))
  }

  @Test("The private key is printed only on request")
  func privateKey() async {
    #expect(await record.add(Handoffs.dpop()) == 0)
    #expect(await record.acct("key", "show") == 0)
    #expect(record.json?.objectValue?.names.contains("d") == false)
    #expect(await record.acct("key", "show", "--private") == 0)
    #expect(record.json?.objectValue?["d"] == Handoffs.key.objectValue?["d"])
  }

  @Test("A key is restored only if it is the account's own")
  func keyImport() async throws {
    #expect(await record.add(Handoffs.dpop()) == 0)
    try await record.keyring.lose([.keypair])
    #expect(await record.acct("header", "https://pds.example/") == 4)
    let other: JSON = [
      "kty": "EC", "crv": "P-256",
      "x": "f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU",
      "y": "x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0",
      "d": "jpsQnnGQmL-YBIffH1136cspYG6-0iY7X1fCE9-E9LI",
    ]
    record.provide("-", String(decoding: other.serialized(), as: UTF8.self))
    #expect(await record.acct("key", "import") == 65)
    record.provide("-", String(decoding: Handoffs.key.serialized(), as: UTF8.self))
    #expect(await record.acct("key", "import") == 0)
    #expect(await record.acct("header", "https://pds.example/") == 0)
  }
}
