import AcctModel
import Testing

@Suite("The URL that a credential is wanted for")
struct DestinationTests {
  @Test(
    "A user before the host is read, and is no part of the URL",
    arguments: [
      ("https://mara@github.com/a/b?c", "mara", "https://github.com/a/b?c"),
      ("https://mara%40example.com@github.com", "mara@example.com", "https://github.com/"),
      ("HTTPS://x-access-token@github.com:8443/", "x-access-token", "https://github.com:8443/"),
      ("http://me@127.0.0.1:80/@x", "me", "http://127.0.0.1/@x"),
    ]
  )
  func user(text: String, user: String, url: String) throws {
    let destination = try Destination(text)
    #expect(destination.user == user)
    #expect(destination.url.description == url)
  }

  @Test(
    "A URL without a user, or with an empty one, is for any",
    arguments: ["https://github.com/@a", "https://@github.com/@a"]
  )
  func nobody(text: String) throws {
    #expect(try Destination(text) == Destination(try HTTPURL("https://github.com/@a")))
  }

  @Test(
    "A password, a second @, and what clients read in different ways are refused",
    arguments: [
      "https://mara:secret@github.com/", "https://a@b@github.com/", "https://github.com\\@evil.example/",
      "https://mara%0A@github.com/", "https://mara%zz@github.com/", "https://mara%FF@github.com/",
      "https://mära@github.com/", "https://\u{301}a@host/x://y",
    ]
  )
  func refused(text: String) {
    #expect(throws: ParseError.refusedURL(.userInformation)) { try Destination(text) }
  }

  @Test(
    "The names that stand for any user are known in any case",
    arguments: ["x-access-token", "OAuth2", "git", "__token__", ""]
  )
  func placeholder(name: String) {
    #expect(PlaceholderUser.isOne(name))
    #expect(!PlaceholderUser.isOne("\(name)mara"))
  }

  @Test("A path that no client has encoded stands in a URL as clients send it")
  func path() throws {
    let origin = try Origin("https://github.com")
    #expect(HTTPURL(origin, path: "org a/ü?#.git").description == "https://github.com/org%20a/%C3%BC%3F%23.git")
    #expect(HTTPURL(origin, path: "/a/../b").path == "/b")
    #expect(HTTPURL(origin, path: "") == HTTPURL(origin))
  }
}
