import AcctModel
import AcctPrograms
import AcctTestSupport
import Testing

@Suite("A new token under the name of one for other origins")
struct OtherOriginsTests {
  let record = RecordedWorld()
  private static let (one, two) = ("https://one.example.com", "https://two.example.com")

  private func expectToken(_ token: String, _ location: SourceLocation = #_sourceLocation) async {
    #expect(await record.acct("token", "-a", "k") == 0, sourceLocation: location)
    #expect(record.out == "\(token)\n", sourceLocation: location)
  }

  @Test("It is refused without --replace")
  func refused() async {
    await record.addToken("first", at: Self.one, "--name", "k")
    #expect(await record.addToken("second", at: Self.two, "--name", "k") == 1)
    #expect(
      record.err == [
        "acct: k has a token for https://one.example.com, which was kept",
        "acct: hint: `--replace` replaces it; any other --name adds an account",
      ]
    )
    await expectToken("first")
    #expect(await record.addToken("second", at: Self.two, "--name", "k", "--replace") == 0)
    #expect(record.err == ["acct: replaced the token of k"])
    await expectToken("second")
  }

  @Test("One origin more, or one fewer, is another set of origins; one that the user allowed is no other")
  func sets() async {
    await record.addToken("first", at: Self.one, "--name", "k")
    #expect(await record.addToken("second", at: Self.one, "--allow-origin", Self.two, "--name", "k") == 1)
    #expect(await record.acct("allow", "k", Self.two) == 0)
    #expect(await record.addToken("second", at: Self.one, "--name", "k") == 0)
    #expect(await record.addToken("third", at: Self.one, "--allow-origin", Self.two, "--name", "k") == 0)
    #expect(await record.addToken("fourth", at: Self.two, "--name", "k") == 1)
    await expectToken("third")
  }

  @Test("A login of another program under a name that the user gave is refused as well")
  func fromProgram() async {
    await record.addToken("first", at: Self.one, "--name", "k")
    record.foreignFiles[.git] = "https://alice:second@two.example.com\n"
    #expect(await record.acct("add", "--from", "git", "--name", "k") == 1)
    #expect(record.err.first == "acct: k has a token for https://one.example.com, which was kept")
    await expectToken("first")
    #expect(await record.acct("add", "--from", "git", "--name", "k", "--replace") == 0)
    await expectToken("second")
  }

  @Test("A person is asked, and only yes replaces it")
  func asked() async {
    await record.addToken("first", at: Self.one, "--name", "k")
    record.answer("no", "y")
    #expect(await record.addToken("second", at: Self.two, "--name", "k") == 3)
    await expectToken("first")
    #expect(await record.addToken("second", at: Self.two, "--name", "k", "--no-input") == 1)
    #expect(await record.addToken("second", at: Self.two, "--name", "k") == 0)
    #expect(record.err == ["acct: replaced the token of k"])
    await expectToken("second")
  }

  @Test("Tokens of a file that names no person are refused as well, and with --replace go to the new origin alone")
  func documents() async {
    func add(_ token: String, at origin: String, _ words: String...) async -> Int32 {
      record.provide("-", #"{"access_token": "\#(token)", "token_type": "Bearer"}"#)
      record.clear()
      return await record.run(["add", "--import", "-", "--name", "k", "--allow-origin", origin] + words)
    }
    #expect(await add("first", at: Self.one) == 0)
    #expect(await add("second", at: Self.one) == 0)
    #expect(await add("third", at: Self.two) == 1)
    #expect(record.err.first == "acct: k has a token for https://one.example.com, which was kept")
    await expectToken("second")
    #expect(await add("third", at: Self.two, "--replace") == 0)
    await expectToken("third")
    #expect(await record.acct("header", "-a", "k", "\(Self.one)/") == 8)
  }
}
