import AcctModel
import Testing

@Suite("Names of header fields")
struct FieldNameTests {
  @Test("Names are the same whatever their case, and no others are")
  func names() {
    #expect("Content-Length".isSameField(as: "content-length"))
    #expect("x-a".isSameField(as: "X-A"))
    #expect(!"Content-Length".isSameField(as: "Content-Lengths"))
    #expect(!"Content-Length".isSameField(as: "Content_Length"))
    // Beside the letters in ASCII, where one bit is all the difference, too.
    #expect(!"[".isSameField(as: "{"))
    #expect(!"@".isSameField(as: "`"))
    #expect("\u{E9}".isSameField(as: "\u{E9}"))
    #expect(!"\u{E9}".isSameField(as: "\u{C9}"))
    #expect("dpop".isField(among: ["Host", "DPoP"]))
    #expect(!"dpop".isField(among: []))
  }
}
