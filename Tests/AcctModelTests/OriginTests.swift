import AcctModel
import Testing

@Suite("URLs and origins")
struct OriginTests {
  @Test(
    "An htu has no query, fragment or default port, and its host is in lower case",
    arguments: [
      ("https://PDS.Example/xrpc/a?b=c#d", "https://pds.example/xrpc/a"),
      ("HTTPS://pds.example", "https://pds.example/"),
      ("https://pds.example?x", "https://pds.example/"),
      ("https://pds.example#x", "https://pds.example/"),
      ("https://pds.example:443/A", "https://pds.example/A"),
      ("https://pds.example:/A", "https://pds.example/A"),
      ("https://pds.example:8443/A", "https://pds.example:8443/A"),
      ("http://localhost:80/", "http://localhost/"),
      ("http://[::1]:3000/a", "http://[::1]:3000/a"),
      ("https://pds.example/a/./b/../c", "https://pds.example/a/c"),
      ("https://pds.example/a/%2e%2E/b", "https://pds.example/b"),
      ("https://pds.example/../../b", "https://pds.example/b"),
      ("https://pds.example/a/..", "https://pds.example/"),
      ("https://pds.example/a/.", "https://pds.example/a/"),
      ("https://pds.example//a//b", "https://pds.example//a//b"),
      ("https://pds.example/a%2Fb", "https://pds.example/a%2Fb"),
      ("https://pds.example/.a/..b/c.", "https://pds.example/.a/..b/c."),
    ]
  )
  func htu(text: String, expected: String) throws {
    #expect(try HTTPURL(text).htu == expected)
  }

  @Test("A URL keeps its query beside the htu, and drops its fragment")
  func description() throws {
    let url = try HTTPURL("https://pds.example/a?b=../c&d#e")
    #expect(url.query == "b=../c&d")
    #expect(url.description == "https://pds.example/a?b=../c&d")
  }

  @Test(
    "A look-alike is another origin",
    arguments: [
      "https://pds.example.evil.test/", "https://pds.example./", "https://pds.example:8443/", "https://xpds.example/",
      "https://pds-example/", "https://evil.test/pds.example", "https://evil.test/?https://pds.example",
      "https://evil.test#@pds.example", "https://evil.test#\u{301}@pds.example", "https://pds.example.:443/",
      "https://xn--pds-example-abc/",
    ]
  )
  func lookAlikes(text: String) throws {
    let own = try Origin("https://pds.example")
    #expect(try HTTPURL(text).origin != own)
  }

  @Test(
    "A URL that clients read in different ways is rejected",
    arguments: [
      ("https://pds.example@evil.test/", ParseError.refusedURL(.userInformation)),
      ("https://user:pass@pds.example/", .refusedURL(.userInformation)),
      ("https://@pds.example/", .refusedURL(.userInformation)),
      ("https://pds.ex\u{430}mple/", .refusedURL(.unusableHost)),
      ("https://pds\u{3002}example/", .refusedURL(.unusableHost)),
      ("https://pds.example\\@evil.test/", .refusedURL(.userInformation)),
      ("https://pds.example\\.evil.test/", .refusedURL(.unusableHost)),
      ("https://pds%2eexample/", .refusedURL(.unusableHost)),
      ("https://pds.example\u{301}/", .refusedURL(.unusableHost)),
      // A byte is what clients see, whatever character it begins.
      ("https://evil.test@\u{301}pds.example/", .refusedURL(.userInformation)),
      ("https://pds.example /", .refusedURL(.unusableHost)),
      ("http://pds.example/", .refusedURL(.plainHTTP)),
      ("http://localhost.evil.test/", .refusedURL(.plainHTTP)),
      ("http://localhost./", .refusedURL(.plainHTTP)),
      ("http://127.0.0.2/", .refusedURL(.plainHTTP)),
      ("http://127.1/", .refusedURL(.plainHTTP)),
      ("http://0.0.0.0/", .refusedURL(.plainHTTP)),
      ("http://[::]/", .refusedURL(.plainHTTP)),
    ]
  )
  func refused(text: String, error: ParseError) {
    #expect(throws: error) { try HTTPURL(text) }
  }

  @Test(
    "A text that is not an absolute http or https URL is rejected",
    arguments: [
      "", "pds.example", "//pds.example", "ftp://pds.example/", "https:pds.example", "https:/pds.example", "https://",
      "https:///a", "https://?a", "https://:443/", "https://pds.example:0/", "https://pds.example:65536/",
      "https://pds.example:+1/", "https://pds.example:44a/", "https://[::1/", "https://[::1]x/",
      " https://pds.example/", "https://pds.example/a b", "https://pds.example/a\nb", "https://pds.example/a\\b",
      "https://pds.example/é", "javascript://pds.example/", "https://pds.example/\u{0}",
    ]
  )
  func malformed(text: String) {
    #expect(throws: ParseError.url) { try HTTPURL(text) }
  }

  @Test("An origin ends with its port or a slash")
  func origins() throws {
    #expect(try Origin("https://PDS.example:443/").description == "https://pds.example")
    #expect(try Origin("http://127.0.0.1:8080").authority == "127.0.0.1:8080")
    for text in [
      "https://pds.example/a", "https://pds.example?", "https://pds.example#", "pds.example",
      "https://pds.example/?", "https://pds.example/.", "https://pds.example/a/..",
    ] {
      #expect(throws: ParseError.origin(text)) { try Origin(text) }
    }
  }

  @Test("Issuers are compared as they are written")
  func issuers() throws {
    #expect(try Issuer("https://as.example") != Issuer("https://as.example/"))
    #expect(try Issuer("https://as.example/a").description == "https://as.example/a")
    for text in ["https://as.example?a", "https://as.example#", "as.example"] {
      #expect(throws: ParseError.issuer(text)) { try Issuer(text) }
    }
    #expect(throws: ParseError.refusedURL(.plainHTTP)) { try Issuer("http://as.example") }
  }
}
