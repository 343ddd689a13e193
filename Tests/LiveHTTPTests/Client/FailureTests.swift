import AcctModel
import AcctPorts
import Testing

@Suite("Reasons for a missing response")
struct FailureTests {
  @Test(
    "A connection that ends before the response is closed",
    arguments: [
      "", "HTTP/1.1 200 OK\r\nContent-", "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nshort",
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nshort\r\n",
    ]
  )
  func truncated(_ start: String) async throws {
    try await ScriptedServer.serving({ _ in [.send(start), .close] }) { server in
      let failure = try await HTTPTransport.live().failure(of: .get(server.url))
      #expect(failure == .closed)
      // Nothing is retried.
      #expect(server.received.count == 1)
    }
  }

  @Test("A reset connection is closed, and nothing is sent again", arguments: ["GET", "POST"])
  func reset(_ method: String) async throws {
    try await ScriptedServer.serving({ _ in [.reset] }) { server in
      let request = try HTTPRequest(method: method, url: HTTPURL(server.url), timeout: 30)
      #expect(await HTTPTransport.live().failure(of: request) == .closed)
      #expect(server.received.count == 1)
    }
  }

  @Test("A reused connection that ends is closed, and nothing is sent again")
  func endedWhenReused() async throws {
    let script: ScriptedServer.Script = { request in request.line.contains("second") ? [.close] : [ok("")] }
    try await ScriptedServer.serving(script) { server in
      let transport = HTTPTransport.live()
      _ = try await transport.send(.get(server.url + "/first"))
      let second = try HTTPRequest.get(server.url + "/second")
      #expect(await transport.failure(of: second) == .closed)
      // Another connection may have been made for it, but nothing was sent there.
      #expect(server.received.map(\.connection) == [1, 1])
    }
  }

  @Test(
    "A response that is not HTTP is malformed",
    arguments: [
      "220 smtp.example ESMTP\r\n", "HTTP/1.1 200 OK\r\nContent-Length: x\r\n\r\n",
      "HTTP/1.1 200 OK\r\nBad Name: x\r\n\r\n",
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nz\r\n",
      // Two statements of where the body ends, or an unrequested protocol.
      "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 9\r\n\r\nnine long",
      "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 5\r\n\r\nhello",
      "HTTP/1.1 200 OK\r\nContent-Length: 5, 5\r\n\r\nhello",
      "HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\nx",
    ]
  )
  func malformed(_ answer: String) async throws {
    try await ScriptedServer.serving({ _ in [.send(answer)] }) { server in
      let failure = try await HTTPTransport.live().failure(of: .get(server.url))
      #expect(failure == .malformed)
    }
  }

  @Test("A port without a listener is unreachable", arguments: ["127.0.0.1", "localhost"])
  func refused(_ host: String) async throws {
    let port = try await ScriptedServer.serving({ _ in [] }) { $0.port }
    let failure = try await HTTPTransport.live().failure(of: .get("http://\(host):\(port)"))
    #expect(failure == .unreachable(reason: "the connection was refused"))
  }

  @Test("A name that does not exist is unresolved")
  func unresolved() async throws {
    // No name has a label of 64 letters, so no resolver needs to be asked.
    let host = String(repeating: "a", count: 64)
    let failure = try await HTTPTransport.live().failure(of: .get("https://\(host)/"))
    #expect(failure == .unresolved(host: host))
  }
}
