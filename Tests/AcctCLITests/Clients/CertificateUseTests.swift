import AcctCLI
import AcctModel
import AcctPorts
import AcctTestSupport
import Secrets
import StrictJSON
import Testing

@Suite("The use of a client certificate")
struct CertificateUseTests {
  private let record = RecordedWorld()
  private let own = MadeUpCertificates.p256Thumbprint

  /// Imports an account with a bound token for `https://api.example`.
  private func add(_ thumbprint: String? = nil, _ options: [String]? = nil) async -> Int32 {
    record.provide("/home/client.pem", MadeUpCertificates.p256)
    record.secretFiles["/home/client.key"] = MadeUpCertificates.p256Key
    let token = jwt(["sub": "alice", "cnf": ["x5t#S256": .string(thumbprint ?? own)]])
    record.provide("in", #"{"access_token":"\#(token)","origins":["https://api.example","https://b.example"]}"#)
    record.clear()
    return await record.run(
      ["add", "--import", "in", "--name", "a"]
        + (options ?? ["--cert", "/home/client.pem", "--cert-key", "/home/client.key"])
    )
  }

  @Test("An import of a bound token needs its certificate: without one or with another it ends with 65")
  func imported() async {
    #expect(await add(nil, []) == 65)
    #expect(record.err.last?.contains("--cert FILE --cert-key FILE") == true, "\(record.err)")
    #expect(await add(MadeUpCertificates.p384Thumbprint) == 65)
    #expect(record.err.first?.contains("another client certificate") == true, "\(record.err)")
    #expect(record.accountFiles == 0)
    #expect(await add() == 0, "\(record.err)")
  }

  @Test("A request presents the certificate to each of the account's own origins, and to no other")
  func requests() async {
    #expect(await add() == 0, "\(record.err)")
    let away = HTTPResponse(status: 302, fields: [("Location", "https://evil.example/")], body: Secret(""))
    record.serve { request throws(HTTPFailure) in request.url.path == "/away" ? away : .json("{}") }
    for url in ["https://api.example/", "https://b.example/", "https://api.example/away"] {
      _ = await record.acct("request", "-L", url)
    }
    #expect(await record.acct("request", "https://evil.example/") == 8)
    #expect(record.requests.map(\.url.origin.host) == ["api.example", "b.example", "api.example"])
    #expect(record.requests.allSatisfy { $0.identity?.pem == Secret(MadeUpCertificates.p256Key + "\n") })
  }

  @Test("The lines for curl name the user's own files, as long as they have the same certificate")
  func curl() async {
    #expect(await add() == 0, "\(record.err)")
    record.clear()
    #expect(await record.acct("header", "--format", "curl", "https://api.example/") == 0)
    #expect(record.out.hasSuffix("\"\ncert = \"/home/client.pem\"\nkey = \"/home/client.key\"\n"), "\(record.out)")
    #expect(record.err.isEmpty, "\(record.err)")
    record.provide("/home/client.pem", MadeUpCertificates.p384)
    record.clear()
    #expect(await record.acct("header", "--format", "curl", "https://api.example/") == 0)
    #expect(!record.out.contains("cert ="))
    #expect(record.err.first?.contains("`acct request` and `acct proxy`") == true, "\(record.err)")
  }

  @Test("A FIFO that the key was read from is not named to curl", arguments: ["pem", "key"])
  func fifo(suffix: String) async {
    record.secretFiles.makeFIFO("/home/client.\(suffix)")
    #expect(await add() == 0, "\(record.err)")
    record.clear()
    #expect(await record.acct("header", "--format", "curl", "https://api.example/") == 0)
    #expect(!record.out.contains("key ="), "\(record.out)")
  }

  @Test("Plain header lines come with a notice, and without another item of the keyring")
  func header() async {
    #expect(await add() == 0, "\(record.err)")
    record.clear()
    let reads = record.keyring.readKinds.count
    #expect(await record.acct("header", "https://api.example/") == 0)
    #expect(record.keyring.readKinds[reads...].elementsEqual([.expiresAt, .accessToken, .keypair]))
    #expect(record.out.hasPrefix("Authorization: Bearer ") && record.out.split(separator: "\n").count == 1)
    #expect(record.err.first?.contains("`acct request` and `acct proxy`") == true, "\(record.err)")
  }

  @Test("An export has the certificate with its key, and no path of this machine")
  func export() async {
    #expect(await add() == 0, "\(record.err)")
    let other = RecordedWorld()
    for world in [record, other] {
      world.secretFiles["pass"] = "made up\n"
      world.set("ACCT_EXPORT_PASSPHRASE_FILE", to: "pass")
    }
    #expect(await record.acct("export", "--all", "-o", "out") == 0, "\(record.err)")
    other.provide("in", record.secretFiles["out"] ?? "")
    #expect(await other.run(["add", "--import", "in"]) == 0, "\(other.err)")
    #expect(other.keyring.items.values.first?[.certificateKey] == Secret(MadeUpCertificates.p256Key + "\n"))
    #expect(!other.filesText.contains("/home/"))
    let note = other.accountFile?["client"]?.objectValue?["certificate"]?.objectValue
    #expect(note?["thumbprint"] == .string(own) && note?["bound"] == true)
  }

  @Test("A shared keyring has the certificate and its key for every machine, and no path of one")
  func shared() async {
    let fleet = Fleet()
    fleet.first.provide("/home/client.pem", MadeUpCertificates.p256)
    fleet.first.secretFiles["/home/client.key"] = MadeUpCertificates.p256Key
    let token = jwt(["sub": "alice", "cnf": ["x5t#S256": .string(own)]])
    fleet.first.provide("in", #"{"access_token":"\#(token)","origins":["https://api.example"]}"#)
    #expect(
      await fleet.first.run([
        "add", "--import", "in", "--name", "a", "--cert", "/home/client.pem", "--cert-key", "/home/client.key",
      ]) == 0,
      "\(fleet.first.err)"
    )
    #expect(!fleet.record.contains("/home/"))
    #expect(await fleet.second.acct("request", "-a", "a", "https://api.example/things") == 0, "\(fleet.second.err)")
    #expect(fleet.second.requests.last?.identity?.pem == Secret(MadeUpCertificates.p256Key + "\n"))
    #expect(await fleet.first.acct("rename", "a", "b") == 0, "\(fleet.first.err)")
    #expect(!fleet.record.contains("/home/"))
  }

  @Test("A key that a server repeats is redacted")
  func echoed() async {
    record.provide("/home/client.pem", MadeUpCertificates.p256)
    record.secretFiles["/home/client.key"] = MadeUpCertificates.p256Key
    let line = MadeUpCertificates.p256Key.split(separator: "\n")[1]
    let server = RecordedServer(record, tokens: RecordedServer.tokens("a"))
    server.set("/token", .json(#"{"error":"invalid_request","error_description":"got \#(line)"}"#, 400))
    #expect(
      await record.addDevice(
        RecordedServer.issuer,
        "--cert",
        "/home/client.pem",
        "--cert-key",
        "/home/client.key"
      ) != 0
    )
    #expect(record.err.last?.contains("got <redacted>") == true, "\(record.err)")
  }

  @Test("A lost or a foreign item is found by doctor, and a request says what is missing")
  func lost() async throws {
    #expect(await add() == 0, "\(record.err)")
    record.serve { _ throws(HTTPFailure) in .json("{}") }
    try await record.keyring.lose([.certificateKey])
    record.clear()
    #expect(await record.acct("request", "https://api.example/") == 4)
    #expect(record.requests.isEmpty)
    #expect(await record.acct("doctor") == 1)
  }
}
