import AcctPorts
import LiveHTTP
import Synchronization
import Testing

@Suite("Connections with programs on this machine that end", .timeLimit(.minutes(1)))
struct LocalServerEndTests {
  @Test("A client that disconnects cancels the work for it")
  func clientGone() async throws {
    let (begun, begin) = AsyncStream.makeStream(of: Void.self)
    let (ended, end) = AsyncStream.makeStream(of: Void.self)
    try await serving { _ in
      begin.yield()
      // Nothing comes here; it ends by being cancelled.
      for await _ in AsyncStream<Void>.makeStream().stream {}
      end.yield()
      return .text(200, "too late")
    } _: { port in
      let visitor = try await Visitor(to: port)
      try await visitor.send(get("/", "a"))
      for await _ in begun { break }
      try await visitor.close()
      for await _ in ended { break }
    }
  }

  @Test("A client that disconnects in the middle of its body has sent none")
  func bodyGone() async throws {
    let (bodies, body) = AsyncStream.makeStream(of: String?.self)
    try await serving { request in
      body.yield(await request.text())
      return .text(200, "")
    } _: { port in
      for framing in ["Content-Length: 5\r\n\r\nhe", "Transfer-Encoding: chunked\r\n\r\n2\r\nhe\r\n"] {
        let visitor = try await Visitor(to: port)
        try await visitor.send("POST / HTTP/1.1\r\n\(framing)")
        try await visitor.close()
        for await body in bodies {
          #expect(body == nil)
          break
        }
      }
    }
  }

  @Test("A malformed body counts as cut off and ends the connection")
  func bodyMalformed() async throws {
    try await serving { request in
      .text(400, await request.text() ?? "cut")
    } _: { port in
      let visitor = try await Visitor(to: port)
      try await visitor.send("POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhe\r\nnonsense\r\n")
      let answer = await visitor.everything()
      #expect(answer.hasPrefix("HTTP/1.1 400 Bad Request\r\n"))
      #expect(answer.hasSuffix("\r\n\r\ncut"))
    }
  }

  @Test("A server that stops in the middle of its answer cuts the connection")
  func answerCut() async throws {
    try await serving { request in
      .parts(["hello", nil], request.target == "/sized" ? [("Content-Length", "10")] : [])
    } _: { port in
      for target in ["/sized", "/"] {
        let visitor = try await Visitor(to: port)
        try await visitor.send(get(target, "a"))
        let answer = await visitor.everything()
        #expect(answer.hasSuffix(target == "/" ? "5\r\nhello\r\n" : "\r\n\r\nhello"))
      }
    }
  }

  @Test("A client whose body is not read still gets the answer")
  func refused() async throws {
    try await serving { _ in
      .text(403, "no")
    } _: { port in
      for _ in 1...20 {
        let visitor = try await Visitor(to: port)
        let body = String(repeating: "x", count: 4 << 20)
        try await visitor.send("POST / HTTP/1.1\r\nContent-Length: \(4 << 20)\r\n\r\n\(body)")
        #expect(await visitor.everything().hasSuffix("\r\n\r\nno"))
      }
    }
  }

  @Test("Stopping the local server ends open connections, idle and busy ones")
  func stop() async throws {
    let (begun, begin) = AsyncStream.makeStream(of: Void.self)
    let visitors = try await serving { _ in
      begin.yield()
      for await _ in AsyncStream<Void>.makeStream().stream {}
      return .text(200, "too late")
    } _: { port in
      let visitors = [try await Visitor(to: port), try await Visitor(to: port)]
      try await visitors[0].send(get("/", "a"))
      for await _ in begun { break }
      return visitors
    }
    for visitor in visitors { #expect(await visitor.everything().isEmpty) }
  }

  @Test("Stopping the local server ends connections that were made but not yet accepted")
  func stopAtOnce() async throws {
    for _ in 1...100 {
      let visitors = try await serving { _ in
        .text(200, "well")
      } _: { port in
        [try await Visitor(to: port), try await Visitor(to: port)]
      }
      for visitor in visitors { #expect(await visitor.everything().isEmpty) }
    }
  }

  @Test("A slow reader slows its writer")
  func slowReader() async throws {
    let part = [UInt8](repeating: 0x78, count: 1 << 16)
    let written = Mutex(0)
    try await serving { request in
      guard request.target == "/endless" else { return .text(200, "well") }
      return LocalResponse(status: 200, fields: []) {
        written.withLock { $0 += 1 }
        return part
      }
    } _: { port in
      let reader = try await Visitor(to: port)
      try await reader.read(false)
      try await reader.send(get("/endless", "a"))
      let other = try await Visitor(to: port)
      // Nothing tells that a writer waits: it does if many answers to others bring no more of it.
      var (last, still) = (0, 0)
      while still < 50 && last < 1 << 12 {
        try await other.send(get("/", "a"))
        #expect(await other.until("well").hasSuffix("well"))
        let now = written.withLock { $0 }
        still = now == last && now > 0 ? still + 1 : 0
        last = now
      }
      // Buffers of sockets hold a few MiB, or as many as the system lets them grow to: here 37.
      #expect(last < 1 << 12)
      try await reader.close()
    }
  }

  @Test("A slow consumer of a body slows its client")
  func slowTaker() async throws {
    let (goAhead, go) = AsyncStream.makeStream(of: Void.self)
    let count = 64
    try await serving { request in
      guard let body = request.body else { return .text(200, "well") }
      for await _ in goAhead { break }
      var bytes = 0
      while let part = try? await body.next() { bytes += part.count }
      return .text(200, "took \(bytes)")
    } _: { port in
      let sender = try await Visitor(to: port)
      let length = count << 20
      let sent = Mutex(0)
      let block = String(repeating: "x", count: 1 << 20)
      try await sender.send("POST / HTTP/1.1\r\nContent-Length: \(length)\r\n\r\n")
      async let sending: Void = {
        for _ in 0..<count {
          try await sender.send(block)
          sent.withLock { $0 += 1 }
        }
      }()
      let other = try await Visitor(to: port)
      var (last, still) = (0, 0)
      while still < 50 {
        try await other.send(get("/", "a"))
        #expect(await other.until("well").hasSuffix("well"))
        let now = sent.withLock { $0 }
        still = now == last && now > 0 ? still + 1 : 0
        last = now
      }
      #expect(last < count / 2)
      go.yield()
      try await sending
      #expect(await sender.until("took").contains("took \(length)"))
    }
  }
}
