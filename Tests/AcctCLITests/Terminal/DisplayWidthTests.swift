import AcctCLI
import AcctConsole
import Testing

@Suite("The width of text on a terminal")
struct DisplayWidthTests {
  @Test(
    "The width of a text is the sum of its characters' widths",
    arguments: [
      ("", 0), ("alice", 5), ("grün", 4), ("gru\u{308}n", 4), ("\u{308}", 0), ("Алиса", 5),
      ("山田", 4), ("ｱ", 1), ("Ａ", 2), ("한글", 4), ("\u{1112}\u{1161}\u{11AB}", 2), ("ひら", 4),
      ("\u{20000}", 2), ("…", 1), ("●", 1), ("نام", 3),
      // Emoji: by themselves, with a colour, joined, a flag, a keycap, as text and as a picture.
      ("🚀", 2), ("👍🏽", 2), ("👩‍🚀", 2), ("👨‍👩‍👧‍👦", 2), ("🇩🇪", 2), ("1\u{FE0F}\u{20E3}", 2), ("❤", 1),
      ("❤\u{FE0F}", 2), ("❤\u{FE0F}\u{200D}🔥", 2), ("©", 1), ("7#*", 3), ("🫨", 2),
    ]
  )
  func width(text: String, columns: Int) {
    #expect(text.displayWidth == columns)
  }
}
