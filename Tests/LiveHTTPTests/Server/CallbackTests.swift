import AcctModel
import Secrets
import AcctPorts
import LiveHTTP
import Testing

@Suite("The callback listener", .timeLimit(.minutes(1)))
struct CallbackTests {
  @Test(
    "The callback listener returns the query and sends the page of the answer",
    arguments: [
      (CallbackPage.done, "200 OK", "finishes signing in"), (.failed, "200 OK", "Not signed in"),
      (.unexpected, "400 Bad Request", "Not the expected answer"),
    ]
  )
  func callback(_ page: CallbackPage, _ status: String, _ words: String) async throws {
    try await CallbackListener.live().listening { listening in
      let visitor = try await Visitor(to: listening.port)
      try await visitor.send(get("/callback?code=a%20b&state=%3Cb%3E?x", "127.0.0.1:\(listening.port)"))
      let callback = try #require(await listening.next())
      #expect(callback.query == Secret("code=a%20b&state=%3Cb%3E?x"))
      callback.answer(page)
      callback.answer(.done)
      let reply = await visitor.everything()
      #expect(reply.hasPrefix("HTTP/1.1 \(status)\r\n"))
      #expect(reply.contains(words))
      for field in [
        "Cache-Control: no-store", "Referrer-Policy: no-referrer", "Connection: close",
        "Content-Type: text/html; charset=utf-8",
      ] { #expect(reply.contains("\r\n\(field)\r\n")) }
      // Fixed words, one answer, nothing brought in.
      for absent in ["%3C", "a%20b", "script", "http:", "https:", "src="] {
        #expect(!reply.contains(absent))
      }
      #expect(reply.ranges(of: "HTTP/1.1 ").count == 1)
      #expect(reply.hasSuffix("\n"))
    }
  }

  @Test("The callback listener takes a callback without a query as one with an empty query")
  func noQuery() async throws {
    try await CallbackListener.live().listening { listening in
      let visitor = try await Visitor(to: listening.port)
      try await visitor.send(get("/callback", "127.0.0.1:\(listening.port)"))
      #expect(await listening.next()?.query == Secret(""))
    }
  }

  @Test(
    "The callback listener answers other requests itself and waits on",
    arguments: [
      ("GET /favicon.ico", "404 Not Found"), ("GET /", "404 Not Found"), ("GET /callback/", "404 Not Found"),
      ("GET /callbacks?code=1", "404 Not Found"), ("GET //callback?code=1", "404 Not Found"),
      ("GET /%63allback?code=1", "404 Not Found"), ("POST /callback?code=1", "405 Method Not Allowed"),
      ("HEAD /callback?code=1", "405 Method Not Allowed"), ("OPTIONS *", "404 Not Found"),
    ]
  )
  func elsewhere(_ start: String, _ status: String) async throws {
    try await CallbackListener.live().listening { listening in
      let host = "127.0.0.1:\(listening.port)"
      let first = try await Visitor(to: listening.port)
      try await first.send("\(start) HTTP/1.1\r\nHost: \(host)\r\nContent-Length: 0\r\n\r\n")
      #expect(await first.everything().hasPrefix("HTTP/1.1 \(status)\r\n"))
      let second = try await Visitor(to: listening.port)
      try await second.send(get("/callback?code=right", host))
      #expect(await listening.next()?.query == Secret("code=right"))
    }
  }

  @Test(
    "The callback listener rejects a request for another host name",
    arguments: [
      "Host: attacker.example:PORT\r\n", "Host: 127.0.0.1\r\n", "Host: 127.0.0.1:1\r\n", "",
      "Host: localhost.attacker.example:PORT\r\n", "Host: 127.0.0.1:PORT.attacker.example\r\n",
      "Host: 127.0.0.1:PORT\r\nHost: attacker.example\r\n", "Host: \r\n",
    ]
  )
  func wrongHost(_ field: String) async throws {
    try await CallbackListener.live().listening { listening in
      let visitor = try await Visitor(to: listening.port)
      let host = field.replacing("PORT", with: "\(listening.port)")
      try await visitor.send("GET /callback?code=1 HTTP/1.1\r\n\(host)\r\n")
      #expect(await visitor.everything().hasPrefix("HTTP/1.1 403 Forbidden\r\n"))
    }
  }

  @Test("The callback listener answers each of two simultaneous callbacks with its own page")
  func two() async throws {
    try await CallbackListener.live().listening { listening in
      let host = "127.0.0.1:\(listening.port)"
      let forged = try await Visitor(to: listening.port)
      let right = try await Visitor(to: listening.port)
      try await forged.send(get("/callback?forged", host))
      try await right.send(get("/callback?right", host))
      for _ in 0..<2 {
        let callback = try #require(await listening.next())
        callback.answer(callback.query == Secret("right") ? .done : .unexpected)
      }
      #expect(await forged.everything().hasPrefix("HTTP/1.1 400"))
      #expect(await right.everything().hasPrefix("HTTP/1.1 200"))
    }
  }

  @Test("The callback listener takes one request of a connection and ignores what follows")
  func pipelined() async throws {
    try await CallbackListener.live().listening { listening in
      let host = "127.0.0.1:\(listening.port)"
      let visitor = try await Visitor(to: listening.port)
      try await visitor.send(get("/callback?1", host) + get("/callback?2", host))
      let first = try #require(await listening.next())
      #expect(first.query == Secret("1"))
      let other = try await Visitor(to: listening.port)
      try await other.send(get("/callback?3", host))
      #expect(await listening.next()?.query == Secret("3"))
    }
  }

  @Test("The callback listener closes a connection that sends no HTTP, or too much of it")
  func nonsense() async throws {
    try await CallbackListener.live().listening { listening in
      let host = "127.0.0.1:\(listening.port)"
      let large = String(repeating: "a", count: 66_000)
      for nonsense in [
        "\u{16}\u{3}\u{1}hello\r\n\r\n", get("/callback?\(large)", host),
        "GET /callback HTTP/1.1\r\nHost: \(host)\r\nX: \(large)\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: \(host)\r\nContent-Length: 66000\r\n\r\n\(large)",
      ] {
        let visitor = try await Visitor(to: listening.port)
        // The other end may have closed before all of it was taken.
        try? await visitor.send(nonsense)
        #expect(await visitor.everything() == "")
      }
      let visitor = try await Visitor(to: listening.port)
      try await visitor.send(get("/callback?1", host))
      #expect(await listening.next() != nil)
    }
  }

  @Test("The callback listener limits connections: the oldest silent one is closed for the browser")
  func crowd() async throws {
    // Nothing ends for its time here.
    try await CallbackListener.live(timeout: .seconds(600)).listening { listening in
      let host = "127.0.0.1:\(listening.port)"
      let first = try await Visitor(to: listening.port)
      try await first.send(get("/callback?first", host))
      let callback = try #require(await listening.next())
      var crowd: [Visitor] = []
      for _ in 0..<100 { crowd.append(try await Visitor(to: listening.port)) }
      let browser = try await Visitor(to: listening.port)
      try await browser.send(get("/callback?code=right", host))
      #expect(await listening.next()?.query == Secret("code=right"))
      for visitor in crowd.prefix(2) { #expect(await visitor.everything() == "") }
      // A connection that waits for an answer stays.
      callback.answer(.done)
      #expect(await first.everything().hasPrefix("HTTP/1.1 200"))
    }
  }
}
