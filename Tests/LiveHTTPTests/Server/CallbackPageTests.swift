import AcctCrypto
import AcctModel
import AcctPorts
import AcctTestSupport
import LiveHTTP
import Testing

@Suite("The page that the browser ends at", .timeLimit(.minutes(1)))
struct CallbackPageTests {
  @Test(
    "The page's policy allows its style by its hash, and nothing else",
    arguments: [CallbackPage.done, .failed, .unexpected, .refused]
  )
  func policy(_ page: CallbackPage) async throws {
    let reply = try await reply(page)
    let style = try #require(element("style", of: reply))
    let hash = base64(SHA256.hash(Array(style.utf8).span))
    #expect(
      field("Content-Security-Policy", of: reply)
        == "default-src 'none'; style-src 'sha256-\(hash)'; base-uri 'none'; "
        + "form-action 'none'; frame-ancestors 'none'"
    )
    // Only the sheet is allowed: an attribute would need more.
    for absent in [" style=", "<link", "<img", "url(", "@import", "href"] {
      #expect(!reply.contains(absent), "\(absent)")
    }
  }

  @Test(
    "The page of a callback without an answer has one script, by its hash, which calls the address with the fragment"
  )
  func script() async throws {
    let reply = try await reply(.withoutAnswer)
    let script = try #require(element("script", of: reply))
    let hash = base64(SHA256.hash(Array(script.utf8).span))
    #expect(field("Content-Security-Policy", of: reply)?.contains("; script-src 'sha256-\(hash)'; ") == true)
    #expect(script == #"if(location.hash.length>1)location.replace(location.pathname+"?"+location.hash.slice(1))"#)
    #expect(reply.ranges(of: "<script").count == 1)
    // What it calls is taken like any other callback of this browser.
    #expect(reply.hasPrefix("HTTP/1.1 400 Bad Request\r\n"))
  }

  @Test("The page has a light and a dark form, and fits a phone")
  func forms() async throws {
    let reply = try await reply(.done)
    let style = try #require(element("style", of: reply))
    #expect(style.contains("color-scheme: light dark;"))
    let parts = style.split(separator: "@media (prefers-color-scheme: dark)")
    try #require(parts.count == 2)
    // Every color of the one form has its counterpart in the other.
    let light = colors(parts[0])
    #expect(light.count == 8)
    #expect(colors(parts[1]) == light)
    #expect(style.contains("width: 100%; max-width: "))
    #expect(reply.contains(#"<meta name="viewport" content="width=device-width, "#))
  }

  @Test(
    "The page shows by its sign whether the sign-in goes on",
    arguments: [
      (CallbackPage.done, "good", "Done in the browser"), (.failed, "bad", "Not signed in"),
      (.unexpected, "odd", "Not the expected answer"), (.withoutAnswer, "odd", "No answer in this address"),
      (.refused, "bad", "Refused"),
    ]
  )
  func sign(_ page: CallbackPage, _ sign: String, _ title: String) async throws {
    let reply = try await reply(page)
    #expect(reply.contains("\n<main class=\"\(sign)\">\n<svg "))
    #expect(element("h1", of: reply) == title)
    #expect(element("title", of: reply) == "\(title) · acct")
    let style = try #require(element("style", of: reply))
    #expect(style.contains(".\(sign) svg { color: var(--\(sign)); }"))
  }

  /// What a browser gets that brings a callback which is answered so.
  private func reply(_ page: CallbackPage) async throws -> String {
    try await CallbackListener.live().listening { listening in
      let visitor = try await Visitor(to: listening.port)
      try await visitor.send(get("/callback?code=1", "127.0.0.1:\(listening.port)"))
      try #require(await listening.next()).answer(page)
      return await visitor.everything()
    }
  }
}

/// What is between the tags of the first element of that name.
private func element(_ name: String, of reply: String) -> String? {
  guard let start = reply.firstRange(of: "<\(name)>"), let end = reply.firstRange(of: "</\(name)>") else { return nil }
  return String(reply[start.upperBound..<end.lowerBound])
}

private func field(_ name: String, of reply: String) -> String? {
  reply.split(separator: "\r\n").first { $0.hasPrefix("\(name): ") }.map { String($0.dropFirst(name.count + 2)) }
}

/// The names of the colors that a part of the style defines.
private func colors(_ style: Substring) -> Set<Substring> {
  Set(style.split { " \n;".contains($0) }.filter { $0.hasPrefix("--") && $0.hasSuffix(":") })
}
