import AcctPorts
import LiveHTTP
import NIOPosix
import Synchronization
import Testing

@Suite("Serving programs on this machine", .timeLimit(.minutes(1)))
struct LocalServerTests {
  @Test("The local server answers requests on one connection in order, pipelined ones too")
  func keepAlive() async throws {
    try await serving { request in
      .text(200, request.target)
    } _: { port in
      let visitor = try await Visitor(to: port)
      try await visitor.send(get("/1", "a"))
      #expect(await visitor.until("\r\n\r\n/1") == "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n/1")
      try await visitor.send(get("/2", "a") + get("/3", "a") + "GET /4 HTTP/1.1\r\nConnection: close\r\n\r\n")
      let rest = await visitor.everything()
      #expect(
        rest
          == ["/2", "/3"].map { "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n\($0)" }.joined()
          + "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\n/4"
      )
    }
  }

  @Test("The local server is reached at 127.0.0.1 and at no other address of this machine")
  func loopbackAlone() async throws {
    try await serving { _ in
      .text(200, "here")
    } _: { port in
      let visitor = try await Visitor(to: port)
      try await visitor.send(get("/", "a"))
      #expect(await visitor.until("here").hasSuffix("here"))
      // A server that listens at every address would be reached here as well.
      await #expect(throws: (any Error).self) { try await Visitor(to: port, host: "127.0.0.2") }
    }
  }

  @Test("The local server reads bodies with a length and in chunks, and tells which")
  func bodiesIn() async throws {
    try await serving { request in
      let length = request.body?.length.map { "\($0)" } ?? "none"
      return .text(200, "\(length): \(await request.text() ?? "cut")")
    } _: { port in
      let visitor = try await Visitor(to: port)
      try await visitor.send("POST / HTTP/1.1\r\nContent-Length: 5\r\n\r\nhe")
      try await visitor.send("llo")
      #expect(await visitor.until("hello").hasSuffix("\r\n\r\n5: hello"))
      try await visitor.send("POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nhel\r\n")
      try await visitor.send("2\r\nlo\r\n0\r\n\r\n")
      #expect(await visitor.until("hello").hasSuffix("\r\n\r\nnone: hello"))
      try await visitor.send("POST / HTTP/1.1\r\nContent-Length: 0\r\n\r\n")
      #expect(await visitor.until("none").hasSuffix("none: "))
    }
  }

  @Test("An answer stays on the thread of its connection, but for what it does aside")
  func threads() async throws {
    let side = LocalServer.live { () throws(ListenFailure) in "" }.sideExecutor
    try await serving { _ in
      let begins = MultiThreadedEventLoopGroup.currentEventLoop != nil
      let isThereAside = await withTaskExecutorPreference(side) { MultiThreadedEventLoopGroup.currentEventLoop != nil }
      let ends = MultiThreadedEventLoopGroup.currentEventLoop != nil
      return .text(200, "\(begins) \(isThereAside) \(ends)!")
    } _: { port in
      let visitor = try await Visitor(to: port)
      try await visitor.send(get("/", "a"))
      #expect(await visitor.until("!").contains("true false true"))
    }
  }

  @Test("A head does not wait for a body that takes longer, and a small body ends with its length")
  func headFirst() async throws {
    let (gate, open) = AsyncStream.makeStream(of: Void.self)
    try await serving { _ in
      let rest = Mutex(["hi"][...])
      return LocalResponse(status: 200, fields: [("Content-Length", "2")]) {
        () async throws(HTTPFailure) in
        for await _ in gate { break }
        return rest.withLock { $0.popFirst() }.map { Array($0.utf8) }
      }
    } _: { port in
      let visitor = try await Visitor(to: port)
      try await visitor.send(get("/", "a"))
      #expect(await visitor.until("\r\n\r\n") == "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n")
      open.finish()
      #expect(await visitor.until("hi") == "hi")
    }
  }

  @Test("The local server sends bodies with a length or in chunks")
  func bodiesOut() async throws {
    try await serving { request in
      request.target == "/sized"
        ? .parts(["he", "llo"], [("Content-Length", "5")]) : .parts(["he", "llo"])
    } _: { port in
      let visitor = try await Visitor(to: port)
      try await visitor.send(get("/sized", "a"))
      #expect(await visitor.until("hello") == "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello")
      try await visitor.send(get("/", "a"))
      #expect(
        await visitor.until("0\r\n\r\n")
          == "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n2\r\nhe\r\n3\r\nllo\r\n0\r\n\r\n"
      )
    }
  }

  @Test("Fields keep their bytes beside bodies and pipelined requests that have such bytes too")
  func fieldBytes() async throws {
    try await serving { request in
      let field = request.fields.only("X") ?? ""
      let body = await request.text() ?? "cut"
      return .parts(["\(FieldText.bytes(field))\(body)"], [("X", field)])
    } _: { port in
      let visitor = try await Visitor(to: port)
      let text = "\u{E9}\n\r\n\u{E9}"
      let count = text.utf8.count
      try await visitor.send(
        "PUT / HTTP/1.1\r\nX: \u{E9}\r\nContent-Length: \(count)\r\n\r\n\(text)"
          + "PUT / HTTP/1.1\r\nX: \u{20AC}\r\nTransfer-Encoding: chunked\r\n\r\n"
          + "\(count)\r\n\(text)\r\n0\r\n\r\n"
          + "GET / HTTP/1.1\r\nX: \u{10FFE9}\r\nConnection: close\r\n\r\n"
      )
      let answers = await visitor.everything()
      for (field, body) in [
        ("\u{E9}", "[195, 169]\(text)"), ("\u{20AC}", "[226, 130, 172]\(text)"), ("\u{10FFE9}", "[244, 143, 191, 169]"),
      ] {
        #expect(answers.contains("\r\nX: \(field)\r\n"), "\(answers)")
        #expect(answers.contains(body), "\(answers)")
      }
    }
  }

  @Test("An answer longer than its length is cut at its length")
  func tooLong() async throws {
    try await serving { _ in
      .parts(["hello", "HTTP/1.1 200 OK\r\n\r\n"], [("Content-Length", "5")])
    } _: { port in
      let visitor = try await Visitor(to: port)
      try await visitor.send(get("/", "a"))
      #expect(await visitor.everything().hasSuffix("\r\n\r\nhello"))
    }
  }

  @Test("A client that expects 100-continue gets it only if the body is read")
  func expectation() async throws {
    try await serving { request in
      request.target == "/no" ? .text(403, "no") : .text(200, await request.text() ?? "cut")
    } _: { port in
      let expecting = "HTTP/1.1\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n"
      let visitor = try await Visitor(to: port)
      try await visitor.send("PUT / \(expecting)")
      #expect(await visitor.until("\r\n\r\n") == "HTTP/1.1 100 Continue\r\n\r\n")
      try await visitor.send("ok")
      #expect(await visitor.until("ok").hasPrefix("HTTP/1.1 200 OK\r\n"))
      try await visitor.send("PUT /no \(expecting)")
      let refused = await visitor.until("no")
      #expect(refused.hasPrefix("HTTP/1.1 403 Forbidden\r\n"))
      #expect(refused.contains("Connection: close\r\n"))
    }
  }

  @Test("The answer to HEAD names the body's length and has no body")
  func head() async throws {
    try await serving { request in
      .parts([], request.target == "/sized" ? [("Content-Length", "5")] : [])
    } _: { port in
      let visitor = try await Visitor(to: port)
      for _ in 1...2 {
        try await visitor.send("HEAD /sized HTTP/1.1\r\n\r\n")
        #expect(
          await visitor.until("\r\n\r\n") == "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n"
        )
      }
      try await visitor.send("HEAD / HTTP/1.1\r\n\r\n")
      #expect(await visitor.everything().hasSuffix("\r\n\r\n") == true)
      let other = try await Visitor(to: port)
      try await other.send("HEAD / HTTP/1.1\r\n\r\n")
      #expect(!(await other.everything().contains("0\r\n\r\n")))
    }
  }

  @Test("An HTTP/1.0 client gets no chunks, and the end of the connection ends the answer")
  func oldClient() async throws {
    try await serving { _ in
      .parts(["he", "llo"])
    } _: { port in
      let visitor = try await Visitor(to: port)
      try await visitor.send("GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n")
      #expect(
        await visitor.everything() == "HTTP/1.0 200 OK\r\nConnection: close\r\n\r\nhello"
      )
    }
  }

  @Test(
    "The local server answers 400 to a malformed request and continues to serve",
    arguments: [
      "nonsense\r\n\r\n",
      "GET / HTTP/1.1\r\nA: \(String(repeating: "x", count: 100_000))\r\n\r\n",
      "GET / HTTP/1.1\r\n\(String(repeating: "A: b\r\n", count: 300))\r\n",
      "POST / HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n",
      "POST / HTTP/1.1\r\nContent-Length: 9223372036854775808\r\n\r\n",
      "POST / HTTP/1.1\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    ]
  )
  func malformed(_ request: String) async throws {
    try await serving { request in
      .text(200, await request.text() ?? "cut")
    } _: { port in
      let visitor = try await Visitor(to: port)
      // The end may come before everything is sent.
      try? await visitor.send(request)
      #expect(await visitor.everything().hasPrefix("HTTP/1.1 400 "))
      let next = try await Visitor(to: port)
      try await next.send(get("/", "a"))
      #expect(await next.until("\r\n\r\n").hasPrefix("HTTP/1.1 200 OK\r\n"))
    }
  }

  @Test("The local server serves beside two hundred silent connections")
  func idle() async throws {
    try await serving { _ in
      .text(200, "well")
    } _: { port in
      var idle: [Visitor] = []
      for _ in 1...200 { idle.append(try await Visitor(to: port)) }
      let visitor = try await Visitor(to: port)
      try await visitor.send(get("/", "a"))
      #expect(await visitor.until("well").hasSuffix("well"))
      for visitor in idle { try await visitor.send(get("/", "a")) }
      for visitor in idle { #expect(await visitor.until("well").hasSuffix("well")) }
    }
  }
}
