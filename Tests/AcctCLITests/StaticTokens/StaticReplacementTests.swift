import AcctCLI
import AcctModel
import AcctPorts
import AcctTestSupport
import StrictJSON
import Testing

@Suite("What a new static token replaces")
struct StaticReplacementTests {
  let record = RecordedWorld()

  @Test("A new static token is not sent to the old one's origins, unless the user allowed them")
  func origins() async {
    await record.addToken("old", at: StaticTokens.origin, "--name", "work")
    #expect(await record.acct("allow", "work", "https://c.example") == 0)
    await record.addToken("new", at: "https://b.example", "--name", "work", "--replace")
    #expect(await record.acct("header", "https://api.example/") == 8)
    #expect(record.out.isEmpty)
    #expect(await record.acct("header", "https://c.example/") == 0)
    #expect(await record.status("origins") == ["https://b.example", "https://c.example"])
  }

  @Test("A static token without a name does not replace one that is sent in another form")
  func otherForm() async {
    await record.addToken("one")
    let items = record.keyring.items
    #expect(await record.addToken("two", at: StaticTokens.origin, "--header", "X-Key") == 64)
    #expect(
      record.err == [
        "acct: static@api.example has a token that is sent in another form",
        "acct: hint: --name static@api.example replaces it; any other --name adds an account",
      ]
    )
    #expect(record.keyring.items == items)
    let name = ["--name", "static@api.example"]
    #expect(
      await record.addToken("two", at: StaticTokens.origin, "--header", "X-Key", name[0], name[1]) == 0
    )
    #expect(await record.acct("token") == 0)
    #expect(record.out == "two\n")
  }

  @Test("A static token whose own name is taken, or can't be made, needs --name")
  func unusableName() async {
    await record.addGuest(Guests.token(), "--name", "alice@api.example")
    for (user, words) in [("alice", "another account is called"), ("a b", "no name for the account")] {
      for _ in 0..<2 {
        #expect(await record.addToken("key", at: StaticTokens.origin, "--basic", user) == 64)
        #expect(record.err.first?.contains(words) == true, "\(record.err)")
        #expect(record.err.last?.contains("give --name") == true)
      }
      let line = ["--basic", user, "--name", "key"]
      for _ in 0..<2 {
        #expect(
          await record.addToken("key", at: StaticTokens.origin, line[0], line[1], line[2], line[3]) == 0
        )
      }
    }
    #expect(record.accountFiles == 2)
  }

  @Test("A static account that gets another name while its token is replaced keeps its token")
  func renamedMeanwhile() async throws {
    let record = record
    await record.addToken("old", at: StaticTokens.origin, "--name", "work")
    let id = try AccountID(try #require(await record.status("id")?.stringValue))
    var world = record.world()
    world.files.lock = { lock, _ throws(FilesFailure) in
      if case .account(id) = lock, let text = record.file(.account(id)) {
        record.corrupt(.account(id), with: text.replacing("\"work\"", with: "\"job\""))
      }
      return HeldLock {}
    }
    record.secretFiles["token"] = "new"
    let add = ["add", "--token", "token", "--allow-origin", StaticTokens.origin, "--name", "work"]
    #expect(await Acct.run(add, in: world) == 0)
    #expect(await record.acct("token", "-a", "job") == 0)
    #expect(record.out == "old\n")
    #expect(await record.acct("token", "-a", "work") == 0)
    #expect(record.out == "new\n")
  }
}
