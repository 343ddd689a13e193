import AcctTestSupport
import StrictJSON
import Testing

/// The rest of a secret in memory when the work with it is done, or has failed.
///
/// The whole memory that the process could write to is searched, between the end of its work and the
/// kernel's taking it away: heap, stacks and variables, of acct and of every library.
@Suite("Memory at exit")
struct MemoryTests {
  @Test("Memory at exit holds no secret that the command used")
  func everywhere() async throws {
    let rows = try await LeakPlay(subject: .memory).everything()
    try await expectEveryCommand(in: rows)
  }

  @Test("Memory at exit holds no ID token, no token of a platform and no key of a role")
  func identities() async throws { try await watchIdentities(.memory) }

  @Test("Memory at exit holds no key of a client certificate")
  func certificate() async throws {
    let authority = try await MadeUpAuthority()
    let folder = try TemporaryFolder()
    let certificate = try folder.file("client.pem", containing: MadeUpCertificates.p256 + "\n")
    let key = try folder.file("client.key", containing: MadeUpCertificates.p256Key + "\n")
    let server = try await MutualTLSServer(
      authority.issue("server"),
      clients: certificate,
      ["method": "self_signed_tls_client_auth"]
    )
    let watch = LeakWatch(.memory, of: try AcctHome(with: ["SSL_CERT_FILE": authority.certificate]))
    watch.secrets.add("client_key", MadeUpCertificates.p256Private.number)
    watch.secrets.add("client_key_text", MadeUpCertificates.p256Private.text)
    let (url, client) = ("\(server.resource)/", ["--cert", certificate, "--cert-key", key])
    for row in [
      LeakRow(
        "add",
        ["--issuer", server.issuer, "--client-id", "acct-test", "--resource", server.resource, "--name", "a"]
          + ["--grant", "client-credentials"] + client
      ),
      LeakRow("refresh", ["--force"]), LeakRow("request", [url]), LeakRow("header", ["--format", "curl", url]),
      LeakRow("login", ["a", "--no-input"] + client), LeakRow("remove", ["a"]),
    ] { try await watch.run(row) }
    try await watch.expectNoLeaks()
    #expect(try await server.violations() == [])
  }

  /// As in containers: one command opens the vault once, and keeps the key for itself meanwhile.
  @Test("Memory at exit holds no key of the vault if the kernel does not keep it")
  func withoutKeyStore() async throws {
    let watch = LeakWatch(.memory, of: try AcctHome(hasVault: false))
    watch.runner = [Sighting.python, "-B", Product.source("Tests/Leaks/without_key_store.py")]
    let file = Product.source("Examples/bob.json")
    for row in [
      LeakRow("add", ["--import", file]), LeakRow("token", []), LeakRow("vault unlock", []),
      LeakRow("header", ["https://elsewhere.example"], status: 8), LeakRow("exec", ["--", "/dev/null"], status: 126),
    ] { try await watch.run(row) }
    try await watch.expectNoLeaks()
    #expect(watch.secrets.count(of: "vault_key") == 1)
  }
}
