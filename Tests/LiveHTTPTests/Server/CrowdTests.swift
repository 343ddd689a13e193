import AcctModel
import AcctPorts
import LiveHTTP
import Testing

@Suite("Many connections to a server for this machine", .timeLimit(.minutes(1)))
struct CrowdTests {
  /// Serves up to eight connections; `/no` is refused, and its connection ends.
  private func serving(timeout: Duration = .seconds(600), _ body: (Int) async throws -> Void) async throws {
    let server = LocalServer.live(limit: 8, timeout: timeout) { () throws(ListenFailure) in
      throw .unusableSocket(path: "", reason: "no test needs a folder")
    }
    let serving = try await server.serve(.port(nil)) { request in
      var response = LocalResponse.text(request.target == "/no" ? 403 : 200, "well")
      response.endsConnection = request.target == "/no"
      return response
    }
    guard case .port(let port?) = serving.place else { return }
    do { try await body(port) } catch {
      await serving.stop()
      throw error
    }
    await serving.stop()
  }

  @Test("The oldest connection is closed for a new one, but not one that has sent a request")
  func oldestFirst() async throws {
    try await serving { port in
      let known = try await Visitor(to: port)
      try await known.send(get("/", "a"))
      #expect(await known.until("well").hasSuffix("well"))
      var crowd: [Visitor] = []
      for _ in 1...20 { crowd.append(try await Visitor(to: port)) }
      let late = try await Visitor(to: port)
      try await late.send(get("/", "a"))
      #expect(await late.until("well").hasSuffix("well"))
      // Seven beside the known one, the late one among them.
      for visitor in crowd.prefix(14) { #expect(await visitor.everything().isEmpty) }
      for visitor in crowd.suffix(6) + [known] {
        try await visitor.send(get("/", "a"))
        #expect(await visitor.until("well").hasSuffix("well"))
      }
    }
  }

  @Test("A rejected request ends its connection, even if its body does not come")
  func refused() async throws {
    try await serving(timeout: .seconds(5)) { port in
      let visitor = try await Visitor(to: port)
      try await visitor.send("POST /no HTTP/1.1\r\nContent-Length: 100\r\n\r\n")
      #expect(await visitor.everything().contains("Connection: close\r\n"))
    }
  }

  @Test("A connection that does not send a whole head in time is closed", arguments: ["", "GET / HT"])
  func silent(_ start: String) async throws {
    try await serving(timeout: .milliseconds(1)) { port in
      let visitor = try await Visitor(to: port)
      // Its end may come first.
      try? await visitor.send(start)
      #expect(await visitor.everything().isEmpty)
    }
  }

  @Test("A connection that does not send a callback in time is closed")
  func silentCallback() async throws {
    try await CallbackListener.live(timeout: .milliseconds(1)).listening { listening in
      let visitor = try await Visitor(to: listening.port)
      #expect(await visitor.everything().isEmpty)
    }
  }
}
