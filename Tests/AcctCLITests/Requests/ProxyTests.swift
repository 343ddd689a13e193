import AcctModel
import Secrets
import AcctPorts
import AcctTestSupport
import StrictJSON
import Synchronization
import Testing

@Suite("acct proxy")
struct ProxyTests {
  let record = RecordedWorld()

  /// Runs the proxy for one request, and returns its answer.
  private func ask(
    _ method: String = "GET",
    _ target: String = "/xrpc/a",
    _ fields: [(name: String, value: String)] = [("Host", "pds.example")],
    body: String? = nil,
    _ options: String...
  ) async throws -> RecordedLocalServer.Answer {
    let answers = Mutex<[RecordedLocalServer.Answer]>([])
    record.localServer.visit { ask in
      let answer = await ask(method, target, fields, body)
      answers.withLock { $0.append(answer) }
    }
    record.clear()
    #expect(await record.run(["proxy"] + options) == 0)
    return try #require(answers.withLock { $0.first })
  }

  @Test("The proxy passes a request on with the account's lines, and passes the answer back")
  func passes() async throws {
    #expect(await record.add(Handoffs.dpop()) == 0)
    record.serve(201, "made", [("Content-Length", "4"), ("X-A", "b"), ("Connection", "close")])
    let answer = try await ask("POST", "/xrpc/a?b=c", [("host", "pds.example")], body: "x")
    #expect(answer.status == 201)
    #expect(answer.text == "made")
    #expect(answer.fields.map(\.name) == ["Content-Length", "X-A"])
    let request = try #require(record.requests.last)
    #expect(request.method == "POST")
    #expect(request.url.description == "https://pds.example/xrpc/a?b=c")
    #expect(request.body == Secret("x"))
    #expect(request.fields.map(\.name) == ["Authorization", "DPoP"])
  }

  @Test("The proxy prints one line and ends with Ctrl-C")
  func line() async throws {
    #expect(await record.add(Handoffs.bearer()) == 0)
    record.serve(200, "")
    _ = try await ask()
    #expect(record.out == "/run/acct/proxy\n")
    #expect(record.err.isEmpty)
    #expect(record.localServer.places == [.socket(path: nil)])
    #expect(record.localServer.stops == 1)
    _ = try await ask("GET", "/", [], body: nil, "--socket", "/tmp/mine")
    #expect(record.out == "/tmp/mine\n")
    #expect(record.localServer.places.last == .socket(path: "/tmp/mine"))
  }

  @Test("The proxy on a port prints an address with a one-time secret and rejects requests without it")
  func port() async throws {
    #expect(await record.add(Handoffs.bearer()) == 0)
    let host: [(name: String, value: String)] = [("Host", "issuer.example")]
    #expect(try await ask("GET", "/", host, body: nil, "--port", "0").status == 403)
    #expect(record.localServer.places == [.port(nil)])
    let line = record.out
    #expect(line.wholeMatch(of: /http:\/\/127\.0\.0\.1:4711\/[A-Za-z0-9_-]{22}\/\n/) != nil)
    _ = try await ask("GET", "/", host, body: nil, "--port", "80")
    #expect(record.localServer.places.last == .port(80))
    #expect(record.out != line)
    #expect(record.requests.isEmpty)
  }

  @Test("The proxy with both a socket and a port, or an invalid number, is bad usage")
  func usage() async {
    #expect(await record.add(Handoffs.bearer()) == 0)
    #expect(await record.acct("proxy", "--socket", "/tmp/x", "--port", "1") == 64)
    #expect(await record.acct("proxy", "--port", "65536") == 64)
    #expect(record.out.isEmpty)
  }

  @Test("The proxy says why it can't listen")
  func taken() async {
    #expect(await record.add(Handoffs.bearer()) == 0)
    record.localServer.fail(with: .unusableSocket(path: "/tmp/x", reason: "another process listens there"))
    #expect(await record.acct("proxy", "--socket", "/tmp/x") == 1)
    #expect(record.out.isEmpty)
    #expect(record.err.first?.contains("/tmp/x") == true)
    #expect(record.err.first?.contains("another process listens there") == true)
  }

  static let refusals: [(String, String, [(name: String, value: String)], Int)] = [
    ("GET", "/", [("Host", "pds.example"), ("Origin", "https://evil.example")], 403),
    ("GET", "/", [("Host", "pds.example"), ("Origin", "null")], 403),
    ("GET", "/", [("Host", "evil.example")], 421),
    ("GET", "/", [("Host", "pds.example.evil.test")], 421),
    ("GET", "https://evil.example/", [("Host", "pds.example")], 421),
    ("GET", "/", [("Host", "pds.example"), ("Upgrade", "websocket")], 501),
    ("CONNECT", "pds.example:443", [("Host", "pds.example:443")], 501),
    ("GET", "/", [], 400),
    ("OPTIONS", "*", [("Host", "pds.example")], 400),
  ]

