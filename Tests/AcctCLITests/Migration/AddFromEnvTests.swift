import AcctPorts
import AcctTestSupport
import StrictJSON
import Testing

/// `acct add --from env`: the keys of a `.env` file.
@Suite("acct add --from env")
struct AddFromEnvTests {
  private let record = RecordedWorld()
  private static let path = "/p/.env"
  private static let file = """
    # keys
    PORT=3000
    export OPENAI_API_KEY="sk-made-up-key-of-a-test" # work
    ANTHROPIC=sk-ant-made-up-key-of-a-test
    STRIPE_SECRET_KEY='sk_test_made_up_key'\r
    EMPTY=

    """
  private static let references = """
    # keys
    PORT=3000
    export OPENAI_API_KEY="acct://openai" # work
    ANTHROPIC=acct://anthropic
    STRIPE_SECRET_KEY='acct://stripe'\r
    EMPTY=

    """

  private func put(_ text: String, at path: String = path) { record.foreignFiles[path] = text }

  private func env(_ options: String...) async -> Int32 {
    record.clear()
    return await record.run(["add", "--from", "env", Self.path] + options)
  }

  private var contents: String? { record.foreignFiles[Self.path] }

  /// `true` if no key stands in anything that was printed, or in acct's files.
  private var isSilent: Bool {
    !(record.err.joined() + record.out + record.filesText).contains("made")
  }

