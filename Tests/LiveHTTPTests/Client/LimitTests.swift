import AcctModel
import AcctPorts
import NIOCore
import NIOPosix
import Testing

@Suite("Limits of size and time")
struct LimitTests {
  @Test("A body of the maximum size is read, and one byte more is too large")
  func cap() async throws {
    try await ScriptedServer.serving({ _ in [ok("12345678")] }) { server in
      let transport = HTTPTransport.live()
      let whole = try await transport.send(.get(server.url, bodyLimit: 8))
      #expect(whole.text == "12345678")
      let failure = try await transport.failure(of: .get(server.url, bodyLimit: 7))
      #expect(failure == .tooLarge(limit: 7))
    }
  }

  @Test(
    "An endless body is given up at the maximum, and the connection closed",
    arguments: ["Transfer-Encoding: chunked\r\n", ""]
  )
  func endless(_ framing: String) async throws {
    let part = framing.isEmpty ? "endless" : "7\r\nendless\r\n"
    let script: ScriptedServer.Script = { _ in [.send("HTTP/1.1 200 OK\r\n\(framing)\r\n"), .sendForever(part)] }
    try await ScriptedServer.serving(script) { server in
      let transport = HTTPTransport.live()
      let failure = try await transport.failure(of: .get(server.url, bodyLimit: 100_000))
      #expect(failure == .tooLarge(limit: 100_000))
      #expect(await server.endings.first { _ in true } != nil)
    }
  }

  @Test("A header without an end is malformed", arguments: [("X: ", "a"), ("", "a"), ("", "X: a\r\n")])
  func endlessHeader(_ start: String, _ part: String) async throws {
    let script: ScriptedServer.Script = { _ in
      [.send("HTTP/1.1 200 OK\r\n\(start)"), .sendForever(String(repeating: part, count: 50_000))]
    }
    try await ScriptedServer.serving(script) { server in
      let failure = try await HTTPTransport.live().failure(of: .get(server.url))
      #expect(failure == .malformed)
    }
  }

  @Test(
    "The deadline ends a wait for the head and for the rest of a body",
    arguments: ["", "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nslow"]
  )
  func deadline(_ start: String) async throws {
    try await ScriptedServer.serving({ _ in [.send(start)] }) { server in
      let transport = HTTPTransport.live()
      let failure = try await transport.failure(of: .get(server.url, timeout: 1))
      #expect(failure == .timedOut)
      #expect(await server.endings.first { _ in true } != nil)
    }
  }

  /// Whose queue is full, the kernel lets wait for as long as they please.
  @Test("The deadline ends a wait for the connection itself")
  func deadlineWhileConnecting() async throws {
    let group = MultiThreadedEventLoopGroup.singleton
    let deaf = try await ServerBootstrap(group: group)
      .serverChannelOption(.backlog, value: 0)
      .serverChannelOption(.autoRead, value: false)
      .bind(host: "127.0.0.1", port: 0).get()
    let port = try #require(deaf.localAddress?.port)
    let first = try await Visitor(to: port)
    let failure = await HTTPTransport.live().failure(of: try .get("http://127.0.0.1:\(port)/", timeout: 1))
    #expect(failure == .timedOut)
    try await first.close()
    try await deaf.close()
  }

  @Test("The deadline ends a body that never stops coming")
  func deadlineWhileReading() async throws {
    let script: ScriptedServer.Script = { _ in [.send("HTTP/1.1 200 OK\r\n\r\n"), .sendForever("x")] }
    try await ScriptedServer.serving(script) { server in
      let request = try HTTPRequest.get(server.url, timeout: 1, bodyLimit: .max)
      #expect(await HTTPTransport.live().failure(of: request) == .timedOut)
    }
  }

  @Test(
    "Cancelling the task cancels the request and closes the connection",
    arguments: ["", "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nslow"]
  )
  func cancellation(_ start: String) async throws {
    try await ScriptedServer.serving({ _ in [.send(start)] }) { server in
      let request = try HTTPRequest.get(server.url)
      let task = Task { await HTTPTransport.live().failure(of: request) }
      #expect(await server.requests.first { _ in true } != nil)
      task.cancel()
      #expect(await task.value == .cancelled)
      #expect(await server.endings.first { _ in true } != nil)
    }
  }

  @Test("A task that is already cancelled sends nothing")
  func cancelledBefore() async throws {
    try await ScriptedServer.serving({ _ in [ok("")] }) { server in
      let request = try HTTPRequest.get(server.url)
      let (never, continuation) = AsyncStream.makeStream(of: Void.self)
      let task = Task {
        // Goes on when the task is cancelled, and not before.
        for await _ in never {}
        return await HTTPTransport.live().failure(of: request)
      }
      task.cancel()
      #expect(await task.value == .cancelled)
      #expect(server.received.isEmpty)
      continuation.finish()
    }
  }
}
