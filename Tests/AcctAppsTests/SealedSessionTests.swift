import AcctApps
import AcctModel
import Secrets
import AcctProtocol
import Testing
import AcctTestSupport

@Suite("The form of a sealed session")
struct SealedSessionTests {
  private static let now = Timestamp(clamped: 1_800_000_000)

  @Test(
    "A sealed session is iron's prefix and characters that a cookie may have",
    arguments: [
      "Fe26.2*1*0123abcd*iv-_*cipher*1800000000000*salt*mac~2", "Fe26.2**sealed", "Fe26.2*x",
      "Fe26.2**<signature>**<payload>**<timestamp>**<iv>",
    ]
  )
  func sealed(text: String) throws {
    #expect(try SealedSession(text).token.secret == Secret(text))
  }

  @Test(
    "A text in any other form is not a sealed session",
    arguments: [
      "", "Fe26.2", "Fe26.2*", "Fe26.2***", "fe26.2*1*a", "Fe26.1*1*a", " Fe26.2*1*a",
      "Fe26.2*1*a b", "Fe26.2*1*a;sid=b", "Fe26.2*1*a,b", "Fe26.2*1*a\"", "Fe26.2*1*a\\",
      "Fe26.2*1*a\r\nX: y", "Fe26.2*1*ä", "Fe26.2*1*\u{7F}", "eyJhbGciOiJFUzI1NiJ9.e30.c2ln",
    ]
  )
  func other(text: String) {
    #expect(throws: ParseError.token) { try SealedSession(text) }
  }

  /// `Set-Cookie` fields, and the session that they bring.
  static let cookies: [([String], String?)] = [
    ([], nil),
    (["sid=Fe26.2*1*a"], "Fe26.2*1*a"),
    (["sid=Fe26.2*1*a; Path=/; HttpOnly; Secure; SameSite=Lax"], "Fe26.2*1*a"),
    ([" sid=\"Fe26.2*1*a\" ;Max-Age=60"], "Fe26.2*1*a"),
    (["a=b", "sid=Fe26.2*1*a", "c=Fe26.2*1*c"], "Fe26.2*1*a"),
    (["sid=Fe26.2*1*a", "sid=Fe26.2*1*b"], "Fe26.2*1*b"),
    (["sid=Fe26.2*1*a; Expires=Fri, 15 Jan 2027 08:00:01 GMT"], "Fe26.2*1*a"),
    (["sid=Fe26.2*1*a; Max-Age=60; Expires=Thu, 01 Jan 1970 00:00:00 GMT"], "Fe26.2*1*a"),
    // Those that delete.
    (["sid=Fe26.2*1*a", "sid=; Max-Age=0"], nil),
    (["sid=Fe26.2*1*a; Max-Age=0"], nil),
    (["sid=Fe26.2*1*a; max-age=-1"], nil),
    (["sid=Fe26.2*1*a; Expires=Fri, 15 Jan 2027 08:00:00 GMT"], nil),
    (["sid="], nil),
    (["sid"], nil),
    // Others'.
    (["SID=Fe26.2*1*a"], nil),
    (["xsid=Fe26.2*1*a"], nil),
    (["a=b; sid=Fe26.2*1*a"], nil),
    (["sid=plain"], nil),
    (["sid=Fe26.2*1*a b"], nil),
  ]

  @Test("A sealed session is found in an answer's cookies as a browser would find it", arguments: cookies)
  func rotated(cookies: [String], expected: String?) {
    let fields = cookies.map { (name: "set-cookie", value: $0) }
    let found = RotatedCookie.session(in: [("X", "sid=Fe26.2*1*x")] + fields, at: Self.now)
    #expect(found?.token.secret == expected.map { Secret($0) })
  }
}
