import AcctModel
import AcctPorts
import Testing

@Suite("A request that may reach public addresses only")
struct ReachTests {
  private func request(_ url: String) throws -> HTTPRequest {
    var request = try HTTPRequest.get(url)
    request.reach = .publicOnly
    return request
  }

  @Test(
    "A request to a private address is rejected before a connection is made",
    arguments: ["127.0.0.1", "localhost"]
  )
  func connecting(_ host: String) async throws {
    try await ScriptedServer.serving({ _ in [ok("inside")] }) { server in
      let failure = try await HTTPTransport.live().failure(of: request("http://\(host):\(server.port)"))
      #expect(failure == .inside(host: host))
      #expect(server.connections == 0)
    }
  }

  @Test("A request to a private address is rejected on a connection that another request opened")
  func reusing() async throws {
    try await ScriptedServer.serving({ _ in [ok("inside")] }) { server in
      let transport = HTTPTransport.live()
      #expect(try await transport.send(.get(server.url)).text == "inside")
      let failure = try await transport.failure(of: request(server.url))
      #expect(failure == .inside(host: "127.0.0.1"))
      #expect(server.received.count == 1)
      #expect(try await transport.send(.get(server.url)).text == "inside")
    }
  }

  @Test("A request may pass a proxy in a private network: the user chose it, and it resolves the name")
  func proxied() async throws {
    let authority = try TestAuthority.shared.get()
    let script: ScriptedServer.Script = { request in
      request.line.hasPrefix("CONNECT")
        ? [.send("HTTP/1.1 200 Connected\r\n\r\n"), .startTunnel] : [ok("through")]
    }
    try await ScriptedServer.serving(behind: try authority.server("DNS:pds.example"), script) {
      server in
      let transport = HTTPTransport.live([
        "SSL_CERT_FILE": authority.rootsFile, "HTTPS_PROXY": "127.0.0.1:\(server.port)",
      ])
      #expect(try await transport.send(request("https://pds.example/")).text == "through")
      let failure = try await transport.failure(of: request("https://10.0.0.1/"))
      #expect(failure == .inside(host: "10.0.0.1"))
      #expect(server.received.count { $0.line.hasPrefix("CONNECT") } == 1)
    }
  }
}
