import AcctModel
import AcctRequests
import Secrets
import Testing

@Suite("The gate of the signing proxy")
struct ProxyGateTests {
  private let onSocket: ProxyGate
  private let onPort: ProxyGate

  init() throws {
    let origins = [try Origin("https://pds.example"), try Origin("http://127.0.0.1:8080")]
    onSocket = ProxyGate(origins: origins, secret: nil)
    onPort = ProxyGate(origins: origins, secret: Secret("s3cret"))
  }

  private func url(
    _ gate: ProxyGate,
    _ target: String,
    host: String? = "pds.example",
    method: String = "GET",
    _ more: [(name: String, value: String)] = []
  ) -> Result<String, ProxyRefusal> {
    let host = host.map { [(name: "Host", value: $0)] } ?? []
    do throws(ProxyRefusal) {
      let url = try gate.url(method: method, target: target, fields: host + more)
      return .success(url.description)
    } catch {
      return .failure(error)
    }
  }

  @Test("A request to the proxy goes to the origin that its Host names")
  func host() {
    #expect(url(onSocket, "/xrpc/a?b=c") == .success("https://pds.example/xrpc/a?b=c"))
    #expect(url(onSocket, "/a", host: "PDS.example:443") == .success("https://pds.example/a"))
    #expect(url(onSocket, "/a", host: "127.0.0.1:8080") == .success("http://127.0.0.1:8080/a"))
  }

  @Test("A request to the proxy may have a whole URL as its target if the host equals the Host")
  func absoluteForm() {
    #expect(url(onSocket, "http://pds.example/a?b") == .success("https://pds.example/a?b"))
    #expect(url(onSocket, "http://pds.example") == .success("https://pds.example/"))
    #expect(url(onSocket, "http://evil.example/a") == .failure(.foreignHost))
  }

  @Test(
    "A request to the proxy with a Host that is not the account's is rejected",
    arguments: [
      "evil.example", "pds.example.evil.test", "pds.example:8443", "pds.example.", "127.0.0.1", "127.0.0.1:8081",
      "localhost:8080", "user@pds.example", "pds.example@evil.example", "", "[::1]:8080", "pds.example,evil.example",
    ]
  )
  func foreignHost(host: String) {
    #expect(url(onSocket, "/", host: host) == .failure(.foreignHost))
  }

  @Test("A request to the proxy without a Host, or with two, is rejected")
  func oneHost() {
    #expect(url(onSocket, "/", host: nil) == .failure(.malformed))
    #expect(url(onSocket, "/", [("host", "pds.example")]) == .failure(.malformed))
  }

  @Test("A request to the proxy's port needs the secret at the start of its path, which is removed")
  func secret() {
    #expect(url(onPort, "/s3cret/xrpc/a") == .success("https://pds.example/xrpc/a"))
    #expect(url(onPort, "/s3cret/") == .success("https://pds.example/"))
    for path in ["/", "/xrpc/a", "/s3cre/a", "/s3cret", "/s3cretx/a", "/S3CRET/a", "/a/s3cret/"] {
      #expect(url(onPort, path) == .failure(.secretMissing), "\(path)")
    }
  }

  @Test("A request to the proxy without the secret learns nothing about hosts")
  func silence() {
    #expect(url(onPort, "/", host: "evil.example") == .failure(.secretMissing))
  }

  @Test("A request to the proxy from a browser page is rejected, with the secret or without")
  func page() {
    let origin = [(name: "Origin", value: "https://evil.example")]
    #expect(url(onPort, "/s3cret/", origin) == .failure(.fromPage))
    #expect(url(onSocket, "/", origin) == .failure(.fromPage))
    #expect(url(onSocket, "/", [("origin", "null")]) == .failure(.fromPage))
    for site in ["cross-site", "same-site", "same-origin", ""] {
      #expect(url(onPort, "/s3cret/", [("Sec-Fetch-Site", site)]) == .failure(.fromPage))
    }
    // An address that the user typed, and what clients send that are no browsers.
    let own = [(name: "Sec-Fetch-Site", value: "none"), (name: "Sec-Fetch-Mode", value: "cors")]
    #expect(url(onPort, "/s3cret/", own) == .success("https://pds.example/"))
  }

