import AcctPorts
import AcctTestSupport
import StrictJSON
import Testing

/// The questions of `acct add` alone, and of a sign-in that lacks its client.
@Suite("acct add, led by questions")
struct GuidedAddTests {
  private let record = RecordedWorld()

  @Test("An API key takes its address, and Enter for all that is usual; the last line asks nothing")
  func key() async {
    record.answer("key", "api.example", "", "", "made-up-key-of-a-test")
    #expect(await record.acct("add") == 0, "\(record.err)")
    #expect(record.err.last == "acct: without questions: `acct add --token FILE --allow-origin https://api.example`")
    #expect(!record.err.joined().contains("made-up-key-of-a-test"))
    #expect(await record.acct("header", "https://api.example/v1") == 0)
    #expect(record.out == "Authorization: Bearer made-up-key-of-a-test\n")
  }

  @Test("A key in a header of its own is asked for no word before it")
  func keyInOtherHeader() async {
    record.answer("an API key", "key", "https://api.example", "X-Key", "made-up-key-of-a-test")
    #expect(await record.acct("add") == 0, "\(record.err)")
    #expect(record.err.contains("acct: that is none of them"))
    #expect(
      record.err.last
        == "acct: without questions: `acct add --token FILE --header X-Key --allow-origin https://api.example`"
    )
    #expect(await record.acct("header", "https://api.example/v1") == 0)
    #expect(record.out == "X-Key: made-up-key-of-a-test\n")
  }

  @Test("An answer that can't be used is asked for again, and costs none of those before it")
  func again() async {
    record.answer("key", "not an address", "api.example", "no header", "X-Key", "", "made-up-key-of-a-test")
    #expect(await record.acct("add") == 0, "\(record.err)")
    #expect(record.prompts.filter { $0.hasPrefix("the address of the API") }.count == 2)
    #expect(record.prompts.filter { $0.hasPrefix("the header that") }.count == 2)
    #expect(record.prompts.filter { $0.hasPrefix("the key") }.count == 2)
    #expect(await record.acct("header", "https://api.example/v1") == 0)
    #expect(record.out == "X-Key: made-up-key-of-a-test\n")
  }

  @Test("A server is asked before anything else of it, and an address that leads nowhere is asked for again")
  func server() async {
    let server = RecordedServer(record, tokens: RecordedServer.tokens("a"))
    record.answer("server", "as", "elsewhere.example/tenant", "as.example")
    #expect(await record.acct("add", "--no-browser") != 0)
    #expect(record.prompts.filter { $0.hasPrefix("its address") }.count == 3, "\(record.prompts)")
    #expect(!server.bodies(RecordedServer.place).isEmpty)
    #expect(record.err.contains { $0.contains("has no OAuth metadata") }, "\(record.err)")
  }

  @Test("A key whose name is an account's is asked for another name, and replaces the key only when told so")
  func name() async {
    record.answer("key", "api.example", "", "", "first-made-up-key-of-a-test")
    #expect(await record.acct("add") == 0, "\(record.err)")
    let name = "static@api.example"
    record.answer("key", "api.example", "", "", "second-made-up-key-of-a-test", "other")
    #expect(await record.acct("add") == 0, "\(record.err)")
    #expect(record.prompts.last == "a name for this one: ")
    #expect(await record.acct("token", "-a", name) == 0)
    #expect(record.out == "first-made-up-key-of-a-test\n")
    #expect(await record.acct("token", "-a", "other") == 0)
    #expect(record.out == "second-made-up-key-of-a-test\n")
    record.answer("key", "api.example", "", "", "third-made-up-key-of-a-test", name, "n", name, "y")
    #expect(await record.acct("add") == 0, "\(record.err)")
    #expect(record.prompts.last == "replace the key of \(name)? [y/N] ")
    #expect(await record.acct("token", "-a", name) == 0)
    #expect(record.out == "third-made-up-key-of-a-test\n")
  }

  @Test("A token that is typed is not shown, and is asked for until there is one")
  func typed() async {
    record.answer("", "made-up-token-of-a-test")
    #expect(await record.acct("add", "--token", "-", "--allow-origin", "https://api.example") == 0, "\(record.err)")
    #expect(record.prompts == ["token (not shown): ", "token (not shown): "])
    record.provide("-", "made-up-token-of-a-pipe")
    #expect(
      await record.acct("add", "--token", "-", "--name", "piped", "--allow-origin", "https://b.example") == 0,
      "\(record.err)"
    )
    #expect(await record.acct("token", "-a", "piped") == 0)
    #expect(record.out == "made-up-token-of-a-pipe\n")
  }

  @Test("A list shows every provider with a number, and a mistyped name gets the one that is meant")
  func list() async {
    record.answer("gihub")
    record.set("TERM", to: "xterm-256color")
    record.setColumns(80)
    #expect(await record.acct("add") == 3)
    // Lines on standard error are escaped: a colour would be shown as its codes.
    #expect(!record.err.contains { $0.contains("\u{1B}") })
    #expect(record.err.contains { $0.hasPrefix("1") && $0.contains("bluesky") }, "\(record.err)")
    #expect(record.err.contains { $0.contains("github") && $0.contains("GitHub") })
    #expect(record.err.contains { $0.contains("that is none of them; did you mean `github`?") })
    #expect(record.accountFiles == 0)
  }

  @Test("Without a terminal nothing is asked, and the error lists what there is to add")
  func noTerminal() async {
    #expect(await record.acct("add") == 64)
    #expect(record.err.first?.hasPrefix("acct: add what? a provider, a handle, --issuer") == true)
    record.answer("key")
    #expect(await record.acct("add", "--no-input") == 64)
  }

  @Test("A provider without a client shows its page with the fields filled in, asks for the id, and remembers it")
  func client() async {
    let server = RecordedServer(record, tokens: RecordedServer.tokens("a"), RecordedServer.tokens("b"))
    record.providerFiles["acme"] = """
      {"title":"Acme","issuer":"\(RecordedServer.issuer)","flow":"device","registration":{"style":"never",
       "url":"\(RecordedServer.issuer)/apps/new?back={redirect}"}}
      """
    record.answer("ours")
    #expect(await record.acct("add", "acme", "--no-browser") == 0, "\(record.err)")
    #expect(record.err.contains("acct: Acme needs to know the client, once; register one here:"), "\(record.err)")
    #expect(record.err.contains { $0.hasPrefix("https://as.example/apps/new?back=http%3A%2F%2F") }, "\(record.err)")
    #expect(server.bodies("/start").last?.contains("client_id=ours") == true)
    record.clear()
    #expect(await record.acct("add", "acme", "--no-browser") == 0, "\(record.err)")
    #expect(server.bodies("/start").last?.contains("client_id=ours") == true)
    #expect(!record.err.contains { $0.contains("register") })
  }
}
