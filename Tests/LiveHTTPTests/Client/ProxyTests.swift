import AcctPorts
import Testing

@Suite("Requests through a proxy")
struct ProxyTests {
  let authority: TestAuthority

  init() throws { authority = try TestAuthority.shared.get() }

  /// A proxy's answers: to CONNECT a tunnel to a server, which it plays too.
  private let tunnel: ScriptedServer.Script = { request in
    request.line.hasPrefix("CONNECT")
      ? [.send("HTTP/1.1 200 Connected\r\n\r\n"), .startTunnel] : [ok("through")]
  }

  /// A server's side of TLS behind the tunnel.
  private func identity(_ names: String = "DNS:pds.example") throws -> ServerIdentity { try authority.server(names) }

  private func transport(_ proxy: String, _ more: [String: String] = [:]) -> HTTPTransport {
    .live(["SSL_CERT_FILE": authority.rootsFile, "HTTPS_PROXY": proxy].merging(more) { $1 })
  }

  @Test("A proxy sees the host, the port and its own credentials, and not the request")
  func connect() async throws {
    try await ScriptedServer.serving(behind: identity(), tunnel) { server in
      let transport = transport("http://me:s%40fe@127.0.0.1:\(server.port)")
      let request = try HTTPRequest.get("https://pds.example/xrpc/x?y=1")
      #expect(try await transport.send(request).text == "through")
      #expect(
        server.received.map(\.line) == ["CONNECT pds.example:443 HTTP/1.1", "GET /xrpc/x?y=1 HTTP/1.1"]
      )
      // "me:s@fe", RFC 7617.
      #expect(
        server.received[0].fields.sorted() == [
          "Host: pds.example:443", "Proxy-Authorization: Basic bWU6c0BmZQ==", "Proxy-Connection: Keep-Alive",
        ]
      )
      #expect(server.received[1].fields == ["Host: pds.example"])
    }
  }

  @Test(
    "A wildcard stands for one label, and not directly below a top-level name",
    arguments: [
      ("DNS:*.example.test", "pds.example.test", true), ("DNS:*.example.test", "a.pds.example.test", false),
      ("DNS:*.example.test", "example.test", false), ("DNS:*.test", "example.test", false),
      ("DNS:p*.example.test", "pds.example.test", false), ("DNS:evil.test,IP:127.0.0.1", "pds.example.test", false),
    ]
  )
  func wildcard(_ names: String, _ host: String, _ isFor: Bool) async throws {
    try await ScriptedServer.serving(behind: identity(names), tunnel) { server in
      let transport = transport("127.0.0.1:\(server.port)")
      let request = try HTTPRequest.get("https://\(host)/")
      if isFor {
        #expect(try await transport.send(request).text == "through")
      } else {
        let failure = await transport.failure(of: request)
        #expect(failure == .untrusted(reason: "the certificate is for another host"))
        #expect(server.received.allSatisfy { $0.line.hasPrefix("CONNECT") })
      }
    }
  }

  @Test("A SOCKS proxy gets the name to resolve")
  func socks() async throws {
    let script: ScriptedServer.Script = { request in
      request.line.hasPrefix("SOCKS") ? [.startTunnel] : [ok("through")]
    }
    try await ScriptedServer.serving(behind: identity(), socks: 0, script) { server in
      let transport = transport("socks5h://127.0.0.1:\(server.port)")
      let request = try HTTPRequest.get("https://pds.example/")
      #expect(try await transport.send(request).text == "through")
      #expect(server.received[0].line == "SOCKS pds.example:443 HTTP/1.1")
    }
  }

  @Test("A SOCKS proxy that rejects a connection is the cause of the failure")
  func socksRefusal() async throws {
    // 2 is "connection not allowed by ruleset".
    try await ScriptedServer.serving(socks: 2, { _ in [] }) { server in
      let transport = transport("socks5h://127.0.0.1:\(server.port)")
      let failure = try await transport.failure(of: .get("https://pds.example/"))
      let reason = "the proxy 127.0.0.1:\(server.port) refused to connect to the server"
      #expect(failure == .proxy(reason: reason))
    }
  }

  @Test("The server's certificate is checked behind the proxy too")
  func untrusted() async throws {
    try await ScriptedServer.serving(behind: identity(), tunnel) { server in
      let transport = transport("127.0.0.1:\(server.port)")
      let other = try HTTPRequest.get("https://pds.example.evil.test/")
      #expect(
        await transport.failure(of: other) == .untrusted(reason: "the certificate is for another host")
      )
      let unknown = HTTPTransport.live(["ALL_PROXY": "127.0.0.1:\(server.port)"])
      #expect(
        try await unknown.failure(of: .get("https://pds.example/"))
          == .untrusted(reason: "the certificate is self-signed, or its issuer is not trusted")
      )
      #expect(server.received.allSatisfy { $0.line.hasPrefix("CONNECT") })
    }
  }

  @Test(
    "A proxy that rejects a connection is the cause of the failure",
    arguments: [
      (407, "me:no@", "does not accept the user name and the password"),
      (407, "", "asks for a user name and a password"),
      (403, "", "refused to connect to the server"),
      (502, "", "refused to connect to the server"),
    ]
  )
  func refusal(_ status: Int, _ credentials: String, _ words: String) async throws {
    let script: ScriptedServer.Script = { _ in [.send("HTTP/1.1 \(status) No\r\nContent-Length: 0\r\n\r\n")] }
    try await ScriptedServer.serving(script) { server in
      let transport = transport("http://\(credentials)127.0.0.1:\(server.port)")
      let failure = try await transport.failure(of: .get("https://pds.example/"))
      #expect(failure == .proxy(reason: "the proxy 127.0.0.1:\(server.port) \(words)"))
    }
  }

  @Test("A proxy that is not there is the cause of the failure")
  func unreachable() async throws {
    let port = try await ScriptedServer.serving({ _ in [] }) { $0.port }
    for scheme in ["http", "socks5"] {
      let transport = transport("\(scheme)://127.0.0.1:\(port)")
      let failure = try await transport.failure(of: .get("https://pds.example/"))
      #expect(failure == .proxy(reason: "the proxy 127.0.0.1:\(port) can't be reached"))
    }
  }

  @Test("A request to loopback bypasses every proxy")
  func loopback() async throws {
    try await ScriptedServer.serving({ _ in [ok("direct")] }) { server in
      let nobody = ["HTTPS_PROXY", "ALL_PROXY", "http_proxy"].map { ($0, "http://127.0.0.1:1") }
      let transport = HTTPTransport.live(Dictionary(uniqueKeysWithValues: nobody))
      let response = try await transport.send(.get(server.url))
      #expect(response.text == "direct")
    }
  }
}
