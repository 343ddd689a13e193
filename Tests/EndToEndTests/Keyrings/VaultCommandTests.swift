import AcctTestSupport
import StrictJSON
import Testing

/// The built `acct` and its vault.
@Suite("acct vault")
struct VaultCommandTests {
  @Test("The doctor and vault unlock say that there is no vault yet, and what creates it")
  func noVault() async throws {
    let home = try AcctHome(hasVault: false)
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

  @Test("The vault commands print the vault's state as JSON")
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

  @Test("The command vault lock removes the key from the kernel even if the header is missing")
  func lockWithoutHeader() async throws {
    let home = try AcctHome()
    let added = try await home.acct("add", "--import", Product.source("Examples/bob.json"))
    try #require(added.status == 0, "\(added.errorText)")
    // In a user namespace of its own, which has a keyring of its own in the kernel: without the header
    // the keys of all of the user's vaults are forgotten.
    var command = home.command([])
    command.arguments = ["--map-current-user", "sh", "-c", Self.lockingWithoutHeader, command.program]
    command.program = "unshare"
    let run = try await command.run()
    #expect(run.errorText.contains("acct: the vault is locked\n"), "\(run.errorText)")
    // A kernel that keeps no keys, as in some containers, has none to forget.
    if try await result(home, "unlock")["seconds"] != .null {
      #expect(run.text.contains("before 0\n"), "\(run.text)")
    }
    #expect(run.text.contains("after 6\n"), "\(run.text)")
    _ = try await home.acct("vault", "lock")
  }

  private static let lockingWithoutHeader = """
    token() {
      env -u ACCT_VAULT_PASSPHRASE_FILE "$0" token --no-input >"$ACCT_HOME/token" 2>&1
      echo "$1 $?"
    }
    "$0" vault unlock
    token before
    mv "$ACCT_HOME/data/vault/header" "$ACCT_HOME/header"
    "$0" vault lock
    mv "$ACCT_HOME/header" "$ACCT_HOME/data/vault/header"
    token after
    """

  /// What a command of `vault` prints, where it says nothing else.
  private func result(_ home: AcctHome, _ arguments: String...) async throws -> JSONObject {
    let run = try await home.command(["vault"] + arguments + ["--json"]).run()
    #expect(run.status == 0)
    #expect(run.errorText.isEmpty)
    return try #require(try JSON(parsing: Array(run.text.utf8)).objectValue)
  }
}
