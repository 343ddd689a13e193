import AcctCLI
import AcctModel
import AcctPorts
import AcctTestSupport
import Secrets
import StrictJSON
import Testing

@Suite("A client with a certificate")
struct ClientCertificateTests {
  private let record = RecordedWorld()
  private static let files = ["--cert", "/home/client.pem", "--cert-key", "/home/client.key"]

  init() { provide(MadeUpCertificates.p256, MadeUpCertificates.p256Key) }

  private func provide(_ certificate: String, _ key: String) {
    record.provide("/home/client.pem", certificate)
    record.secretFiles["/home/client.key"] = key
  }

  /// A server that authenticates clients by their certificates, at other endpoints than those of other clients.
  private func server(
    _ members: JSONObject = [:],
    tokens: HTTPResponse...
  ) -> RecordedServer {
    var metadata: JSONObject = [
      "token_endpoint_auth_methods_supported": ["tls_client_auth"],
      "tls_client_certificate_bound_access_tokens": true,
      "revocation_endpoint": "https://as.example/revoke",
      "mtls_endpoint_aliases": [
        "token_endpoint": "https://mtls.example/token",
        "device_authorization_endpoint": "https://mtls.example/start",
      ],
    ]
    for (name, value) in members { metadata[name] = value }
    let server = RecordedServer(
      record,
      [
        RecordedServer.place: [RecordedServer.metadata(metadata)], "/start": [RecordedServer.start], "/token": tokens,
        "/revoke": [.json("{}")],
      ]
    )
    return server
  }

  private func add(_ options: String...) async -> Int32 {
    record.clear()
    return await record.run(
      ["add", "--issuer", RecordedServer.issuer, "--client-id", "client", "--device"] + Self.files + options
    )
  }

  /// A JWT that is bound to a certificate.
  private func token(_ name: String, for thumbprint: String) -> HTTPResponse {
    let claims: JSON = ["sub": "alice", "jti": .string(name), "cnf": ["x5t#S256": .string(thumbprint)]]
    return RecordedServer.tokens(name, ["access_token": .string(jwt(claims))])
  }

  private var own: String { MadeUpCertificates.p256Thumbprint }

