import AcctModel
import Testing

/// References as servers write them into `Location`, against one base.
@Suite("References to URLs")
struct URLReferenceTests {
  private func resolved(_ reference: String) throws -> String {
    try HTTPURL("https://a.example/b/c/d?q").resolving(reference).description
  }

  @Test(
    "A reference is resolved as RFC 3986, section 5.4, says",
    arguments: [
      ("https://a.example/g", "https://a.example/g"), ("g", "https://a.example/b/c/g"),
      ("./g", "https://a.example/b/c/g"), ("g/", "https://a.example/b/c/g/"), ("/g", "https://a.example/g"),
      ("//g.example", "https://g.example/"), ("?y", "https://a.example/b/c/d?y"), ("g?y", "https://a.example/b/c/g?y"),
      ("#s", "https://a.example/b/c/d?q"), ("g?y#s", "https://a.example/b/c/g?y"), ("", "https://a.example/b/c/d?q"),
      (".", "https://a.example/b/c/"), ("..", "https://a.example/b/"), ("../g", "https://a.example/b/g"),
      ("../../../g", "https://a.example/g"), ("g;x=1/../y", "https://a.example/b/c/y"),
      ("g?y/../x", "https://a.example/b/c/g?y/../x"), ("?a:b", "https://a.example/b/c/d?a:b"),
      ("/a:b", "https://a.example/a:b"), ("http://127.0.0.1:8/x", "http://127.0.0.1:8/x"),
    ]
  )
  func resolved(_ reference: String, _ url: String) throws {
    #expect(try resolved(reference) == url)
  }

  @Test(
    "A target behind an origin is read as in a whole URL",
    arguments: [
      "/", "", "/a/b?c=d", "?c", "/a/../b/./c", "/%2e%2E/x", "//b.example/c", "/a#b", "#b", "/a?b?c#d", "/@x:1",
      "/a b", "/\u{e9}", "/a\"", "/a\\b",
    ]
  )
  func target(_ target: String) throws {
    let origin = try Origin("http://127.0.0.1:8080")
    let (read, whole) = (try? HTTPURL(origin, target: target[...]), try? HTTPURL("\(origin)\(target)"))
    #expect(read == whole)
    #expect((read == nil) == ["/a b", "/\u{e9}", "/a\"", "/a\\b"].contains(target))
  }

  @Test(
    "A target that would go on with the origin's host or port is none",
    arguments: ["a", ".evil.example/", "@x/", "0/"]
  )
  func foreign(_ target: String) throws {
    let origin = try Origin("https://pds.example")
    #expect(throws: ParseError.url) { try HTTPURL(origin, target: target[...]) }
  }

  @Test(
    "A reference that clients read in different ways is rejected",
    arguments: [
      "https:g", "javascript:alert(1)", "/\\evil.example", "\\\\evil.example", "/ g", "///evil.example",
      "https://a.example@evil.example/", "http://a.example/g", "/é", "/\u{1B}",
    ]
  )
  func refused(_ reference: String) {
    #expect(throws: ParseError.self) { try resolved(reference) }
  }
}