  @Test("Keys are known by their variable or their beginning, and the file with references is printed")
  func printed() async {
    put(Self.file)
    #expect(await env() == 0, "\(record.err)")
    #expect(record.out == Self.references)
    #expect(
      record.err == [
        "acct: 2 settings stay as they are", "acct: added openai", "acct: added anthropic", "acct: added stripe",
        "acct: hint: --rewrite writes the file; to run a command with it: acct exec --env-file /p/.env -- COMMAND",
      ]
    )
    #expect(isSilent && contents == Self.file)
    #expect(await record.acct("header", "-a", "stripe", "https://api.stripe.com/v1") == 0)
    #expect(record.out == "Authorization: Basic c2tfdGVzdF9tYWRlX3VwX2tleTo=\n")
    #expect(await record.acct("status", "openai") == 0)
    #expect(record.out.contains("openai"))
  }

  @Test("A file that is rewritten runs a command with its keys, and the undoing leaves each byte as it was")
  func rewritten() async {
    put(Self.file)
    #expect(await env("--rewrite", "--yes") == 0, "\(record.err)")
    #expect(record.out.isEmpty && contents == Self.references)
    #expect(
      record.err == [
        "acct: 2 settings stay as they are", "--- /p/.env", "+++ /p/.env", "@@ -3 +3 @@",
        "-export OPENAI_API_KEY=\"...\"", "+export OPENAI_API_KEY=\"acct://openai\"", "@@ -4 +4 @@", "-ANTHROPIC=...",
        "+ANTHROPIC=acct://anthropic", "@@ -5 +5 @@", "-STRIPE_SECRET_KEY='...'", "+STRIPE_SECRET_KEY='acct://stripe'",
        "acct: added openai", "acct: added anthropic", "acct: added stripe",
        "acct: /p/.env has references now; `acct add --from env /p/.env --undo` takes that back; "
          + "to run a command with it: acct exec --env-file /p/.env -- COMMAND",
      ]
    )
    #expect(isSilent)
    #expect(await record.acct("exec", "--env-file", Self.path, "--", "x") == 0, "\(record.err)")
    #expect(record.exec.calls.last?.assignment.contains("ANTHROPIC=sk-ant-made-up-key-of-a-test\n") == true)
    #expect(await env("--rewrite", "--yes") == 0)
    #expect(record.err.last == "acct: /p/.env was not changed")
    #expect(await env("--undo", "--dry-run") == 0)
    #expect(record.out.contains("-ANTHROPIC=acct://anthropic\n+ANTHROPIC=…\n"))
    #expect(await env("--undo") == 64)
    #expect(contents == Self.references)
    #expect(await env("--undo", "--yes") == 0, "\(record.err)")
    #expect(contents == Self.file)
    #expect(record.err.last == "acct: /p/.env is as it was before; the accounts stay")
    #expect(isSilent)
    #expect(await env("--undo", "--yes") == 0)
    #expect(record.err == ["acct: acct has not rewritten /p/.env; nothing was changed"])
    #expect(!record.filesText.contains("/p/.env"))
  }

  @Test("A terminal shows the change, and makes it after a yes alone")
  func asked() async {
    put(Self.file)
    record.answer("")
    #expect(await env("--rewrite") == 3)
    #expect(contents == Self.file && record.accountFiles == 0)
    record.answer("y")
    #expect(await env("--rewrite") == 0, "\(record.err)")
    #expect(contents == Self.references)
    #expect(record.prompts.last == "acct: make this change? [y/N] ")
  }

  @Test("Without a terminal and --yes nothing is stored or written")
  func unconfirmed() async {
    put(Self.file)
    #expect(await env("--rewrite") == 64)
    #expect(record.err.last == "acct: hint: confirm it at a terminal, or with --yes")
    #expect(contents == Self.file && record.accountFiles == 0)
  }

  @Test("A secret that no provider has is asked for on a terminal: an origin, a variable alone, or left")
  func secrets() async {
    put("APP_SECRET=made-up-one\nAPI_TOKEN=made-up-two\nDB_PASSWORD=made-up-three\nURL=https://a.example\n")
    record.answer("v", "not an origin", "https://api.example", "")
    #expect(await env() == 0, "\(record.err)")
    #expect(
      record.out
        == "APP_SECRET=acct://app-secret\nAPI_TOKEN=acct://api-token\nDB_PASSWORD=made-up-three\nURL=https://a.example\n"
    )
    #expect(record.err.contains("acct: line 1: APP_SECRET looks like a secret"))
    #expect(await record.acct("header", "https://api.example/v1") == 0)
    #expect(record.out == "Authorization: Bearer made-up-two\n")
    #expect(await record.acct("header", "-a", "app-secret", "https://api.example/v1") == 8)
    #expect(await record.acct("request", "-a", "app-secret", "https://other.example/v1") == 8)
    #expect(record.err.last == "acct: hint: to allow it, run `acct allow app-secret https://other.example`")
    #expect(record.requests.isEmpty)
    #expect(await record.acct("token", "-a", "app-secret") == 0)
    #expect(record.out == "made-up-one\n")
    #expect(await record.acct("exec", "--env", "A=app-secret", "--", "x") == 0)
    #expect(record.exec.calls.last?.assignment == "A=made-up-one")
    #expect(await record.acct("list") == 0, "\(record.err)")
    #expect(await record.acct("status", "app-secret") == 0, "\(record.err)")
    record.secretFiles["key"] = "made-up-four"
    #expect(await record.acct("login", "app-secret", "--token", "key") == 0, "\(record.err)")
    #expect(await record.acct("allow", "app-secret", "https://api.example") == 0)
    #expect(await record.acct("header", "-a", "app-secret", "https://api.example/v1") == 0)
    #expect(record.out == "Authorization: Bearer made-up-four\n")
  }

  @Test("Without a terminal secrets without a provider are left, and named")
  func left() async {
    put("OPENAI_API_KEY=sk-made-up-one\nAPP_SECRET=made-up-two\nPRIVATE_KEY=\"made\nup\"\nGRAFANA_TOKEN=made up\n")
    #expect(await env("--rewrite", "--yes") == 0, "\(record.err)")
    #expect(contents?.hasPrefix("OPENAI_API_KEY=acct://openai\nAPP_SECRET=made-up-two\n") == true)
    #expect(record.err.contains { $0.hasPrefix("acct: APP_SECRET") && $0.hasSuffix("acct asks where they go") })
    #expect(record.err.contains { $0.hasPrefix("acct: line 3: PRIVATE_KEY is left as it is: it has a space") })
    #expect(isSilent)
    put("APP_SECRET=made-up-two\n")
    #expect(await env() == 1)
    #expect(record.err.last == "acct: /p/.env has no key that acct can take over")
    #expect(record.out.isEmpty)
  }

  @Test("The key of an account is that account, and another key of its provider gets a number")
  func known() async {
    record.secretFiles["key"] = "sk-made-up-one"
    #expect(await record.acct("add", "openai", "--token", "key") == 0)
    put("A=sk-made-up-two\nOPENAI_API_KEY=sk-made-up-one\nB=sk-made-up-two\nC=sk-made-up-three\n")
    #expect(await env() == 0, "\(record.err)")
    #expect(
      record.out == "A=acct://openai-2\nOPENAI_API_KEY=acct://openai\nB=acct://openai-2\nC=acct://openai-3\n"
    )
    #expect(record.accountFiles == 3)
    #expect(await env() == 0)
    #expect(record.accountFiles == 3)
  }

  @Test("A key under the variable of one provider that begins as another's is left")
  func foreign() async {
    put("OPENAI_API_KEY=sk-ant-made-up\nMISTRAL_API_KEY=made-up\n")
    #expect(await env("--yes") == 0, "\(record.err)")
    #expect(record.out == "OPENAI_API_KEY=sk-ant-made-up\nMISTRAL_API_KEY=acct://mistral\n")
    #expect(
      record.err.first == "acct: line 1: OPENAI_API_KEY is left as it is: it begins as a key of Anthropic",
      "\(record.err)"
    )
  }

  @Test("--dry-run shows the accounts, and changes nothing")
  func dry() async {
    put(Self.file)
    #expect(await env("--dry-run") == 0, "\(record.err)")
    #expect(record.out.contains("OPENAI_API_KEY") && record.out.contains("https://api.openai.com"))
    #expect(await env("--dry-run", "--rewrite") == 0)
    #expect(record.out.contains("+ANTHROPIC=acct://anthropic\n"))
    #expect(await env("--dry-run", "--json") == 0)
    let keys = record.json?.objectValue?["env"]?.objectValue?["keys"]?.arrayValue
    #expect(keys?.first?.objectValue?["accountName"] == "openai" && keys?.count == 3)
    #expect(record.accountFiles == 0 && contents == Self.file && isSilent)
  }

  @Test("Escapes are written as they were, and the values of accounts as they are now")
  func escapes() async {
    let text = "OPENAI_API_KEY=\"sk-ma\\$de\\\"up\\\\x\"\nMISTRAL_API_KEY=made-up\n"
    put(text)
    #expect(await env("--rewrite", "--yes") == 0, "\(record.err)")
    #expect(await env("--undo", "--yes") == 0, "\(record.err)")
    #expect(contents == text)
    #expect(await env("--rewrite", "--yes") == 0, "\(record.err)")
    record.secretFiles["key"] = "sk-ma$de"
    #expect(await record.acct("login", "openai", "--token", "key") == 0, "\(record.err)")
    put((contents ?? "") + "PORT=1\n")
    #expect(await env("--undo", "--yes") == 0, "\(record.err)")
    #expect(contents == "OPENAI_API_KEY=\"sk-ma\\$de\"\nMISTRAL_API_KEY=made-up\nPORT=1\n")
    #expect(record.err.last?.contains("it is not what it was before") == true)
  }

  @Test("An undoing whose account is gone changes nothing")
  func gone() async {
    put("OPENAI_API_KEY=sk-made-up\nMISTRAL_API_KEY=made-up\n")
    #expect(await env("--rewrite", "--yes") == 0, "\(record.err)")
    #expect(await record.acct("remove", "mistral", "--yes") == 0, "\(record.err)")
    let before = contents
    #expect(await env("--undo", "--yes") == 5)
    #expect(
      record.err.first?.hasPrefix("acct: the value of MISTRAL_API_KEY, acct://mistral, can't be put back") == true
    )
    #expect(contents == before)
  }

  @Test("A file that can't be used is told, and nothing is stored")
  func unusable() async {
    #expect(await env() == 1)
    #expect(record.err == ["acct: /p/.env: no such file or directory"])
    put("OPENAI_API_KEY=sk-made-up\nnonsense\n")
    #expect(await env() == 65)
    #expect(record.err.first == "acct: /p/.env: line 2: no = follows the name")
    put("OPENAI_API_KEY=sk-made-up\n")
    record.foreignFiles.obstruct(Self.path, .readOnly)
    #expect(await env("--rewrite", "--yes") == 1)
    #expect(await env("--name", "work") == 0, "\(record.err)")
    #expect(record.out == "OPENAI_API_KEY=acct://work\n")
    put("OPENAI_API_KEY=sk-made-up-2\nMISTRAL_API_KEY=made-up\n")
    #expect(await env("--name", "other") == 64)
    #expect(record.accountFiles == 1)
  }

  @Test(
    "Options that don't go together are refused",
    arguments: [
      ["add", "--from", "gh", "--rewrite"], ["add", "--from", "env", "--rewrite", "--undo"], ["add", "--undo"],
      ["add", "--from", "env", "--allow-origin", "https://a.example"], ["add", "--from", "env", "--replace"],
      ["add", "openai", "--yes"],
    ]
  )
  func usage(line: [String]) async {
    put("A=1\n", at: ".env")
    #expect(await record.run(line) == 64, "\(record.err)")
  }

  @Test("The file is .env where none is named, and is known by its whole path")
  func named() async {
    put("OPENAI_API_KEY=sk-made-up\n", at: ".env")
    record.enter("/p")
    #expect(await record.acct("add", "--from", "env", "--rewrite", "--yes") == 0, "\(record.err)")
    #expect(record.foreignFiles[".env"] == "OPENAI_API_KEY=acct://openai\n")
    put(record.foreignFiles[".env"] ?? "", at: Self.path)
    #expect(await env("--undo", "--yes") == 0, "\(record.err)")
    #expect(contents == "OPENAI_API_KEY=sk-made-up\n")
  }
}
