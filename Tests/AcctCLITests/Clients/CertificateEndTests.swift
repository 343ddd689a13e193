import AcctCLI
import AcctTestSupport
import Secrets
import StrictJSON
import Testing

@Suite("The end of a client certificate")
struct CertificateEndTests {
  private let record = RecordedWorld()
  /// 2027-01-25, the end of ``MadeUpCertificates/ending``.
  private let end: Int64 = 1_800_835_200

  private func add(_ certificate: String) async -> Int32 {
    record.provide("/home/client.pem", certificate)
    record.secretFiles["/home/client.key"] = MadeUpCertificates.p256Key
    _ = RecordedServer(
      record,
      metadata: ["token_endpoint_auth_methods_supported": ["tls_client_auth"]],
      tokens: RecordedServer.tokens("a", ["expires_in": 100_000_000])
    )
    return await record.run([
      "add", "--issuer", RecordedServer.issuer, "--client-id", "client", "--device", "--cert", "/home/client.pem",
      "--cert-key", "/home/client.key",
    ])
  }

  @Test("A certificate that ends within 14 days is named by status and doctor, and one that ends later is not")
  func soon() async {
    #expect(await add(MadeUpCertificates.ending) == 0, "\(record.err)")
    let line = "acct login alice@as.example --cert FILE --cert-key FILE"
    for command in ["status", "doctor"] {
      record.clear()
      record.now = end - 14 * 86_400
      #expect(await record.acct(command) == 0)
      let said = record.out + record.err.joined(separator: "\n")
      #expect(said.contains("the client certificate of alice@as.example ends in 14 d"), "\(said)")
      #expect(said.contains(line), "\(said)")
      record.clear()
      record.now = end - 14 * 86_400 - 1
      #expect(await record.acct(command) == 0)
      #expect(!(record.out + record.err.joined()).contains("the client certificate of"))
    }
  }

  @Test("A certificate that has ended makes every use a new sign-in, with the line that does it")
  func ended() async throws {
    #expect(await add(MadeUpCertificates.ending) == 0, "\(record.err)")
    record.now = end
    let requests = record.requests.count
    for command in [
      ["header", "https://as.example/"], ["token"], ["request", "https://as.example/"], ["refresh", "--force"],
      ["status"],
    ] {
      record.clear()
      #expect(await record.run(command) == 4, "\(command) \(record.err)")
      let said = record.out + record.err.joined(separator: "\n")
      #expect(said.contains("its client certificate ended at 2027-01-25T00:00:00Z"), "\(command) \(said)")
      #expect(said.contains("acct login alice@as.example --cert FILE --cert-key FILE"), "\(command) \(said)")
    }
    #expect(record.requests.count == requests)
    record.clear()
    #expect(await record.acct("doctor") == 1)
    // The line mends it.
    record.provide("/home/client.pem", MadeUpCertificates.p256)
    let login = ["login", "alice@as.example", "--cert", "/home/client.pem", "--cert-key", "/home/client.key"]
    #expect(await record.run(login) == 0, "\(record.err)")
    #expect(await record.acct("header", "https://as.example/") == 0, "\(record.err)")
  }

  @Test("A certificate that has ended is not added")
  func endedBefore() async {
    #expect(await add(MadeUpCertificates.ended) == 65)
    #expect(record.requests.isEmpty)
    #expect(record.err.first?.contains("ended at 2027-01-01T00:00:00Z") == true, "\(record.err)")
  }
}
