import AcctProtocol
import Secrets
import Testing

/// `.env` files.
@Suite("A .env file")
struct EnvFileTests {
  private static func text(_ secret: Secret) -> String {
    secret.withBytes { bytes in String(decoding: bytes.indices.map { bytes[$0] }, as: UTF8.self) }
  }

  @Test(
    "A .env file is read as dotenv implementations read it, and nothing of a value is dropped",
    arguments: EnvForm.all
  )
  func read(_ form: EnvForm) throws {
    let entry = try #require(try EnvFile(parsing: Secret(form.text)).entries.last)
    #expect(entry.variable == form.variable)
    #expect(Self.text(entry.value) == form.value)
  }

  @Test(
    "A value that is replaced and put back leaves every byte of the file as it was",
    arguments: EnvForm.all.filter { !$0.value.isEmpty }
  )
  func rewritten(_ form: EnvForm) throws {
    let contents = Secret(form.text)
    let entry = try #require(try EnvFile(parsing: contents).entries.last)
    let rewritten = EnvFile.replacing([(entry.place, Secret("acct://openai"))], in: contents)
    let changed = try #require(try EnvFile(parsing: rewritten).entries.last)
    #expect(changed.variable == form.variable)
    #expect(AccountReference(changed.value)?.account == "openai")
    let escapes = try #require(entry.escapes(in: contents))
    let value = EnvFile.written(entry.value, escaping: escapes)
    #expect(Self.text(EnvFile.replacing([(changed.place, value)], in: rewritten)) == form.text)
  }

  @Test("A value with CR and LF inside quotes has LF alone, and can't be made again of it")
  func breaks() throws {
    let contents = Secret("KEY=\"one\r\ntwo\rthree\"\r\n")
    let entry = try #require(try EnvFile(parsing: contents).entries.first)
    #expect(Self.text(entry.value) == "one\ntwo\nthree")
    #expect(entry.escapes(in: contents) == nil)
  }

  @Test(
    "A line that is none is told with its number and the reason",
    arguments: [
      ("A=1\nabc\n", 2, .equals), ("A=1\r\n\r\n=abc\r\n", 3, .name), ("A=\"one\ntwo\"\nB\n", 3, .equals),
      ("A=\"one\" two\n", 1, .rest), ("A=\"one\ntwo\" three\n", 2, .rest), ("http://a.example\n", 1, .equals),
      ("A=1\n\"B\"=2\n", 2, .name), ("A=1\0\n", 1, .zero), ("export\n", 1, .equals), ("A:b\n", 1, .equals),
      ("set -a\n", 1, .equals),
    ] as [(String, Int, EnvFlaw.Reason)]
  )
  func malformed(text: String, line: Int, reason: EnvFlaw.Reason) {
    let flaw = #expect(throws: EnvFlaw.self) { try EnvFile(parsing: Secret(text)) }
    #expect(flaw?.line == line)
    #expect(flaw?.reason == reason)
  }

  @Test("A file outside of UTF-8 is told with its line")
  func encoding() {
    let flaw = #expect(throws: EnvFlaw.self) { try EnvFile(parsing: Secret(Array("A=1\nB=".utf8) + [0xFF])) }
    #expect(flaw?.line == 2)
    #expect(flaw?.reason == .encoding)
  }

  @Test(
    "A file without a variable has none",
    arguments: ["", "\n", "# a comment", "\u{FEFF}", "\r\n \t\r\n", "export A\n"]
  )
  func empty(text: String) throws {
    #expect(try EnvFile(parsing: Secret(text)).entries.isEmpty)
  }

  @Test(
    "A reference names an account and a part of it",
    arguments: [
      ("acct://openai", "openai", .token), ("acct://openai/user", "openai", .user),
      ("acct://alice@git.example:8443/header", "alice@git.example:8443", .header), ("acct://a/b", "a/b", .token),
      ("acct://", "", .token), ("acct:///user", "", .user),
    ] as [(String, String, AccountReference.Part)]
  )
  func reference(text: String, account: String, part: AccountReference.Part) throws {
    let reference = try #require(AccountReference(Secret(text)))
    #expect(reference.account == account)
    #expect(reference.part == part)
    #expect(reference.description == text)
  }

  @Test(
    "A value that is no reference is none",
    arguments: ["", "acct:/openai", "ACCT://openai", " acct://openai", "https://a"]
  )
  func plain(text: String) { #expect(AccountReference(Secret(text)) == nil) }
}
