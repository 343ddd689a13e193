import AcctPorts
import Testing

@Suite("TLS")
struct TLSTests {
  let authority: TestAuthority

  init() throws { authority = try TestAuthority.shared.get() }

  private var trusting: HTTPTransport { .live(["SSL_CERT_FILE": authority.rootsFile]) }

  /// Why a request to a server with that side of TLS fails.
  private func failure(
    host: String = "localhost",
    _ tls: ServerIdentity?,
    _ transport: HTTPTransport
  ) async throws -> HTTPFailure? {
    try await ScriptedServer.serving(tls: tls, { _ in [ok("")] }) { server in
      let request = try HTTPRequest.get("https://\(host):\(server.port)/")
      let failure = await transport.failure(of: request)
      #expect(server.received.allSatisfy { !$0.line.hasPrefix("GET ") }, "the request was sent")
      return failure
    }
  }

  @Test("A server with a trusted certificate is accepted", arguments: ["localhost", "127.0.0.1"])
  func trusted(_ host: String) async throws {
    let tls = try authority.server("DNS:localhost,IP:127.0.0.1")
    try await ScriptedServer.serving(tls: tls, { _ in [ok("safe")] }) { server in
      let request = try HTTPRequest.get("https://\(host):\(server.port)/")
      #expect(try await trusting.send(request).text == "safe")
      #expect(server.received[0].fields == ["Host: \(host):\(server.port)"])
    }
  }

  @Test("An expired certificate is reported as expired")
  func expired() async throws {
    let tls = try authority.server("DNS:localhost", years: (2020, 2021))
    #expect(
      try await failure(tls, trusting) == .untrusted(reason: "the certificate has expired, by this machine's clock")
    )
  }

  @Test("A certificate from the future is reported as not valid yet")
  func notYetValid() async throws {
    let tls = try authority.server("DNS:localhost", years: (2048, 2049))
    #expect(
      try await failure(tls, trusting) == .untrusted(reason: "the certificate is not valid yet by this machine's clock")
    )
  }

  @Test(
    "A certificate for another host is reported as such",
    arguments: [
      ("localhost", "DNS:localhost.evil.test"), ("127.0.0.1", "DNS:localhost"),
      // The address is the connection's, and not what was asked for.
      ("localhost", "IP:127.0.0.1"), ("localhost", "DNS:evil.test,IP:127.0.0.1"),
      // An address is no name, and a common name counts for nothing.
      ("127.0.0.1", "DNS:127.0.0.1"), ("localhost", "email:a@evil.test"),
    ]
  )
  func otherHost(_ host: String, _ names: String) async throws {
    let tls = try authority.server(names, commonName: host)
    let failure = try await failure(host: host, tls, trusting)
    #expect(failure == .untrusted(reason: "the certificate is for another host"))
  }

  @Test("A certificate without a trusted root is rejected")
  func unknownIssuer() async throws {
    let reason = "the certificate is self-signed, or its issuer is not trusted"
    let selfSigned = try authority.selfSignedServer("DNS:localhost")
    #expect(try await failure(selfSigned, trusting) == .untrusted(reason: reason))
    // The system's roots do not know the tests' authority.
    let tls = try authority.server("DNS:localhost")
    #expect(try await failure(tls, .live()) == .untrusted(reason: reason))
  }

  @Test("TLS older than 1.2 is rejected")
  func oldVersion() async throws {
    let tls = try authority.server("DNS:localhost", newest: .tls11)
    let reason = "the server has no TLS version from 1.2 on"
    #expect(try await failure(tls, trusting) == .untrusted(reason: reason))
  }

  @Test("A server without TLS is reported as such")
  func noTLS() async throws {
    try await ScriptedServer.serving(greeting: "HTTP/1.1 400 No\r\n\r\n", { _ in [] }) { server in
      let request = try HTTPRequest.get("https://localhost:\(server.port)/")
      let reason = "the server does not speak TLS there"
      #expect(await trusting.failure(of: request) == .untrusted(reason: reason))
    }
  }

  @Test("A body that only the end of the connection delimits is rejected if it was cut short")
  func cutShort() async throws {
    let tls = try authority.server("DNS:localhost")
    let script: ScriptedServer.Script = { _ in [.send("HTTP/1.1 200 OK\r\n\r\nhalf"), .reset] }
    try await ScriptedServer.serving(tls: tls, script) { server in
      let request = try HTTPRequest.get("https://localhost:\(server.port)/")
      #expect(await trusting.failure(of: request) == .closed)
    }
  }

  @Test("A body that the end of the connection delimits is whole if the server closes TLS properly")
  func endedByGoodbye() async throws {
    let tls = try authority.server("DNS:localhost")
    let script: ScriptedServer.Script = { _ in [.send("HTTP/1.1 200 OK\r\n\r\nwhole"), .close] }
    try await ScriptedServer.serving(tls: tls, script) { server in
      let request = try HTTPRequest.get("https://localhost:\(server.port)/")
      #expect(try await trusting.send(request).text == "whole")
    }
  }

  @Test("An SSL_CERT_FILE without a certificate is named, and plain http works without it")
  func unreadableRoots() async throws {
    let empty = try authority.file("")
    let garbage = try authority.file("-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----")
    for path in ["/nonexistent/roots.pem", empty, garbage] {
      let transport = HTTPTransport.live(["SSL_CERT_FILE": path])
      guard case .untrusted(let reason) = try await failure(nil, transport) else {
        Issue.record("\(path) was taken")
        continue
      }
      #expect(reason.contains("SSL_CERT_FILE (\(path))"))
      try await ScriptedServer.serving({ _ in [ok("")] }) { server in
        let response = try await transport.send(.get(server.url))
        #expect(response.status == 200)
      }
    }
  }
}
