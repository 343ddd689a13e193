import AcctModel
import AcctPorts
import AcctTestSupport
import Synchronization
import Testing

@Suite("A request that may be sent for a limited time")
struct WithheldTests {
  /// A request whose question is answered with a yes so many times.
  private func request(_ url: String, yes count: Int) throws -> HTTPRequest {
    var request = try HTTPRequest.get(url)
    let left = Mutex(count)
    request.mayBeSent = {
      left.withLock { left in
        defer { left -= 1 }
        return left > 0
      }
    }
    return request
  }

  @Test("A request whose time has passed makes no connection")
  func before() async throws {
    try await ScriptedServer.serving({ _ in [ok("")] }) { server in
      let failure = try await HTTPTransport.live().failure(of: request(server.url, yes: 0))
      #expect(failure == .withheld)
      #expect(server.connections == 0)
    }
  }

  @Test("A request whose time passes while it connects sends nothing on the connection")
  func connected() async throws {
    try await ScriptedServer.serving({ _ in [ok("")] }) { server in
      let failure = try await HTTPTransport.live().failure(of: request(server.url, yes: 1))
      #expect(failure == .withheld)
      for await _ in server.endings { break }
      #expect(server.connections == 1)
      #expect(server.received.isEmpty)
    }
  }

  @Test("A request whose time passes sends nothing on a connection that another one opened")
  func reused() async throws {
    try await ScriptedServer.serving({ _ in [ok("")] }) { server in
      let transport = HTTPTransport.live()
      _ = try await transport.send(.get(server.url))
      #expect(try await transport.failure(of: request(server.url, yes: 1)) == .withheld)
      _ = try await transport.send(.get(server.url))
      #expect(server.received.count == 2)
    }
  }

  @Test("A request whose deadlines are over before it was sent is one whose time has passed")
  func woken() async throws {
    let listener = try SilentListener()
    var request = try request("https://127.0.0.1:\(listener.port)/", yes: 1)
    request.timeout = 1
    #expect(await HTTPTransport.live().failure(of: request) == .withheld)
  }

  @Test("A request that no server could take says so, although its time has passed as well")
  func refused() async throws {
    let port = try FreePort().number
    let failure = try await HTTPTransport.live().failure(of: request("http://127.0.0.1:\(port)/", yes: 1))
    #expect(failure == .unreachable(reason: "the connection was refused"))
  }

  @Test("A request whose time lasts is answered")
  func inTime() async throws {
    try await ScriptedServer.serving({ _ in [ok("in time")] }) { server in
      let response = try await HTTPTransport.live().send(request(server.url, yes: 2))
      #expect(response.text == "in time")
    }
  }
}
