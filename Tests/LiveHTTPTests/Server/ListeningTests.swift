import AcctModel
import Secrets
import AcctPorts
import LiveHTTP
import NIOCore
import NIOPosix
import Testing

@Suite("Listening for a callback", .timeLimit(.minutes(1)))
struct ListeningTests {
  @Test("Closing the callback listener sends each visitor the given answer, or that it is too late")
  func close() async throws {
    let listening = try await CallbackListener.live().listen(.standard(port: nil))
    let host = "127.0.0.1:\(listening.port)"
    var visitors: [Visitor] = []
    for query in ["answered", "taken", "waiting"] {
      let visitor = try await Visitor(to: listening.port)
      try await visitor.send(get("/callback?\(query)", host))
      visitors.append(visitor)
      guard query != "waiting" else { break }
      let callback = try #require(await listening.next())
      if query == "answered" { callback.answer(.done) }
    }
    let silent = try await Visitor(to: listening.port)
    // A request that is answered shows that what was sent before it has been read.
    let last = try await Visitor(to: listening.port)
    try await last.send(get("/", host))
    _ = await last.everything()

    await listening.close()
    #expect(await visitors[0].everything().hasPrefix("HTTP/1.1 200"))
    #expect(await visitors[1].everything().hasPrefix("HTTP/1.1 400"))
    #expect(await visitors[2].everything().hasPrefix("HTTP/1.1 400"))
    #expect(await silent.everything() == "")
    #expect(await listening.next()?.query == nil)
    await listening.close()
  }

  @Test("Closing the callback listener ends a wait for a callback")
  func closeWhileWaiting() async throws {
    let listening = try await CallbackListener.live().listen(.standard(port: nil))
    async let callback = listening.next()
    await listening.close()
    #expect(await callback?.query == nil)
  }

  @Test("Cancelling the waiting task ends its wait for a callback")
  func cancelled() async throws {
    try await CallbackListener.live().listening { listening in
      let waiting = Task { await listening.next() }
      waiting.cancel()
      #expect(await waiting.value?.query == nil)
    }
  }

  @Test("Closing the callback listener frees its port, even for connections that have just ended")
  func reuse() async throws {
    let listener = CallbackListener.live()
    let port = try await listener.listening { listening in
      let visitor = try await Visitor(to: listening.port)
      try await visitor.send(get("/", "127.0.0.1:\(listening.port)"))
      _ = await visitor.everything()
      return listening.port
    }
    // A child that another test is just starting holds a copy of every socket for a moment.
    while let visitor = try? await Visitor(to: port) { try? await visitor.close() }
    let second = try await listener.listening(on: port) { $0.port }
    #expect(second == port)
  }

  @Test("Listening on a port that is taken fails with the reason")
  func taken() async throws {
    let listener = CallbackListener.live()
    try await listener.listening { listening in
      let failure = ListenFailure.failed(port: listening.port, reason: "address already in use")
      await #expect(throws: failure) { try await listener.listen(.standard(port: listening.port)) }
    }
  }

  @Test("The callback listener is reached at 127.0.0.1, and at ::1 on the same port if there is IPv6")
  func addresses() async throws {
    let hosts = await hasIPv6() ? ["127.0.0.1", "::1"] : ["127.0.0.1"]
    try await CallbackListener.live().listening { listening in
      for host in hosts {
        let visitor = try await Visitor(to: listening.port, host: host)
        let named = host == "::1" ? "[::1]" : host
        try await visitor.send(get("/callback?1", "\(named):\(listening.port)"))
        #expect(await listening.next()?.query == Secret("1"))
      }
      await #expect(throws: (any Error).self) { try await Visitor(to: listening.port, host: "127.0.0.2") }
    }
  }

  private func hasIPv6() async -> Bool {
    do {
      let group = MultiThreadedEventLoopGroup.singleton
      try await ServerBootstrap(group: group).bind(host: "::1", port: 0).get().close()
      return true
    } catch {
      return false
    }
  }
}

extension CallbackListener {
  /// Listens for as long as `body` runs.
  func listening<Answer: Sendable>(
    on port: Int? = nil,
    _ body: (Listening) async throws -> Answer
  ) async throws -> Answer {
    let listening = try await listen(.standard(port: port))
    do {
      let answer = try await body(listening)
      await listening.close()
      return answer
    } catch {
      await listening.close()
      throw error
    }
  }
}

/// A request as a browser sends it.
func get(_ path: String, _ host: String) -> String { "GET \(path) HTTP/1.1\r\nHost: \(host)\r\n\r\n" }
