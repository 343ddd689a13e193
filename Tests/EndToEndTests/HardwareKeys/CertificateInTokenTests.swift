import AcctTestSupport
import StrictJSON
import Testing

/// Mutual TLS with a key in SoftHSM, whose certificate is in a file or in the token as well.
@Suite("A client certificate whose key is in a token")
struct CertificateInTokenTests {
  private let authority: MadeUpAuthority
  private let server: MutualTLSServer
  private let client: MadeUpAuthority.Issued
  private let hsm: SoftHSM
  private let home: AcctHome

  init() async throws {
    authority = try await MadeUpAuthority()
    server = try await MutualTLSServer(authority.issue("server"), clients: authority.certificate)
    client = try await authority.issue("acct-test")
    hsm = try await SoftHSM()
    try await hsm.bring(client, label: "client", id: "07")
    home = try AcctHome(with: ["SSL_CERT_FILE": authority.certificate].merging(hsm.environment) { $1 })
  }

  private func add(_ certificate: String, _ key: String, _ options: String...) async throws -> ChildProcess.Output {
    try await home.command(
      [
        "add", "--issuer", server.issuer, "--client-id", "acct-test", "--resource", server.resource, "--device",
        "--name", "a", "--cert", certificate, "--cert-key", key,
      ] + options
    ).run()
  }

  @Test("A token's key signs in, renews and makes requests, and never leaves it")
  func everything() async throws {
    let uri = hsm.uriWithPIN(";object=client")
    let nginx = try await Nginx(authority.issue("nginx"), clients: authority.certificate)
    let added = try await add(uri, uri, "--allow-origin", nginx.origin)
    try #require(added.status == 0, "\(added.errorText)")
    #expect(try await home.acct("refresh", "--force").status == 0)
    for _ in 0..<2 {
      let answer = try await home.acct("request", server.resource + "/")
      #expect(answer.status == 0, "\(answer.errorText)")
    }
    #expect(try await home.acct("request", nginx.origin + "/").text == "CN=acct-test")
    let folder = try TemporaryFolder()
    let proxy = try await SigningProxyAtWork(home, "--socket", "\(folder.path)/proxy")
    for _ in 0..<2 {
      let answer = try await proxy.curl("http://\(nginx.origin.dropFirst(8))/").run()
      #expect(answer.text == "CN=acct-test\n200", "\(answer.errorText) \(proxy.said)")
    }
    #expect(try await server.violations() == [])
    let printed = try await home.acct("header", "--format", "curl", server.resource + "/")
    #expect(!printed.text.contains("cert ="))
    #expect(printed.errorText.contains("`acct request` and `acct proxy`"), "\(printed.errorText)")
    let exported = try await home.acct("export", "a", "-o", "\(folder.path)/out")
    #expect(exported.status == 1)
    #expect(exported.errorText.contains("never leaves the token"), "\(exported.errorText)")
    #expect(try await home.acct("doctor").status == 0)
  }

  @Test("A certificate in a file goes with a key in a token, and with that of another certificate it does not")
  func file() async throws {
    let uri = hsm.uriWithPIN(";object=client")
    let other = try await add(authority.issue("other").certificate, uri)
    #expect(other.status == 65)
    #expect(other.errorText.contains("another certificate"), "\(other.errorText)")
    #expect(try await server.requests(to: "issuer").isEmpty)
    #expect(try await add(client.certificate, uri).status == 0)
    #expect(try await home.acct("request", server.resource + "/").status == 0)
  }

  @Test("A PIN that is missing is 6, a token that is gone 7, and nothing was sent")
  func away() async throws {
    let uri = hsm.uriWithPIN(";object=client")
    try #require(try await add(uri, uri).status == 0)
    let count = try await server.requests(to: "resource").count
    let locked = try await add(client.certificate, hsm.uri(";object=client"))
    #expect(locked.status == 6, "\(locked.errorText)")
    try await hsm.removeToken("acct")
    let gone = try await home.acct("request", server.resource + "/")
    #expect(gone.status == 7, "\(gone.errorText)")
    #expect(try await server.requests(to: "resource").count == count)
    #expect(try await home.acct("header", server.resource + "/").status == 0)
  }

  @Test("A PIN in the URI is refused without being repeated, and so is a PIN program")
  func pinInURI() async throws {
    let given = try await add(client.certificate, "pkcs11:object=client?pin-value=4711")
    #expect(given.status == 64)
    #expect(!given.errorText.contains("4711"))
  }
}
