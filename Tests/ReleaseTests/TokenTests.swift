import Release
import AcctModel
import AcctTestSupport
import Secrets
import Testing

@Suite("Tokens")
struct TokenTests {
  @Test(
    "A token fits on a header line",
    arguments: ["", " ", "a b", "a\r\nX: y", "a\n", "a\t", "a\u{7F}", "é", "a\u{0}"]
  )
  func parsing(text: String) throws {
    #expect(throws: ParseError.token) { try Token(text) }
    #expect(try Token("!~aZ.-_09").secret == Secret("!~aZ.-_09"))
  }
}
