import AcctTestSupport
import Testing

/// The password of `--basic`, which RFC 7617 allows to be any text without control characters.
@Suite("The password of a static account")
struct StaticPasswordTests {
  let record = RecordedWorld()

  static let passwords: [(String, String)] = [
    ("two words\n", "Basic YWxpY2U6dHdvIHdvcmRz"), ("w\u{F6}rter", "Basic YWxpY2U6d8O2cnRlcg=="),
    (" a ", "Basic YWxpY2U6IGEg"), ("a:b\r\n", "Basic YWxpY2U6YTpi"),
  ]

  @Test("A password is the file's text, with blanks and beyond ASCII too", arguments: passwords)
  func text(_ contents: String, _ value: String) async {
    #expect(await record.addToken(contents, "--basic", "alice") == 0, "\(record.err)")
    #expect(await record.acct("header", "https://api.example/") == 0)
    #expect(record.out == "Authorization: \(value)\n")
  }

  static let unusable: [([UInt8], String)] = [
    (Array("".utf8), "token is empty"), (Array("\n".utf8), "token is empty"),
    (Array("a\nb".utf8), "token has more than one line"), (Array("a\tb".utf8), "token has a control character"),
    (Array("a\u{0}b".utf8), "token has a control character"), (Array("a\u{7F}".utf8), "token has a control character"),
    ([0x61, 0xFF], "token is not text"), ([0xC0, 0xAF], "token is not text"),
    ([0xED, 0xA0, 0x80], "token is not text"),
  ]

  @Test("A file that is no password is rejected in words of a password", arguments: unusable)
  func flaw(_ contents: [UInt8], _ words: String) async {
    record.provide("-", bytes: contents)
    let options = ["--basic", "alice", "--allow-origin", "https://api.example"]
    #expect(await record.run(["add", "--token", "-"] + options) == 65)
    let expected = words.replacing("token", with: "standard input")
    #expect(record.err.first?.hasPrefix("acct: \(expected)") == true, "\(record.err)")
    #expect(!record.err.joined().contains("--scheme"))
    #expect(record.accountFiles == 0 && record.keyring.count == 0)
  }

  @Test("A password that takes more than a token does is in no field of another form")
  func otherForm() async {
    #expect(await record.addToken("two words", "--basic", "alice", "--name", "work") == 0)
    #expect(await record.addToken("two words", "--name", "work") == 65)
    #expect(await record.acct("header", "https://api.example/", "-a", "work") == 0)
    #expect(record.out == "Authorization: Basic YWxpY2U6dHdvIHdvcmRz\n")
  }

  @Test("A password of any text is exported, imported and found by doctor")
  func moved() async {
    #expect(await record.addToken("zwei w\u{F6}rter", "--basic", "alice", "--name", "work") == 0)
    #expect(await record.acct("doctor") == 0, "\(record.out) \(record.err)")
    record.set("ACCT_EXPORT_PASSPHRASE_FILE", to: "pass")
    record.secretFiles["pass"] = "made up\n"
    #expect(await record.acct("export", "--all", "-o", "out") == 0, "\(record.err)")
    record.provide("in", record.secretFiles["out"] ?? "")
    #expect(await record.acct("remove", "work") == 0)
    #expect(await record.acct("add", "--import", "in") == 0, "\(record.err)")
    #expect(await record.acct("token", "-a", "work") == 0)
    #expect(record.out == "zwei w\u{F6}rter\n")
  }
}