  @Test("A client signs in, renews and revokes by its certificate alone, at the endpoints for it")
  func everywhere() async {
    let server = server(tokens: token("a", for: own), token("b", for: own))
    #expect(await add() == 0, "\(record.err)")
    #expect(await record.acct("refresh", "--force") == 0, "\(record.err)")
    #expect(await record.acct("remove", "alice@as.example") == 0, "\(record.err)")
    let asked = record.requests.filter { $0.method == "POST" }
    #expect(
      asked.map(\.url.description) == [
        "https://mtls.example/start", "https://mtls.example/token", "https://mtls.example/token",
        "https://as.example/revoke",
      ]
    )
    for request in asked {
      #expect(request.identity?.pem == Secret(MadeUpCertificates.p256Key + "\n"))
      #expect(request.bodyText.contains("client_id=client"))
      #expect(!request.bodyText.contains("client_secret") && !request.bodyText.contains("client_assertion"))
      #expect(!request.fields.contains { $0.name == "Authorization" })
    }
    // A request for metadata has none.
    #expect(record.requests.filter { $0.method == "GET" }.allSatisfy { $0.identity == nil })
    #expect(record.keyring.count == 0)
    #expect(server.bodies("/token").count == 2)
  }

  @Test("A pushed request has the certificate, at the alias of its endpoint, and the browser's address is no alias")
  func pushed() async {
    let server = server(
      [
        "authorization_endpoint": "https://as.example/authorize", "require_pushed_authorization_requests": true,
        "pushed_authorization_request_endpoint": "https://as.example/par",
        "mtls_endpoint_aliases": [
          "pushed_authorization_request_endpoint": "https://mtls.example/par",
          "token_endpoint": "https://mtls.example/token", "authorization_endpoint": "https://mtls.example/authorize",
        ],
      ],
      tokens: token("a", for: own)
    )
    server.set("/par", .json(#"{"request_uri":"urn:made-up","expires_in":60}"#, 201))
    let browser = RehearsedBrowser()
    let status = await Acct.run(
      ["add", "--issuer", RecordedServer.issuer, "--client-id", "client"] + Self.files,
      in: browser.world(of: record),
      parsedBy: ParsedLines.parse
    )
    #expect(status == 0, "\(record.err)")
    let asked = record.requests.filter { $0.method == "POST" }
    #expect(asked.map(\.url.description) == ["https://mtls.example/par", "https://mtls.example/token"])
    #expect(asked.allSatisfy { $0.identity != nil && $0.bodyText.contains("client_id=client") })
    #expect(browser.addresses.first?.hasPrefix("https://as.example/authorize?") == true)
  }

  @Test("A certificate is kept in the keyring, and its account says that its token is bound to it")
  func kept() async throws {
    _ = server(tokens: token("a", for: own))
    #expect(await add() == 0, "\(record.err)")
    let items = try #require(record.keyring.items.values.first)
    #expect(items[.certificate] == Secret(MadeUpCertificates.p256 + "\n"))
    #expect(items[.certificateKey] == Secret(MadeUpCertificates.p256Key + "\n"))
    #expect(!record.filesText.contains("PRIVATE"))
    record.clear()
    #expect(await record.acct("status", "--json") == 0)
    let account = try JSON(parsing: Array(record.out.utf8)).objectValue?["account"]?.objectValue
    #expect(account?["tokenType"] == "Bearer" && account?["boundTo"] == "certificate")
    #expect(account?["certificateEndsAt"] == "2049-01-01T00:00:00Z")
  }

  @Test("A server that names no such method gets a public client's requests, with the certificate in TLS")
  func publicClient() async {
    let server = server(["token_endpoint_auth_methods_supported": ["none"]], tokens: RecordedServer.tokens("a"))
    #expect(await add() == 0, "\(record.err)")
    #expect(record.accountFile?["client"]?.objectValue?["authentication"] == nil)
    #expect(record.requests.last?.identity != nil)
    #expect(server.bodies("/token").last?.contains("client_id=client") == true)
    // An opaque token does not tell; the server says that it binds them.
    record.clear()
    #expect(await record.acct("list", "--json") == 0)
    #expect(record.out.contains(#""boundTo":"certificate""#))
  }

  @Test("A secret counts before the certificate, which is presented all the same")
  func withSecret() async {
    record.secretFiles["secret"] = "s3cret"
    let server = server(tokens: RecordedServer.tokens("a"))
    #expect(await add("--client-secret-file", "secret") == 0, "\(record.err)")
    #expect(server.fields("Authorization", "/token").last?.hasPrefix("Basic ") == true)
    #expect(record.requests.last?.identity != nil)
  }

  @Test("A token for another certificate is rejected at the sign-in, and nothing is stored")
  func otherAtSignIn() async {
    _ = server(tokens: token("a", for: MadeUpCertificates.p384Thumbprint))
    #expect(await add() == 11)
    #expect(record.err.last?.contains("cnf.x5t#S256") == true, "\(record.err)")
    #expect(record.accountFiles == 0 && record.keyring.count == 0)
  }

  @Test("A token for another certificate, or for none, is rejected at a renewal, and the old one stays")
  func otherAtRenewal() async {
    for (name, answer) in [
      ("b", token("b", for: MadeUpCertificates.p384Thumbprint)),
      ("c", RecordedServer.tokens("c", ["access_token": .string(jwt(["sub": "alice"]))])),
    ] {
      let record = RecordedWorld()
      record.provide("/home/client.pem", MadeUpCertificates.p256)
      record.secretFiles["/home/client.key"] = MadeUpCertificates.p256Key
      let server = RecordedServer(
        record,
        metadata: ["token_endpoint_auth_methods_supported": ["self_signed_tls_client_auth"]],
        tokens: token("a", for: own),
        answer
      )
      #expect(
        await record.run(
          ["add", "--issuer", RecordedServer.issuer, "--client-id", "client", "--device"] + Self.files
        ) == 0,
        "\(record.err)"
      )
      let before = record.keyring.items.values.first?[.accessToken]
      #expect(await record.acct("refresh", "--force") == 11, "\(name) \(record.err)")
      #expect(record.keyring.items.values.first?[.accessToken] == before)
      #expect(server.bodies("/token").count == 2)
    }
  }

  @Test("A key of another certificate, or a file of neither, is rejected before anything is requested")
  func badFiles() async {
    _ = server(tokens: RecordedServer.tokens("a"))
    for (certificate, key) in [
      (MadeUpCertificates.p256, MadeUpCertificates.p384Key), (MadeUpCertificates.p256Key, MadeUpCertificates.p256Key),
      (MadeUpCertificates.p256, "nothing"), ("", ""),
    ] {
      provide(certificate, key)
      #expect(await add() == 65)
      #expect(record.requests.isEmpty && record.accountFiles == 0)
    }
    record.secretFiles.expose("/home/client.key")
    #expect(await add() == 65)
    #expect(await record.acct("add", "--issuer", RecordedServer.issuer, "--cert", "/home/client.pem") == 64)
    #expect(await record.acct("add", "--guest", RecordedServer.issuer, "--cert", "a", "--cert-key", "b") == 64)
  }

  @Test("The method tls needs a certificate, and says which options give it")
  func needed() async {
    _ = server(tokens: RecordedServer.tokens("a"))
    #expect(await record.addDevice(RecordedServer.issuer, "--client-auth", "tls") == 64)
    #expect(record.err.first?.contains("--cert and --cert-key") == true, "\(record.err)")
  }

  @Test("A second sign-in of the same client has the certificate that is known, and another one replaces it")
  func again() async {
    let server = server(
      tokens: token("a", for: own),
      token("b", for: own),
      token("c", for: MadeUpCertificates.p384Thumbprint)
    )
    #expect(await add() == 0, "\(record.err)")
    #expect(await record.acct("login") == 0, "\(record.err)")
    #expect(server.bodies("/token").count == 2)
    provide(MadeUpCertificates.p384, MadeUpCertificates.p384Key)
    #expect(await record.run(["login"] + Self.files) == 0, "\(record.err)")
    #expect(record.keyring.items.values.first?[.certificateKey] == Secret(MadeUpCertificates.p384Key + "\n"))
    #expect(record.accountFiles == 1)
    #expect(
      record.accountFile?["client"]?.objectValue?["certificate"]?.objectValue?["thumbprint"]
        == .string(MadeUpCertificates.p384Thumbprint)
    )
  }
}
