import AcctTestSupport
import Testing

/// The built `acct`, which is about to send a refresh token, and servers that it must not trust.
@Suite("A server that can't be trusted")
struct DistrustTests {
  private let authority: TestAuthority

  init() throws { authority = try TestAuthority.shared.get() }

  /// The result of a renewal at a server with that side of TLS.
  private struct Outcome {
    let output: ChildProcess.Output
    let received: [ScriptedServer.Request]
    /// The file in the place of the system's roots, where one is named.
    let home: AcctHome
  }

  private func renewal(
    at tls: ServerIdentity?,
    scheme: String = "https",
    host: String = "localhost",
    trusting roots: String? = nil,
    greeting: String? = nil,
    _ script: @escaping ScriptedServer.Script = { _ in [.close] }
  ) async throws -> Outcome {
    try await ScriptedServer.serving(tls: tls, greeting: greeting, script) { server in
      let home = try AcctHome(with: ["SSL_CERT_FILE": roots ?? authority.rootsFile])
      let issuer = "\(scheme)://\(host):\(server.port)"
      let added = try await home.importing(
        """
        {"access_token":"MARKER-access","refresh_token":"MARKER-refresh","token_type":"Bearer",
         "expires_in":-10,"issuer":"\(issuer)","client_id":"a-client"}
        """
      )
      try #require(added.status == 0, "\(added.errorText)")
      let output = try await home.acct("token")
      return Outcome(output: output, received: server.received, home: home)
    }
  }

  /// Asserts that acct says why, and has told the server nothing before it knew who that is.
  private func expect(_ outcome: Outcome, _ reason: String, _ location: SourceLocation = #_sourceLocation) {
    #expect(outcome.output.status == 10, sourceLocation: location)
    #expect(outcome.output.text.isEmpty, sourceLocation: location)
    #expect(
      outcome.output.errorText.contains(reason),
      "\(outcome.output.errorText)",
      sourceLocation: location
    )
    // A handshake that failed, as a server without TLS would read it; never a request.
    for request in outcome.received {
      let all = ([request.line] + request.fields + [request.body]).joined()
      #expect(!all.contains("MARKER") && !all.contains("HTTP/1"), sourceLocation: location)
    }
  }

  @Test("A server with a trusted private authority gets the refresh token and renews")
  func trusted() async throws {
    let tls = try authority.server("DNS:localhost")
    let outcome = try await renewal(at: tls) { request in
      let host = request.fields.first { $0.hasPrefix("Host: ") }?.dropFirst("Host: ".count) ?? ""
      let issuer = "https://\(host)"
      let json = "Content-Type: application/json"
      return request.line.hasPrefix("POST ")
        ? [ok(#"{"access_token":"renewed","token_type":"Bearer","expires_in":3600}"#, json)]
        : [
          ok(
            #"{"issuer":"\#(issuer)","token_endpoint":"\#(issuer)/token"}"#,
            json
          )
        ]
    }
    #expect(outcome.output.status == 0, "\(outcome.output.errorText)")
    #expect(outcome.output.text == "renewed\n")
    let posted = outcome.received.filter { $0.line.hasPrefix("POST ") }
    #expect(posted.count == 1)
    #expect(posted.first?.body.contains("MARKER-refresh") == true)
  }

  @Test(
    "A server with an expired certificate, or one from the future, gets nothing",
    arguments: [((2020, 2021), "has expired"), ((2048, 2049), "is not valid yet")]
  )
  func time(_ years: (Int, Int), _ words: String) async throws {
    let tls = try authority.server("DNS:localhost", years: years)
    expect(try await renewal(at: tls), "the certificate \(words)")
  }

  @Test("A server with another host's certificate gets nothing")
  func otherHost() async throws {
    let tls = try authority.server("DNS:localhost.evil.test", commonName: "localhost")
    expect(try await renewal(at: tls), "the certificate is for another host")
  }

  @Test("A server with a self-signed certificate, or one of an unknown authority, gets nothing")
  func unknownIssuer() async throws {
    let words = "the certificate is self-signed, or its issuer is not trusted"
    expect(try await renewal(at: try authority.selfSignedServer("DNS:localhost")), words)
    let elsewhere = try authority.selfSignedServer("DNS:elsewhere").certificate
    let tls = try authority.server("DNS:localhost")
    expect(try await renewal(at: tls, trusting: elsewhere), words)
  }

  @Test("A server with only TLS 1.0 or 1.1, or no TLS, gets nothing")
  func downgrade() async throws {
    for version in [ServerIdentity.Version.tls10, .tls11] {
      let tls = try authority.server("DNS:localhost", newest: version)
      expect(try await renewal(at: tls), "the server has no TLS version from 1.2 on")
    }
    let plain = try await renewal(at: nil, greeting: "HTTP/1.1 400 No\r\n\r\n")
    expect(plain, "the server does not speak TLS there")
  }

  @Test("A redirect to plain http is not followed")
  func redirect() async throws {
    try await ScriptedServer.serving({ _ in [ok("{}")] }) { plain in
      let tls = try authority.server("DNS:localhost")
      let outcome = try await renewal(at: tls) { _ in
        [.send("HTTP/1.1 302 Found\r\nLocation: \(plain.url)/\r\nContent-Length: 0\r\n\r\n")]
      }
      #expect(outcome.output.status == 11, "\(outcome.output.errorText)")
      #expect(plain.received.isEmpty && plain.connections == 0)
      #expect(outcome.received.allSatisfy { $0.line.hasPrefix("GET ") })
    }
  }

  @Test("A token endpoint without TLS gets nothing")
  func plainEndpoint() async throws {
    let tls = try authority.server("DNS:localhost")
    let outcome = try await renewal(at: tls) { request in
      let host = request.fields.first { $0.hasPrefix("Host: ") }?.dropFirst("Host: ".count) ?? ""
      return [
        ok(
          #"{"issuer":"https://\#(host)","token_endpoint":"http://pds.example/token"}"#,
          "Content-Type: application/json"
        )
      ]
    }
    #expect(outcome.output.status == 11, "\(outcome.output.errorText)")
    #expect(outcome.received.allSatisfy { $0.line.hasPrefix("GET ") })
  }

  @Test("An account of a plain http server is not imported")
  func plainIssuer() async throws {
    let home = try AcctHome()
    let added = try await home.importing(
      #"{"access_token":"a","refresh_token":"r","issuer":"http://pds.example"}"#
    )
    #expect(added.status == 8)
    #expect(try await home.acct("list").text.isEmpty)
  }
}
