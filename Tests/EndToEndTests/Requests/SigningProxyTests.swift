import AcctTestSupport
import StrictJSON
import Testing

@Suite("The signing proxy")
struct SigningProxyTests {
  /// A server, and a home with a DPoP session of it that is good for an hour.
  private func scene(
    _ settings: JSON = [:],
    _ request: JSON = ["dpop": true],
    in keyring: AcctHome? = nil
  ) async throws -> (StrictServer, AcctHome) {
    let server = try await StrictServer(settings)
    let home = try keyring ?? AcctHome()
    let added = try await home.importing(try await server.issue(request))
    try #require(added.status == 0, "\(added.errorText)")
    return (server, home)
  }

  @Test("The signing proxy shows a client only the answer, whatever nonce the server required", arguments: [nil, "0"])
  func nonce(_ port: String?) async throws {
    let (server, home) = try await scene(["nonce_uses": 1, "nonce_keep": 0])
    let proxy =
      if let port { try await SigningProxyAtWork(home, "--port", port) } else {
        try await SigningProxyAtWork(home)
      }
    for number in 1...3 {
      #expect(try await proxy.status("\(server.resource)/resource/\(number)") == "200")
    }
    #expect(try await proxy.status("\(server.resource)/resource", "-d", "body") == "200")
    #expect(try await server.counts()["nonce_challenges"] ?? 0 >= 1)
    #expect(try await server.counts()["resources"] == 4)
    try await server.expectNothingWrong()
    #expect(proxy.said.isEmpty)
    #expect(await proxy.interrupted() == 0)
  }

  @Test("The signing proxy renews a due token once for many clients")
  func due() async throws {
    let (server, home) = try await scene([:], ["dpop": true, "expires_in": -10])
    let proxy = try await SigningProxyAtWork(home)
    try await expectOneRenewal(proxy, server)
  }

  @Test("The signing proxy renews a rejected token once for many clients")
  func refused() async throws {
    let (server, home) = try await scene([:], ["dpop": true, "expires_in": 1800])
    let proxy = try await SigningProxyAtWork(home)
    #expect(try await proxy.status("\(server.resource)/resource") == "200")
    try await server.control("revoke-access")
    try await expectOneRenewal(proxy, server)
  }