  @Test("A request to the proxy that can't be signed is rejected")
  func unsignable() {
    #expect(url(onSocket, "/", method: "CONNECT") == .failure(.tunnel))
    #expect(url(onSocket, "/", [("Upgrade", "websocket")]) == .failure(.upgrade))
    #expect(url(onSocket, "*", method: "OPTIONS") == .failure(.malformed))
    #expect(url(onSocket, "/a\u{7F}b") == .failure(.malformed))
  }

  @Test("The proxy's own address leads to one origin, on a port and with the secret alone")
  func ownAddress() throws {
    let direct = try Origin("https://pds.example")
    let gate = ProxyGate(origins: [direct], secret: Secret("s3cret"), direct: direct)
    let onSocket = ProxyGate(origins: [direct], secret: nil, direct: direct)
    func origin(
      _ gate: ProxyGate,
      _ host: String,
      _ target: String = "/s3cret/a",
      port: Int? = 80
    ) -> Result<Origin, ProxyRefusal> {
      Result { () throws(ProxyRefusal) in
        try gate.url(method: "GET", target: target, fields: [("Host", host)], port: port).origin
      }
    }
    // Port 80 is the one that no client writes.
    for host in ["127.0.0.1", "localhost"] { #expect(origin(gate, host) == .success(direct)) }
    #expect(origin(gate, "127.0.0.1:80") == .failure(.foreignHost))
    #expect(origin(gate, "localhost", "http://localhost/s3cret/a") == .success(direct))
    #expect(origin(gate, "127.0.0.1", port: 8080) == .failure(.foreignHost))
    #expect(origin(gate, "127.0.0.1", port: nil) == .failure(.foreignHost))
    #expect(origin(gate, "127.0.0.1", "/a") == .failure(.secretMissing))
    #expect(origin(onSocket, "127.0.0.1", "/a") == .failure(.foreignHost))
    #expect(origin(onSocket, "localhost", "/a", port: nil) == .failure(.foreignHost))
  }

  @Test("Each refusal of the proxy has its status")
  func statuses() {
    let statuses = ProxyRefusal.allCases.map(\.status)
    #expect(statuses == [403, 403, 421, 400, 501, 501])
  }
}

@Suite("Fields that the proxy passes on")
struct ProxyFieldsTests {
  @Test("A connection's fields and the account's own fields are not passed through the proxy")
  func upstream() {
    let fields = ProxyFields.upstream(
      [
        ("Host", "pds.example"), ("Connection", "close, X-Mine"), ("X-Mine", "1"), ("TE", "trailers"),
        ("Authorization", "Bearer other"), ("dpop", "x"), ("Accept", "*/*"), ("X-Device-ID", "y"),
        ("Content-Length", "3"), ("Content-Type", "text/plain"), ("Upgrade", "h2c"),
      ],
      replacing: ["Authorization", "X-Device-ID"]
    )
    #expect(fields.map(\.name) == ["Accept", "Content-Type"])
  }

  @Test("An answer through the proxy keeps its length and its cookies")
  func downstream() {
    let fields = ProxyFields.downstream([
      ("Content-Length", "3"), ("Set-Cookie", "a=b"), ("Set-Cookie", "c=d"),
      ("Transfer-Encoding", "chunked"), ("Keep-Alive", "timeout=5"),
    ])
    #expect(fields.map(\.name) == ["Content-Length", "Set-Cookie", "Set-Cookie"])
  }

  @Test("A sealed session that a backend rotates is kept from the client")
  func rolledSession() {
    let answer = [("Set-Cookie", "sid=Fe26.2*1*x; Path=/"), ("set-cookie", "a=b")]
    let fields = ProxyFields.downstream(answer.map { (name: $0, value: $1) }, keepsSession: true)
    #expect(fields.map(\.value) == ["a=b"])
    #expect(ProxyFields.downstream(answer.map { (name: $0, value: $1) }).count == 2)
  }
}
