import AcctModel
import Secrets
import AcctPorts
import Release
import Testing

@Suite("One request and its response")
struct ExchangeTests {
  @Test(
    "The target is sent byte for byte",
    arguments: ["/", "/a%2Fb//c", "/a[0]?b[]=1&c=%zz&d=%C3%A9", "/a;b=1,2:3@4!$&'()*+~?x?y/z", "/%", "/?"]
  )
  func target(_ target: String) async throws {
    try await ScriptedServer.serving({ _ in [ok("")] }) { server in
      _ = try await HTTPTransport.live().send(.get(server.url + target))
      #expect(server.received.map(\.line) == ["GET \(target) HTTP/1.1"])
      #expect(server.received[0].fields == ["Host: 127.0.0.1:\(server.port)"])
    }
  }

  @Test("Method, fields and body are sent, and status, fields and body come back")
  func whole() async throws {
    let script: ScriptedServer.Script = { _ in
      [.send("HTTP/1.1 418 Teapot\r\nX-A: 1\r\nx-a:  2 \r\nContent-Length: 5\r\n\r\nshort")]
    }
    try await ScriptedServer.serving(script) { server in
      let response = try await HTTPTransport.live().send(
        HTTPRequest(
          method: "PROPPATCH",
          url: HTTPURL(server.url),
          fields: [("Authorization", "DPoP made-up"), ("Host", "evil.test")],
          body: Array("a=1&b=ü".utf8),
          timeout: 30
        )
      )
      #expect(response.status == 418)
      #expect(response.fields.map { "\($0.name)=\($0.value)" }.prefix(2) == ["X-A=1", "x-a=2"])
      #expect(response.text == "short")
      let request = try #require(server.received.first)
      #expect(request.line == "PROPPATCH / HTTP/1.1")
      #expect(request.body == "a=1&b=ü")
      #expect(
        request.fields.sorted() == [
          "Authorization: DPoP made-up", "Content-Length: 8", "Host: 127.0.0.1:\(server.port)",
        ]
      )
    }
  }

  @Test("A program names itself in each request that does not name another")
  func userAgent() async throws {
    try await ScriptedServer.serving({ _ in [ok("")] }) { server in
      let transport = HTTPTransport.live(userAgent: "acct/1.2.3")
      _ = try await transport.send(.get(server.url))
      var request = try HTTPRequest.get(server.url)
      request.add("user-agent", "mine/1")
      _ = try await transport.send(request)
      let streamed = try await transport.stream(StreamedRequest.get(server.url))
      await streamed.cancel()
      let names = server.received.map { request in request.fields.filter { $0.lowercased().hasPrefix("user-agent") } }
      #expect(
        names == [["User-Agent: acct/1.2.3"], ["user-agent: mine/1"], ["User-Agent: acct/1.2.3"]]
      )
    }
  }

  @Test("A credential that was released for another server is not sent, and nothing is")
  func misdirected() async throws {
    try await ScriptedServer.serving({ _ in [ok("")] }) { server in
      let url = try HTTPURL(server.url)
      let transport = HTTPTransport.live()
      for released in [
        try Permit(backTo: HTTPURL("https://other.example")).release(Token("made-up"), in: "Bearer"),
        Permit(backTo: try HTTPURL("http://127.0.0.1:1")).release(body: Secret("code=made-up")),
        Permit(backTo: try url.resolving("/elsewhere")).release(body: Secret("code=made-up")),
      ] {
        let request = HTTPRequest(method: "POST", url: url, releasing: released, timeout: 30)
        let refusal = HTTPFailure.unsendable(reason: "its credentials were released for another server")
        #expect(await transport.failure(of: request) == refusal)
        await #expect(throws: refusal) {
          try await transport.stream(StreamedRequest(method: "POST", url: url, releasing: released, timeout: 30))
        }
      }
      #expect(server.connections == 0)
      let own = try Permit(backTo: url).release(Token("made-up"), in: "Bearer")
      _ = try await transport.send(HTTPRequest(method: "GET", url: url, releasing: own, timeout: 30))
      #expect(server.received.first?.fields.contains("Authorization: Bearer made-up") == true)
    }
  }

  @Test("A redirect is a response like any other", arguments: [301, 302, 303, 307, 308])
  func redirect(_ status: Int) async throws {
    let script: ScriptedServer.Script = { _ in
      [.send("HTTP/1.1 \(status) Moved\r\nLocation: /elsewhere\r\nContent-Length: 0\r\n\r\n")]
    }
    try await ScriptedServer.serving(script) { server in
      let response = try await HTTPTransport.live().send(.get(server.url))
      #expect(response.status == status)
      #expect(response.field("location") == "/elsewhere")
      #expect(server.received.count == 1)
    }
  }

  @Test("The next request uses the same connection and sends no cookie")
  func reuse() async throws {
    try await ScriptedServer.serving({ _ in [ok("", "Set-Cookie: sid=1", "Set-Cookie: b=2")] }) {
      server in
      let transport = HTTPTransport.live()
      let response = try await transport.send(.get(server.url))
      #expect(response.fields.filter { $0.name == "Set-Cookie" }.map(\.value) == ["sid=1", "b=2"])
      _ = try await transport.send(.get(server.url))
      #expect(server.connections == 1)
      #expect(server.received[1].fields == ["Host: 127.0.0.1:\(server.port)"])
    }
  }

  @Test(
    "After a connection that either side has closed, the next request has a new one and its answer",
    arguments: [[ok("well"), .close], [ok("well", "Connection: close")]]
  )
  func closed(_ steps: [ScriptedServer.Step]) async throws {
    try await ScriptedServer.serving({ _ in steps }) { server in
      let transport = HTTPTransport.live()
      var endings = server.endings.makeAsyncIterator()
      // A new connection mostly gets the descriptor of the one before. If it were taken for that one, its answer would
      // be noticed only when libcurl looks at all of them, after more than ten seconds.
      for count in 1...4 {
        let response = try await transport.send(.get(server.url, timeout: 10))
        #expect(response.text == "well")
        await endings.next()
        #expect(server.connections == count)
      }
    }
  }

  @Test("The connections of requests that were made at once are there for as many next ones")
  func reuseByMany() async throws {
    // More than a transfer takes before its reader reads: so each has a connection of its own.
    let body = String(repeating: "x", count: 3 << 20)
    try await ScriptedServer.serving({ _ in [ok(body)] }) { server in
      let transport = HTTPTransport.live()
      for _ in 1...2 {
        var responses: [StreamedResponse] = []
        for _ in 1...8 { responses.append(try await transport.stream(StreamedRequest.get(server.url))) }
        for response in responses {
          var count = 0
          while let part = try await response.next() { count += part.count }
          #expect(count == body.utf8.count)
        }
      }
      #expect(server.connections == 8)
    }
  }

  @Test("An encoded body is returned as it came")
  func noDecompression() async throws {
    try await ScriptedServer.serving({ _ in [ok("\u{1F}\u{8B}", "Content-Encoding: gzip")] }) {
      server in
      let response = try await HTTPTransport.live().send(.get(server.url))
      #expect(response.text == "\u{1F}\u{8B}")
    }
  }

  @Test("A length beside chunks is dropped, and every byte of a field is kept")
  func framing() async throws {
    let script: ScriptedServer.Script = { _ in
      [
        .send(
          "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\nX: \u{E9}\r\n\r\n"
            + "5\r\nhello\r\n0\r\n\r\n"
        )
      ]
    }
    try await ScriptedServer.serving(script) { server in
      let response = try await HTTPTransport.live().send(.get(server.url))
      #expect(response.fields.map(\.name) == ["Transfer-Encoding", "X"])
      #expect(response.field("X") == "\u{E9}")
      #expect(response.text == "hello")
    }
  }

  @Test("Interim responses are skipped")
  func interim() async throws {
    let script: ScriptedServer.Script = { _ in
      [.send("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n"), ok("end")]
    }
    try await ScriptedServer.serving(script) { server in
      let response = try await HTTPTransport.live().send(.get(server.url))
      #expect(response.status == 200)
      #expect(response.text == "end")
    }
  }

  @Test("Responses without a body end at their head", arguments: ["HEAD 200", "GET 204", "GET 304"])
  func bodiless(_ what: String) async throws {
    let parts = what.split(separator: " ")
    let script: ScriptedServer.Script = { _ in
      [.send("HTTP/1.1 \(parts[1]) X\r\n\(parts[0] == "HEAD" ? "Content-Length: 9\r\n" : "")\r\n")]
    }
    try await ScriptedServer.serving(script) { server in
      let response = try await HTTPTransport.live().send(
        HTTPRequest(method: String(parts[0]), url: HTTPURL(server.url), timeout: 30)
      )
      #expect(response.body.count == 0)
    }
  }

  @Test("A method, target or field that would break the framing is not sent")
  func unsendable() async throws {
    try await ScriptedServer.serving({ _ in [ok("")] }) { server in
      let url = try HTTPURL(server.url)
      let transport = HTTPTransport.live()
      for method in ["", "GET /x HTTP/1.1\r\nHost:", "GÉT"] {
        let request = HTTPRequest(method: method, url: url, timeout: 30)
        let failure = await transport.failure(of: request)
        #expect(failure == .unsendable(reason: "the method is not a token"))
      }
      for value in ["made-up\r\nX: y", "made-up\0", "made-up\n"] {
        let request = HTTPRequest(method: "GET", url: url, fields: [("X-Token", value)], timeout: 30)
        let failure = await transport.failure(of: request)
        #expect(
          failure == .unsendable(reason: "the value of X-Token has characters that no header may have")
        )
      }
      #expect(server.connections == 0)
    }
  }
}
