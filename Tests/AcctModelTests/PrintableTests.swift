import AcctModel
import Testing

@Suite("Printable text")
struct PrintableTests {
  @Test(
    "A text that is safe to print stays unchanged",
    arguments: ["", "acct: grüße an 世界", "gru\u{308}n", "👩‍🚀", "❤\u{FE0F}", "👍🏽", "نام", "🇩🇪"]
  )
  func harmless(text: String) {
    #expect(printable(text) == text)
  }

  @Test(
    "A text that could control a terminal, or hide, is escaped",
    arguments: [
      ("\u{1B}[2J", "\\u{1b}[2J"), ("a\r\nb\tc", "a\\r\\nb\\tc"), ("\u{9B}1m", "\\u{9b}1m"),
      ("\0\u{7F}", "\\u{0}\\u{7f}"), ("a\u{2028}b", "a\\u{2028}b"), ("\u{202E}x", "\\u{202e}x"),
      ("ad\u{200B}min", "ad\\u{200b}min"), ("ad\u{200D}min", "ad\\u{200d}min"), ("a\u{FE0F}", "a\\u{fe0f}"),
      ("\u{3164}", "\\u{3164}"), ("👩\u{200D}", "👩\\u{200d}"), ("e\u{34F}", "e\\u{34f}"), ("🚀\u{E0067}", "🚀\\u{e0067}"),
    ]
  )
  func treacherous(text: String, shown: String) {
    #expect(printable(text) == shown)
  }

  @Test(
    "A machine's name shows all but visible ASCII as escapes",
    arguments: [
      ("build-1.example_x~!", "build-1.example_x~!"), ("bu\u{456}ld", "bu\\u{456}ld"),
      ("bu\\u{456}ld", "bu\\u{5c}u{456}ld"),
      ("a  b", "a\\u{20}\\u{20}b"), ("\u{200B}", "\\u{200b}"), ("a\r\n", "a\\r\\n"), ("a\\n", "a\\u{5c}n"),
      ("é", "\\u{e9}"), ("e\u{301}", "e\\u{301}"), ("\u{7F}", "\\u{7f}"), ("", ""),
    ]
  )
  func machineName(name: String, shown: String) {
    #expect(printableASCII(name) == shown)
  }
}
