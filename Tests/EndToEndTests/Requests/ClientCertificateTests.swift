import AcctTestSupport
import StrictJSON
import Testing

/// Mutual TLS (RFC 8705) with a strict server, curl, and nginx.
@Suite("A client certificate at work")
struct ClientCertificateTests {
  private let authority: MadeUpAuthority
  private let server: MutualTLSServer
  private let client: MadeUpAuthority.Issued
  private let home: AcctHome

  init() async throws {
    authority = try await MadeUpAuthority()
    server = try await MutualTLSServer(authority.issue("server"), clients: authority.certificate)
    client = try await authority.issue("acct-test")
    home = try AcctHome(with: ["SSL_CERT_FILE": authority.certificate])
  }

  private func add(_ client: MadeUpAuthority.Issued? = nil, _ options: String...) async throws -> ChildProcess.Output {
    let client = client ?? self.client
    return try await home.command(
      [
        "add", "--issuer", server.issuer, "--client-id", "acct-test", "--resource", server.resource, "--cert",
        client.certificate, "--cert-key", client.key,
      ] + options
    ).run()
  }

  @Test("A client signs in, renews, makes requests and revokes with its certificate, at a strict server")
  func everything() async throws {
    let added = try await add(nil, "--device", "--name", "a")
    try #require(added.status == 0, "\(added.errorText)")
    #expect(try await home.acct("refresh", "--force").status == 0)
    let url = server.resource + "/notes"
    let answer = try await home.acct("request", url)
    #expect(answer.status == 0, "\(answer.errorText)")
    #expect(answer.text.contains("thumbprint"))
    let status = try await home.acct("status", "--json", "--check")
    #expect(status.text.contains(#""boundTo":"certificate""#), "\(status.errorText)")
    #expect(try await home.acct("remove", "a").errorText.contains("ended the session"))
    #expect(try await server.violations() == [])
    let (asked, elsewhere) = (try await server.requests(to: "mtls"), try await server.requests(to: "issuer"))
    #expect(asked.filter { $0.hasPrefix("/start") } == ["/start 200"])
    #expect(asked.filter { $0.hasPrefix("/token") } == ["/token 200", "/token 200"])
    #expect(asked.last == "/revoke 200")
    #expect(elsewhere.allSatisfy { $0.hasPrefix("/.well-known/") })
  }

  @Test("A check asks the introspection endpoint with the certificate")
  func check() async throws {
    let added = try await home.acct(
      "add",
      "--issuer",
      server.issuer,
      "--client-id",
      "acct-test",
      "--device",
      "--cert",
      client.certificate,
      "--cert-key",
      client.key
    )
    try #require(added.status == 0, "\(added.errorText)")
    let status = try await home.acct("status", "--check")
    #expect(status.status == 0, "\(status.errorText)")
    #expect(try await server.requests(to: "mtls").last == "/introspect 200")
    #expect(try await server.violations() == [])
  }

  @Test("A grant without a person is requested with the certificate alone")
  func direct() async throws {
    let added = try await add(nil, "--grant", "client-credentials", "--client-auth", "tls")
    try #require(added.status == 0, "\(added.errorText)")
    #expect(try await home.acct("refresh", "--force").status == 0)
    #expect(try await home.acct("request", server.resource + "/").status == 0)
    #expect(try await server.violations() == [])
  }

  @Test("A certificate of another client is rejected by the server with 4, and one of another authority in TLS")
  func others() async throws {
    let other = try await add(authority.issue("somebody"), "--device")
    #expect(other.status == 4)
    #expect(other.errorText.contains("check --client-id and --cert"), "\(other.errorText)")
    let elsewhere = try await MadeUpAuthority()
    let stranger = try await add(elsewhere.issue("acct-test"), "--device")
    withExtendedLifetime(elsewhere) {}
    #expect(stranger.status == 10)
    #expect(stranger.errorText.contains("does not accept the client certificate"), "\(stranger.errorText)")
    #expect(try await home.accounts().isEmpty)
  }

