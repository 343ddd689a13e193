import Testing
import Text

@Suite("Percent-encoding")
struct PercentEncodingTests {
  @Test("Every byte that is not plain is an escape in capitals, and read back")
  func everyByte() {
    for byte in 0...UInt8.max {
      var escape: [UInt8] = []
      escape.append(percentEncoding: byte)
      let digits = String(byte, radix: 16, uppercase: true)
      #expect(String(decoding: escape, as: UTF8.self) == "%" + (byte < 16 ? "0" : "") + digits)
      #expect(percentDecoded(escape) == [byte])
    }
  }

  @Test("Unreserved characters mean themselves, and others where the caller says so")
  func plain() {
    #expect(percentEncoded("aZ09-._~ /%ü\n") == "aZ09-._~%20%2F%25%C3%BC%0A")
    #expect(percentEncoded("a/b c") { $0 != UInt8(ascii: " ") } == "a/b%20c")
    #expect(percentEncoded("") == "")
  }

  @Test(
    "A % without two digits behind it stands for itself, and the text is not well formed",
    arguments: [
      ("a%2Fb%2f", "a/b/", true), ("", "", true), ("%", "%", false), ("%2", "%2", false), ("%zz", "%zz", false),
      ("%%41", "%A", false), ("%4%41", "%4A", false), ("%+1", "%+1", false), ("+", "+", true), ("%2541", "%41", true),
    ]
  )
  func decoded(text: String, expected: String, isWellFormed: Bool) {
    let found = percentDecoded(text.utf8Span.span)
    #expect(String(decoding: found.bytes, as: UTF8.self) == expected)
    #expect(found.isWellFormed == isWellFormed)
    #expect(percentDecoded(text.utf8) == (isWellFormed ? Array(expected.utf8) : nil))
  }
}