  @Test("The proxy rejects what it must without the network and the keyring", arguments: refusals)
  func refuses(
    _ method: String,
    _ target: String,
    _ fields: [(name: String, value: String)],
    _ status: Int
  ) async throws {
    #expect(await record.add(Handoffs.dpop()) == 0)
    record.keyring.fail(with: .locked())
    let answer = try await ask(method, target, fields)
    #expect(answer.status == status)
    #expect(answer.text.hasPrefix("acct: "))
    #expect(answer.field("Content-Length") == "\(answer.text.utf8.count)")
    #expect(record.requests.isEmpty)
    #expect(record.err.isEmpty)
  }

  @Test("The proxy replaces the client's credentials with its own")
  func replaces() async throws {
    #expect(await record.add(Handoffs.bearer()) == 0)
    record.serve(200, "")
    _ = try await ask(
      "GET",
      "/",
      [
        ("Host", "issuer.example"), ("Authorization", "Bearer theirs"), ("DPoP", "theirs"),
        ("Cookie", "a=b"), ("X-Device-ID", "theirs"), ("Accept", "*/*"),
      ]
    )
    let fields = try #require(record.requests.last).fields
    // Cookies and device ids are the client's own, where the account has none.
    #expect(fields.map(\.name) == ["Authorization", "Cookie", "X-Device-ID", "Accept"])
    #expect(fields.first?.value == Secret("Bearer opaque-bob"))
  }

  @Test("The proxy replaces the client's device id with the guest's")
  func guest() async throws {
    await record.addGuest()
    record.serve(200, "")
    _ = try await ask("GET", "/", [("Host", "api.example"), ("x-device-id", "theirs")])
    let fields = try #require(record.requests.last).fields
    #expect(fields.map { $0.name.lowercased() } == ["authorization", "x-device-id"])
    #expect(!fields.contains { $0.value == Secret("theirs") })
  }

  static let troubles: [(KeyringFailure, Int)] = [
    (.locked(), 503), (.unavailable(reason: "none is running"), 503), (.timedOut, 503),
  ]

  @Test("The proxy answers 503 while the keyring fails, and works again afterwards", arguments: troubles)
  func keyring(_ trouble: KeyringFailure, _ status: Int) async throws {
    #expect(await record.add(Handoffs.dpop()) == 0)
    record.serve(200, "well")
    let statuses = Mutex<[Int]>([])
    let keyring = record.keyring
    record.localServer.visit { ask in
      for failure in [nil, trouble, nil] {
        keyring.fail(with: failure)
        let answer = await ask("GET", "/", [("Host", "pds.example")], nil)
        statuses.withLock { $0.append(answer.status) }
      }
    }
    #expect(await record.acct("proxy") == 0)
    #expect(statuses.withLock { $0 } == [200, status, 200])
    // Once, and without a secret.
    #expect(record.err.count == 1)
    #expect(!record.err.joined().contains("eyJ"))
  }

  @Test("A proxy request that arrives while the keyring times out waits no longer than that")
  func frozenKeyring() async throws {
    #expect(await record.add(Handoffs.dpop()) == 0)
    let statuses = Mutex<[Int]>([])
    let keyring = record.keyring
    record.localServer.visit { ask in
      let (gate, opening) = AsyncStream.makeStream(of: Void.self)
      keyring.holdReads { for await _ in gate {} }
      keyring.fail(with: .timedOut)
      let request: @Sendable () async -> Void = {
        let answer = await ask("GET", "/", [("Host", "pds.example")], nil)
        statuses.withLock { $0.append(answer.status) }
      }
      await withTaskGroup(of: Void.self) { group in
        group.addTask { await request() }
        while keyring.heldReads == 0 { await Task.yield() }
        let turns = TurnExecutor()
        for _ in 1...4 { group.addTask(executorPreference: turns) { await request() } }
        // They all wait for the first one's answer when none of them can go on.
        while !turns.isIdle { await Task.yield() }
        opening.finish()
      }
    }
    #expect(await record.acct("proxy") == 0)
    #expect(statuses.withLock { $0 } == Array(repeating: 503, count: 5))
    #expect(keyring.heldReads == 1)
  }

  @Test("The proxy reports an upstream failure as 504 or 502")
  func upstream() async throws {
    #expect(await record.add(Handoffs.bearer()) == 0)
    let host: [(name: String, value: String)] = [("Host", "issuer.example")]
    for (failure, status) in [
      (HTTPFailure.timedOut, 504), (.unreachable(reason: "nobody is there"), 502), (.closed, 502),
    ] {
      record.serve { _ throws(HTTPFailure) in throw failure }
      #expect(try await ask("GET", "/", host).status == status)
      #expect(record.err.count == 1)
    }
  }

  @Test("The proxy answers 503 for an account that was removed since")
  func removed() async throws {
    #expect(await record.add(Handoffs.bearer()) == 0)
    let statuses = Mutex<[Int]>([])
    let record = record
    record.localServer.visit { ask in
      _ = await record.run(["remove", "--local", "bob.example.com"])
      let answer = await ask("GET", "/", [("Host", "issuer.example")], nil)
      statuses.withLock { $0.append(answer.status) }
    }
    #expect(await record.acct("proxy") == 0)
    #expect(statuses.withLock { $0 } == [503])
    #expect(record.requests.isEmpty)
  }
}
