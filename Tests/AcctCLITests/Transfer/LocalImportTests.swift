import AcctCrypto
import AcctModel
import AcctPorts
import AcctProtocol
import AcctTestSupport
import Secrets
import StrictJSON
import Testing

/// An export that another program than acct has written, with things of the machine that imports it.
@Suite("An import that names files, programs or devices")
struct LocalImportTests {
  private let record = RecordedWorld()

  /// Seals an account with a certificate, after a change.
  private func export(_ change: (inout JSONObject) -> Void) async throws -> String {
    let source = RecordedWorld()
    source.provide("/home/client.pem", MadeUpCertificates.p256)
    source.secretFiles["/home/client.key"] = MadeUpCertificates.p256Key
    let token = jwt(["sub": "alice", "cnf": ["x5t#S256": .string(MadeUpCertificates.p256Thumbprint)]])
    source.provide("in", #"{"access_token":"\#(token)","origins":["https://api.example"]}"#)
    let options = ["--cert", "/home/client.pem", "--cert-key", "/home/client.key"]
    try #require(await source.run(["add", "--import", "in", "--name", "a"] + options) == 0, "\(source.err)")
    let id = try #require(source.keyring.items.keys.first)
    var account = try #require(try source.members(of: id))
    var client = try #require(account["client"]?.objectValue)
    change(&client)
    account["client"] = .object(client)
    account["keptIn"] = nil
    var items = JSONObject()
    for (kind, secret) in source.keyring.items[id] ?? [:] {
      items[kind.key(for: id)] = .string(
        secret.withBytes { span in String(decoding: span.indices.map { span[$0] }, as: UTF8.self) }
      )
    }
    let accounts: JSON = ["accounts": [["account": .object(account), "items": .object(items)]]]
    let sealed = try SealedExport(
      sealing: Secret(accounts.serialized()),
      under: Secret("passphrase"),
      kdf: try #require(KDFParameters(n: 1024, r: 8, p: 1)),
      random: Array(repeating: 7, count: SealedExport.randomCount)
    )
    return String(decoding: sealed.serialized(), as: UTF8.self)
  }

  private func take(_ export: String) async -> Int32 {
    record.secretFiles["pass"] = "passphrase"
    record.set("ACCT_EXPORT_PASSPHRASE_FILE", to: "pass")
    record.provide("in", export)
    record.clear()
    return await record.run(["add", "--import", "in"])
  }

  @Test("An account of a later version of acct is told as that, and nothing is stored")
  func later() async throws {
    #expect(await take(try await export { $0["of-later"] = true }) == 65)
    #expect(
      record.err == [
        "acct: the export was written by a later version of acct",
        "acct: hint: update acct on this machine; nothing was stored",
      ]
    )
    #expect(record.keyring.items.isEmpty)
  }

  private static let members: [(String, JSON)] = [
    ("files", ["/home/x.pem", "/home/x.pem"]), ("files", ["/home/x\"\noutput = \"/home/y", "/home/x.pem"]),
    ("keyStorage", "pkcs11"),
  ]

  @Test("A certificate's files and its token are refused, and nothing is stored", arguments: members)
  func certificate(_ member: String, _ value: JSON) async throws {
    let export = try await export { client in
      var certificate = client["certificate"]?.objectValue ?? [:]
      certificate["files"] = nil
      certificate[member] = value
      client["certificate"] = .object(certificate)
    }
    #expect(await take(export) == 65)
    #expect(record.err.first?.contains("a in the export names a file, a program or a device") == true, "\(record.err)")
    #expect(record.accountFiles == 0 && record.keyring.count == 0)
  }

  private static let tokenPlaces: [JSON] = [
    ["file": "/etc/shadow"], ["program": ["touch", "/home/x"]], ["clientAssertion": "/home/x"],
  ]

  @Test("Files and programs that provide tokens are refused, and nothing is stored", arguments: tokenPlaces)
  func tokens(_ inputs: JSON) async throws {
    let export = try await export { client in
      var certificate = client["certificate"]?.objectValue ?? [:]
      certificate["files"] = nil
      client["certificate"] = .object(certificate)
      client["inputs"] = inputs
    }
    #expect(await take(export) == 65)
    #expect(record.err.first?.contains("names a file, a program or a device") == true, "\(record.err)")
    #expect(record.accountFiles == 0 && record.keyring.count == 0)
  }

  @Test("The same account without them is imported, and its lines for curl name no file")
  func without() async throws {
    let export = try await export { client in
      var certificate = client["certificate"]?.objectValue ?? [:]
      certificate["files"] = nil
      client["certificate"] = .object(certificate)
    }
    #expect(await take(export) == 0, "\(record.err)")
    record.provide("/home/client.pem", MadeUpCertificates.p256)
    #expect(await record.acct("header", "--format", "curl", "https://api.example/") == 0)
    #expect(!record.out.contains("cert ="), "\(record.out)")
  }
}
