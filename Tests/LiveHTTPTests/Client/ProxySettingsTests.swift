import AcctModel
import AcctPorts
import LiveHTTP
import Testing

@Suite("Proxies from the environment")
struct ProxySettingsTests {
  private func proxy(for origin: String, _ environment: [String: String]) throws -> Proxy? {
    try ProxySettings { environment[$0] }.proxy(for: Origin(origin))
  }

  private func proxy(_ text: String) throws -> Proxy? { try proxy(for: "https://pds.example", ["ALL_PROXY": text]) }

  @Test("The variables are asked in curl's order, and an empty one is not set")
  func order() throws {
    var environment = [
      "https_proxy": "a:1", "HTTPS_PROXY": "b:1", "all_proxy": "c:1", "ALL_PROXY": "d:1",
      "http_proxy": "e:1", "HTTP_PROXY": "f:1",
    ]
    for (name, host) in [("https_proxy", "a"), ("HTTPS_PROXY", "b"), ("all_proxy", "c"), ("ALL_PROXY", "d")] {
      #expect(try proxy(for: "https://pds.example", environment)?.host == host)
      environment[name] = ""
    }
    #expect(try proxy(for: "https://pds.example", environment) == nil)
  }

  @Test(
    "A proxy is read as curl reads it",
    arguments: [
      ("proxy.test", "http proxy.test 1080"), ("proxy.test:3128", "http proxy.test 3128"),
      ("HTTP://proxy.test:3128/x", "http proxy.test 3128"), ("[::1]:8", "http ::1 8"),
      ("socks5://proxy.test", "socks5 proxy.test 1080"), ("socks5h://10.0.0.1:9", "socks5 10.0.0.1 9"),
      ("http://u%3Ax@proxy.test", nil), ("http://%zz@proxy.test", nil), ("http://u:p%0Aq@proxy.test", nil),
      ("https://proxy.test", nil), ("socks4://proxy.test", nil), ("socks5://u:p@proxy.test", nil),
      ("ftp://proxy.test", nil), ("proxy.test:0", nil), ("smtp.proxy.test", "http smtp.proxy.test 1080"),
      ("http://me@a@proxy.test", nil), ("http://u:p#q@proxy.test", nil), ("proxy.test:65536", nil),
      ("proxy.test:x", nil), ("http://", nil), ("pro xy", nil), ("[::1", nil), ("[x]:1", nil),
    ]
  )
  func parsing(_ text: String, _ expected: String?) throws {
    let proxy = try? proxy(text)
    #expect(proxy.map { "\($0.kind) \($0.host) \($0.port)" } == expected)
  }

  @Test("A proxy's user name and password are percent-decoded and never printed")
  func credentials() throws {
    let proxy = try #require(try proxy("http://me%40home:p%3As:s@proxy.test:1"))
    #expect(proxy.credentials?.user == "me@home")
    #expect(proxy.credentials?.password == "p:s:s")
    #expect("\(proxy)" == "the proxy proxy.test:1")
    #expect(try self.proxy("http://me@proxy.test")?.credentials?.password == "")
  }

  @Test("A proxy that can't be used is named by its variable, without its content")
  func unusable() throws {
    #expect(
      throws: HTTPFailure.proxy(reason: "ALL_PROXY can't be used: proxies over TLS (https://) are not supported")
    ) { try proxy(for: "https://pds.example", ["ALL_PROXY": "https://me:secret@proxy.test"]) }
  }

  @Test(
    "NO_PROXY excludes names with all below them, addresses, networks and ports",
    arguments: [
      ("*", "https://pds.example"), ("pds.example", "https://pds.example"), ("example", "https://pds.example"),
      (".example", "https://pds.example"), ("PDS.Example.", "https://pds.example"),
      ("a.test,pds.example", "https://pds.example:8443"), ("a.test pds.example", "https://pds.example"),
      (" a.test, example ", "https://pds.example"), ("pds.example:8443", "https://pds.example:8443"),
      ("pds.example", "https://pds.example."), ("192.0.2.7", "https://192.0.2.7"),
      ("192.0.2.0/29", "https://192.0.2.7"), ("192.0.2.7:8443", "https://192.0.2.7:8443"),
      ("2001:db8::1", "https://[2001:DB8:0:0::1]"), ("[2001:db8::1]", "https://[2001:db8::1]"),
      ("2001:db8::/32", "https://[2001:db8:ffff::192.0.2.1]"), ("::/0", "https://[::2]"),
    ]
  )
  func exceptions(_ list: String, _ origin: String) throws {
    #expect(try proxy(for: origin, ["ALL_PROXY": "proxy.test", "NO_PROXY": list]) == nil)
  }

  @Test(
    "NO_PROXY excludes no other host",
    arguments: [
      ("pds.example", "https://evilpds.example"), ("pds.example", "https://pds.example.test"),
      ("*.example", "https://pds.example"), ("a.test,*", "https://pds.example"),
      ("pds.example:8443", "https://pds.example"), (",. ,", "https://pds.example"),
      ("192.0.2.7/x", "https://pds.example"),
    ]
  )
  func notExceptions(_ list: String, _ origin: String) throws {
    #expect(try proxy(for: origin, ["ALL_PROXY": "proxy.test", "no_proxy": list]) != nil)
  }

  @Test(
    "NO_PROXY excludes no other address",
    arguments: [
      ("", "https://192.0.2.7"), ("192.0.2.8", "https://192.0.2.7"), ("192.0.2.0/30", "https://192.0.2.7"),
      ("192.0.2.7/33", "https://192.0.2.7"), ("0.2.7", "https://192.0.2.7"), ("2001:db8::/32", "https://[2001:db9::1]"),
    ]
  )
  func addresses(_ list: String, _ origin: String) throws {
    #expect(try proxy(for: origin, ["ALL_PROXY": "proxy.test", "NO_PROXY": list]) != nil)
  }

  @Test("Loopback addresses are never proxied", arguments: ["localhost", "127.0.0.1", "[::1]"])
  func loopback(_ host: String) throws {
    #expect(try proxy(for: "https://\(host)", ["ALL_PROXY": "proxy.test"]) == nil)
  }
}