  private func expectOneRenewal(_ proxy: SigningProxyAtWork, _ server: StrictServer) async throws {
    let statuses = try await withThrowingTaskGroup { group in
      for number in 1...10 { group.addTask { try await proxy.status("\(server.resource)/resource/\(number)") } }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    #expect(statuses == Array(repeating: "200", count: 10))
    #expect(try await server.counts()["refreshes"] == 1)
    #expect(try await server.counts()["replays"] ?? 0 == 0)
    #expect(proxy.said.isEmpty)
  }

  @Test("A renewal whose client is gone, or that Ctrl-C interrupts, is finished", arguments: [0, 1])
  func interruptedRenewal(_ kind: Int) async throws {
    let (server, home) = try await scene([:], ["dpop": true, "expires_in": -10])
    let proxy = try await SigningProxyAtWork(home)
    // The old refresh token is spent, and the answer with the new one is on its way.
    try await server.fault(["endpoint": "token", "kind": "delay", "process": true, "skip": 1])
    let client = try RunningProcess(proxy.curl("\(server.resource)/resource"))
    try await server.wait(held: 1)
    if kind == 0 { await client.stop() } else { proxy.process.send(2) }
    try await server.control("release")
    if kind == 0 {
      #expect(try await proxy.status("\(server.resource)/resource") == "200")
    } else {
      #expect(await proxy.process.ended() == 0)
    }
    #expect(try await home.acct("request", "\(server.resource)/resource").status == 0)
    #expect(try await server.counts()["refreshes"] == 1)
    #expect(try await server.counts()["replays"] ?? 0 == 0)
    #expect(try await server.counts()["sessions_ended"] ?? 0 == 0)
  }

  @Test("The signing proxy learns limits from the answers that it passes on")
  func limits() async throws {
    let (server, home) = try await scene([
      "resource_headers": ["RateLimit-Limit": "3000", "RateLimit-Remaining": "17", "RateLimit-Reset": "300"]
    ])
    let proxy = try await SigningProxyAtWork(home)
    #expect(try await proxy.status("\(server.resource)/resource") == "200")
    let limits = try JSON(parsing: try await home.acct("limits", "--json").standardOutput)
    let limit = limits.objectValue?["limits"]?.arrayValue?.first?.objectValue
    #expect(limit?["remaining"] == 17)
    #expect(limit?["origin"] == .string(server.resource))
  }

  @Test("The signing proxy rejects a browser page, a foreign Host and a client without the secret")
  func refusals() async throws {
    let (server, home) = try await scene()
    let socket = try await SigningProxyAtWork(home)
    let port = try await SigningProxyAtWork(home, "--port", "0")
    let url = "\(server.resource)/resource"
    for proxy in [socket, port] {
      for origin in ["https://evil.example", "null", server.resource] {
        #expect(try await proxy.status(url, "-H", "Origin: \(origin)") == "403")
      }
      // What a page's image or link sends.
      #expect(try await proxy.status(url, "-H", "Sec-Fetch-Site: cross-site") == "403")
      // What a browser asks before a script's request that is not simple.
      #expect(
        try await proxy.status(
          url,
          "-X",
          "OPTIONS",
          "-H",
          "Origin: https://evil.example",
          "-H",
          "Access-Control-Request-Method: PUT"
        ) == "403"
      )
      #expect(try await proxy.status("http://evil.example/resource") == "421")
      #expect(try await proxy.status("\(server.elsewhere)/resource") == "421")
      #expect(
        try await proxy.status(
          url,
          "-H",
          "Connection: Upgrade",
          "-H",
          "Upgrade: websocket",
          "-H",
          "Sec-WebSocket-Version: 13"
        ) == "501"
      )
    }
    // A page's image has no Origin, and a rebound name is the page's own: neither has the secret.
    let base = port.place.split(separator: "/", maxSplits: 2).prefix(2).joined(separator: "//")
    let host = server.resource.dropFirst("http://".count)
    for host in [String(host), "evil.example"] {
      let output = try await ChildProcess(
        "curl",
        ["-sS", "--noproxy", "*", "-o", "/dev/null", "-w", "%{http_code}", "-H", "Host: \(host)", "\(base)/resource"]
      ).run()
      #expect(output.text == "403", "\(output.errorText)")
    }
    #expect(try await server.requests(to: "resource").isEmpty)
    #expect(try await server.requests(to: "elsewhere").isEmpty)
  }

  @Test("The signing proxy serves 500 requests of 50 clients at once, each with a proof of its own")
  func load() async throws {
    let (server, home) = try await scene()
    try await expectAllServed(server, home)
  }

  @Test("The signing proxy serves 500 requests from a GNOME Keyring over one connection")
  func loadOfSecretService() async throws {
    let gnome = try GnomeKeyring()
    defer { gnome.stop() }
    let (server, home) = try await scene(in: try AcctHome(in: gnome))
    let before = try gnome.bus.connections()
    try await expectAllServed(server, home)
    // The proxy's, and that of the question how many there are.
    #expect(try gnome.bus.connections() == before + 2)
  }

  private func expectAllServed(_ server: StrictServer, _ home: AcctHome) async throws {
    let proxy = try await SigningProxyAtWork(home)
    let host = String(server.resource.dropFirst("http://".count))
    let clients = ChildProcess(
      Product.source(".build/venv/bin/python"),
      [Product.source("Tests/StrictServer/clients.py"), proxy.place, host, "500", "50"]
    )
    let output = try await clients.run()
    let outcome = try JSON(parsing: output.standardOutput).objectValue
    #expect(outcome?["answers"] == ["200": 500], "\(output.text) \(output.errorText)")
    #expect(outcome?["lost"] == [])
    // Its connections are not more than its clients', and it does not keep what it has seen.
    if !Product.isSanitized { #expect(try await proxy.memory("VmHWM") < 128 << 10) }
    let counts = try await server.counts()
    #expect(counts["resources"] == 500)
    #expect(counts["jti_replays"] ?? 0 == 0)
    try await server.expectNothingWrong()
    #expect(proxy.said.isEmpty)
  }

  @Test("The signing proxy works again after a GNOME Keyring was locked, or died and was restarted")
  func keyringComesBack() async throws {
    let gnome = try GnomeKeyring()
    defer { gnome.stop() }
    let (server, home) = try await scene(in: try AcctHome(in: gnome))
    let proxy = try await SigningProxyAtWork(home)
    let url = "\(server.resource)/resource"
    #expect(try await proxy.status(url) == "200")
    try gnome.lock()
    #expect(try await proxy.status(url) == "503")
    try gnome.unlock()
    #expect(try await proxy.status(url) == "200")

    gnome.kill()
    #expect(try await proxy.status(url) == "503")
    try gnome.startLocked()
    #expect(try await proxy.status(url) == "503")
    try gnome.unlock()
    #expect(try await proxy.status(url) == "200")
    #expect(proxy.said.split(separator: "\n").filter { $0.hasPrefix("acct: GET:") }.count == 3)
  }
}