  @Test("A token for another certificate is not stored")
  func foreignToken() async throws {
    try await server.set(["bind": "bwcK0esc3ACC3DB2Y5_lESsXE8o9ltc05O89jdN-dg2"])
    let added = try await add(nil, "--device")
    #expect(added.status == 11)
    #expect(added.errorText.contains("cnf.x5t#S256"), "\(added.errorText)")
    #expect(try await home.accounts().isEmpty)
  }

  @Test("A server with self-signed certificates, opaque tokens and no aliases takes the same client")
  func selfSigned() async throws {
    let client = try await authority.selfSigned("acct-test")
    let server = try await MutualTLSServer(
      authority.issue("server"),
      clients: client.certificate,
      ["method": "self_signed_tls_client_auth", "format": "opaque", "aliases": false]
    )
    // Its one port asks everyone for a certificate, and gives its metadata to no one without.
    let added = try await home.acct(
      "add",
      "--token-url",
      server.issuer + "/token",
      "--device-url",
      server.issuer + "/start",
      "--client-id",
      "acct-test",
      "--client-auth",
      "tls",
      "--device",
      "--cert",
      client.certificate,
      "--cert-key",
      client.key,
      "--allow-origin",
      server.resource
    )
    try #require(added.status == 0, "\(added.errorText)")
    #expect(try await home.acct("request", server.resource + "/").status == 0)
    #expect(try await server.violations() == [])
  }

  @Test("curl makes the request with the printed lines, and not without the certificate")
  func curl() async throws {
    try #require(try await add(nil, "--device").status == 0)
    let url = server.resource + "/notes"
    let printed = try await home.acct("header", "--format", "curl", url)
    #expect(printed.text.contains("cert = \"\(client.certificate)\"\nkey = \"\(client.key)\"\n"))
    let curl = ["-sS", "--noproxy", "*", "--cacert", authority.certificate, "-K", "-", "-w", "%{http_code}", url]
    let answer = try await ChildProcess("curl", curl, input: printed.text).run()
    #expect(answer.text.hasSuffix("200"), "\(answer.errorText)")
    let plain = try await home.acct("header", url)
    #expect(plain.errorText.contains("`acct request` and `acct proxy`"), "\(plain.errorText)")
    let other = try await authority.issue("other")
    let stolen = try await ChildProcess(
      "curl",
      ["-sS", "--noproxy", "*", "--cacert", authority.certificate, "--cert", other.certificate, "--key", other.key]
        + ["-H", "@-", "-o", "/dev/null", "-w", "%{http_code}", url],
      input: plain.text
    ).run()
    #expect(stolen.text == "401", "\(stolen.errorText)")
  }

  @Test("nginx that verifies clients sees the certificate from a request and from the proxy, and rejects others")
  func nginx() async throws {
    let nginx = try await Nginx(authority.issue("nginx"), clients: authority.certificate)
    try #require(try await add(nil, "--device", "--name", "a", "--allow-origin", nginx.origin).status == 0)
    let asked = try await home.acct("request", nginx.origin + "/")
    #expect(asked.text == "CN=acct-test", "\(asked.errorText)")
    let folder = try TemporaryFolder()
    let proxy = try await SigningProxyAtWork(home, "--socket", "\(folder.path)/proxy")
    for _ in 0..<2 {
      let answer = try await proxy.curl("http://\(nginx.origin.dropFirst(8))/").run()
      #expect(answer.text == "CN=acct-test\n200", "\(answer.errorText) \(proxy.said)")
    }
    // nginx itself says 400 to a client without one.
    let without = try await ChildProcess(
      "curl",
      [
        "-sS", "--noproxy", "*", "--cacert", authority.certificate, "-o", "/dev/null", "-w", "%{http_code}",
        nginx.origin,
      ]
    ).run()
    #expect(without.text == "400", "\(without.errorText)")
  }
}
