import AcctModel
import AcctPorts
import Synchronization
import Testing

@Suite("Streamed bodies")
struct StreamTests {
  @Test("The head arrives before the body, and parts as they are sent")
  func headFirst() async throws {
    let script: ScriptedServer.Script = { request in
      request.line.hasPrefix("GET")
        ? [.send("HTTP/1.1 200 Fine\r\nX-A: 1\r\nContent-Length: 10\r\n\r\nfirst")] : []
    }
    try await ScriptedServer.serving(script) { server in
      let response = try await HTTPTransport.live().stream(.get(server.url))
      #expect(response.head.status == 200)
      #expect(response.head.statusLine == "HTTP/1.1 200 Fine")
      #expect(response.head.field("x-a") == "1")
      // The rest has not been sent and never will be.
      #expect(try await response.next() == Array("first".utf8))
      await response.cancel()
      #expect(await server.endings.first { _ in true } != nil)
    }
  }

  @Test("A body of unknown length is sent in chunks, and a known one with its length")
  func framing() async throws {
    let script: ScriptedServer.Script = { _ in [ok("")] }
    try await ScriptedServer.serving(script) { server in
      for length in [nil, Int64(6)] {
        let source = ByteSource(parts: ["one", "two"], length: length)
        let request = try StreamedRequest.get(server.url, method: "PUT", body: source)
        let response = try await HTTPTransport.live().stream(request)
        #expect(try await response.next() == nil)
      }
      let fields = server.received.map { $0.fields.sorted() }
      let host = "Host: 127.0.0.1:\(server.port)"
      #expect(fields.contains([host, "Transfer-Encoding: chunked"]))
      #expect(fields.contains(["Content-Length: 6", host]))
      #expect(server.received.contains { $0.body == "onetwo" })
    }
  }

  @Test("A reader that does not read stops the server and keeps memory small")
  func backPressure() async throws {
    let part = String(repeating: "x", count: 1 << 16)
    let script: ScriptedServer.Script = { _ in [.send("HTTP/1.1 200 OK\r\n\r\n"), .sendForever(part)] }
    try await ScriptedServer.serving(script) { server in
      let transport = HTTPTransport.live()
      let response = try await transport.stream(.get(server.url, timeout: 3))
      // Another exchange on the same thread goes on meanwhile, for longer than a stall may last.
      try await ScriptedServer.serving({ _ in [.send("")] }) { silent in
        let request = try HTTPRequest.get(silent.url, timeout: 5)
        #expect(await transport.failure(of: request) == .timedOut)
      }
      var count = 0
      while count < 1 << 25 { count += try #require(await response.next()).count }
      await response.cancel()
    }
  }

  @Test(
    "A server that stops sending times out before the head and within the body",
    arguments: ["", "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nslow"]
  )
  func stall(_ start: String) async throws {
    try await ScriptedServer.serving({ _ in [.send(start)] }) { server in
      _ = await #expect(throws: HTTPFailure.timedOut) {
        let response = try await HTTPTransport.live().stream(.get(server.url, timeout: 1))
        while try await response.next() != nil {}
      }
    }
  }

  @Test("A body that is cut off fails after the part that arrived")
  func cutOff() async throws {
    let script: ScriptedServer.Script = { _ in [.send("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nshort"), .close] }
    try await ScriptedServer.serving(script) { server in
      let response = try await HTTPTransport.live().stream(.get(server.url))
      #expect(try await response.next() == Array("short".utf8))
      _ = await #expect(throws: HTTPFailure.closed) { try await response.next() }
    }
  }

  @Test("A source that fails, or is shorter than announced, ends the request")
  func badSource() async throws {
    // It says nothing: an answer could overtake the failure, and would count.
    try await ScriptedServer.serving({ _ in [] }) { server in
      let failure = StreamFailure.failed(name: "body", reason: "input/output error")
      let broken = ByteSource(length: nil) { () async throws(StreamFailure) in throw failure }
      await #expect(throws: HTTPFailure.source(failure)) {
        try await HTTPTransport.live().stream(.get(server.url, method: "PUT", body: broken))
      }
      let short = ByteSource(parts: ["one"], length: 6)
      await #expect(throws: HTTPFailure.self) {
        try await HTTPTransport.live().stream(.get(server.url, method: "PUT", body: short))
      }
      #expect(server.received.allSatisfy { $0.body.isEmpty })
    }
  }

  @Test("A body that is announced is not read if the server rejects it")
  func asksFirst() async throws {
    let script: ScriptedServer.Script = { _ in [.send("HTTP/1.1 401 No\r\nContent-Length: 0\r\n\r\n")] }
    try await ScriptedServer.serving(script) { server in
      let wasRead = Mutex(false)
      let source = ByteSource(length: nil) { () async throws(StreamFailure) in
        wasRead.withLock { $0 = true }
        return nil
      }
      var request = try StreamedRequest.get(server.url, method: "PUT", body: source)
      request.asksFirst = true
      let response = try await HTTPTransport.live().stream(request)
      #expect(response.head.status == 401)
      #expect(try await response.next() == nil)
      #expect(wasRead.withLock { !$0 })
      #expect(server.received[0].fields.contains("Expect: 100-continue"))
    }
  }

  @Test("A response that is released ends its connection")
  func letGo() async throws {
    let script: ScriptedServer.Script = { _ in [.send("HTTP/1.1 200 OK\r\n\r\n"), .sendForever("x")] }
    try await ScriptedServer.serving(script) { server in
      let transport = HTTPTransport.live()
      do { _ = try await transport.stream(.get(server.url)) }
      #expect(await server.endings.first { _ in true } != nil)
    }
  }
}

extension StreamedRequest {
  /// A request that no passing test times out.
  static func get(
    _ url: String,
    method: String = "GET",
    body: ByteSource? = nil,
    timeout: Int = 30
  ) throws -> StreamedRequest { try StreamedRequest(method: method, url: HTTPURL(url), body: body, timeout: timeout) }
}

extension ByteSource {
  /// These parts, whatever length is said.
  fileprivate init(parts: [String], length: Int64?) {
    let rest = Mutex(parts[...])
    self.init(length: length) { () async throws(StreamFailure) in
      rest.withLock { $0.popFirst() }.map { Array($0.utf8) }
    }
  }
}
