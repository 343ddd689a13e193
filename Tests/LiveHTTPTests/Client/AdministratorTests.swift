import AcctTestSupport
import Testing

@Suite("The administrator's OpenSSL configuration")
struct AdministratorTests {
  /// A server with a certificate of another kind than these is refused.
  private static let onlyRSA = """
    openssl_conf = all
    [all]
    ssl_conf = tls
    [tls]
    system_default = limits
    [limits]
    CipherString = ECDHE-RSA-AES128-GCM-SHA256
    """

  @Test("The configuration applies to TLS")
  func holds() async throws {
    let authority = try TestAuthority.shared.get()
    let tls = try authority.server("DNS:localhost", newest: .tls12)
    let configuration = try authority.file(Self.onlyRSA)
    // Not the vault, which the configuration applies to as well.
    let keyring = try GnomeKeyring()
    try await ScriptedServer.serving(tls: tls, { _ in [ok("safe")] }) { server in
      let url = "https://localhost:\(server.port)"
      for (file, status, text) in [("/nonexistent", Int32(0), "safe"), (configuration, 10, "")] {
        let home = try AcctHome(in: keyring, with: ["SSL_CERT_FILE": authority.rootsFile, "OPENSSL_CONF": file])
        #expect(try await home.importing(Self.account(at: url)).status == 0)
        let output = try await home.acct("request", url)
        #expect(output.status == status, "\(output.errorText)")
        #expect(output.text == text)
      }
      #expect(server.received.count == 1)
      #expect(server.received[0].fields.contains { $0.hasPrefix("DPoP: ") })
    }
  }

  @Test("A configuration with fatal errors locks the vault and does not damage it")
  func shutsTheVault() async throws {
    let folder = try TemporaryFolder()
    let home = try AcctHome(with: ["OPENSSL_CONF": "\(folder.path)/openssl.cnf"])
    let url = "https://pds.example"
    #expect(try await home.importing(Self.account(at: url)).status == 0)
    _ = try folder.file("openssl.cnf", containing: Self.broken)
    let shut = try await home.acct("header", url)
    #expect(shut.status == 1)
    #expect(shut.errorText == "acct: the vault failed: OpenSSL's configuration has errors\n")
    _ = try folder.file("openssl.cnf", containing: "")
    #expect(try await home.acct("header", url).status == 0)
  }

  @Test("A configuration with fatal errors stops every connection, and says why")
  func stopsConnections() async throws {
    let folder = try TemporaryFolder()
    let keyring = try GnomeKeyring()
    let home = try AcctHome(in: keyring, with: ["OPENSSL_CONF": "\(folder.path)/openssl.cnf"])
    let url = "https://localhost:1"
    #expect(try await home.importing(Self.account(at: url)).status == 0)
    _ = try folder.file("openssl.cnf", containing: Self.broken)
    let stopped = try await home.acct("request", url)
    #expect(stopped.status != 0)
    let words = "libcurl.so.4 does not start: OpenSSL's configuration has errors"
    #expect(stopped.errorText.contains(words), "\(stopped.errorText)")
    // A proof is none of the configuration's business.
    #expect(try await home.acct("header", url).status == 0)
  }

  @Test("A configuration that asks for FIPS alone governs the vault's cipher, and no proof")
  func governsTheVault() async throws {
    let folder = try TemporaryFolder()
    let configuration = try folder.file("openssl.cnf", containing: "")
    let keyring = try GnomeKeyring()
    let url = "https://pds.example"
    for (home, status) in [
      (try AcctHome(with: ["OPENSSL_CONF": configuration]), Int32(1)),
      (try AcctHome(in: keyring, with: ["OPENSSL_CONF": configuration]), 0),
    ] {
      _ = try folder.file("openssl.cnf", containing: "")
      #expect(try await home.importing(Self.account(at: url)).status == 0)
      _ = try folder.file("openssl.cnf", containing: Self.onlyFIPS)
      let output = try await home.acct("header", url)
      #expect(output.status == status, "\(output.errorText)")
    }
  }

  /// Of the provider that has such algorithms there is none here.
  private static let onlyFIPS =
    "openssl_conf = all\n[all]\nalg_section = rules\n[rules]\ndefault_properties = fips=yes\n"

  private static let broken = "config_diagnostics = 1\nopenssl_conf = all\n[all]\nno_such_module = none\n"

  private static func account(at origin: String) -> String {
    """
    {
      "accessToken": "made-up", "did": "did:plc:exampleexampleexample234", "pds": "\(origin)",
      "issuer": "https://issuer.example", "clientId": "https://app.example/client.json",
      "dpopKey": {
        "kty": "EC", "crv": "P-256",
        "x": "f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU",
        "y": "x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0",
        "d": "jpsQnnGQmL-YBIffH1136cspYG6-0iY7X1fCE9-E9LI"
      }
    }
    """
  }
}
