import AcctTestSupport
import StrictJSON
import Testing

/// The built `acct` and its vault.
@Suite("acct vault")
struct VaultCommandTests {
  @Test("before there is a vault, doctor and unlock say so, and what makes it")
  func noVault() async throws {
    let home = try AcctHome()
    let doctor = try await home.acct("doctor", "--offline")
    #expect(doctor.text.contains("there is no vault yet; the first `acct add` creates it"))
    #expect(!doctor.text.contains("unlocked"))
    for command in ["unlock", "passphrase"] {
      let run = try await home.acct("vault", command)
      #expect(run.status == 1)
      #expect(run.errorText.hasPrefix("acct: there is no vault yet in \(home.path)/data/vault\n"))
      #expect(run.errorText.hasSuffix("acct: hint: the first `acct add` creates it\n"))
    }
  }

  @Test("prints what became of the vault as JSON")
  func json() async throws {
    let home = try AcctHome()
    let added = try await home.acct("add", "--import", Product.source("Examples/bob.json"))
    try #require(added.status == 0, "\(added.errorText)")
    let doctor = try await home.acct("doctor", "--offline")
    #expect(doctor.text.contains("the keyring (vault) is available and unlocked"))

    let unlocked = try await result(home, "unlock")
    #expect(unlocked["vault"] == "unlocked")
    // How long depends on whether this kernel keeps keys at all.
    #expect(unlocked["seconds"] == .null || unlocked["seconds"]?.numberValue != nil)
    #expect(try await result(home, "lock") == ["version": 1, "vault": "locked", "seconds": .null])
    let passphrase = try TemporaryFolder()
    let file = try passphrase.file("new", containing: "another, made up for this test\n")
    let changed = try await result(home, "passphrase", "--new-passphrase-file", file)
    #expect(changed == ["version": 1, "vault": "passphraseChanged", "seconds": .null])
  }

  @Test("lock drops the key from the kernel although the header is away")
  func lockWithoutHeader() async throws {
    let home = try AcctHome()
    let added = try await home.acct("add", "--import", Product.source("Examples/bob.json"))
    try #require(added.status == 0, "\(added.errorText)")
    try #require(try await home.acct("vault", "unlock").status == 0)
    let header = "\(home.path)/data/vault/header"
    let aside = "\(home.path)/header"
    try #require(try await ChildProcess("mv", [header, aside]).run().status == 0)
    #expect(try await home.acct("vault", "lock").errorText == "acct: the vault is locked\n")
    try #require(try await ChildProcess("mv", [aside, header]).run().status == 0)
    var token = home.command(["token", "--no-input"])
    token.environment["ACCT_VAULT_PASSPHRASE_FILE"] = nil
    let locked = try await token.run()
    #expect(locked.status == 6)
    #expect(locked.text.isEmpty)
  }

  /// What a command of `vault` prints, where it says nothing else.
  private func result(_ home: AcctHome, _ arguments: String...) async throws -> JSONObject {
    let run = try await home.command(["vault"] + arguments + ["--json"]).run()
    #expect(run.status == 0)
    #expect(run.errorText.isEmpty)
    return try #require(try JSON(parsing: Array(run.text.utf8)).objectValue)
  }
}
