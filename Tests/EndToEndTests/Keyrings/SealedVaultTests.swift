import AcctModel
import AcctTestSupport
import Glibc
import StrictJSON
import Testing

/// The built `acct`, and vaults in software TPMs.
@Suite("acct vault seal")
struct SealedVaultTests {
  private let folder: TemporaryFolder
  private let tpm: SoftwareTPM
  private let home: AcctHome

  init() async throws {
    folder = try TemporaryFolder()
    tpm = try await SoftwareTPM(at: .socket)
    home = try AcctHome()
    let added = try await home.acct("add", "--import", Product.source("Examples/bob.json"))
    try #require(added.status == 0, "\(added.errorText)")
  }

  /// Where the machine's TPM is, whichever that is.
  private var link: String { "\(folder.path)/tpm" }

  /// Makes a TPM the machine's.
  private func install(_ tpm: SoftwareTPM) throws {
    unsafe unlink(link)
    try #require(unsafe symlink(tpm.address.description, link) == 0)
  }

  private func seal() async throws {
    try install(tpm)
    let sealed = try await home.acct("vault", "seal", "--tpm", link, "--json")
    try #require(sealed.status == 0, "\(sealed.errorText)")
    let json = try JSON(parsing: sealed.standardOutput).objectValue
    #expect(json?["vault"] == "sealed")
    #expect(json?["tpm"] == .string(link))
  }

  /// Runs a command as a service does: with no passphrase anywhere, and no key in the kernel.
  private func unattended(_ arguments: String...) async throws -> ChildProcess.Output {
    _ = try await home.acct("vault", "lock")
    var command = home.command(arguments)
    command.environment["ACCT_VAULT_PASSPHRASE_FILE"] = nil
    return try await command.run()
  }

  @Test("A token of a sealed vault is printed with no passphrase anywhere")
  func unattended() async throws {
    #expect(try await unattended("token").status == 6)
    try await seal()
    let token = try await unattended("token")
    #expect(token.status == 0, "\(token.errorText)")
    #expect(token.text == (try await home.acct("token")).text)
    let status = try await home.acct("status", "--json")
    #expect(
      try JSON(parsing: status.standardOutput)["keyring"]?["tpm"] == .string(link)
    )
    let doctor = try await home.acct("doctor", "--offline")
    #expect(doctor.text.contains("the TPM at \(link) opens the vault"))
  }

  @Test("A sealed vault beside another TPM opens with nothing but its passphrase")
  func copied() async throws {
    try await seal()
    let other = try await SoftwareTPM(at: .socket)
    try install(other)
    let token = try await unattended("token")
    #expect(token.status == 6)
    #expect(token.errorText.contains("the vault was sealed in another TPM"), "\(token.errorText)")
    #expect(token.errorText.contains("no passphrase was given"), "\(token.errorText)")
    #expect(try await home.acct("token").status == 0)
    let doctor = try await home.acct("doctor", "--offline")
    #expect(doctor.text.contains("does not open the vault"), "\(doctor.text)")

    // By the passphrase it becomes the vault of this machine.
    try #require(try await home.acct("vault", "seal", "--tpm", link).status == 0)
    #expect(try await unattended("token").status == 0)
    await tpm.stop()
    #expect(try await unattended("token").status == 0)
    await other.stop()
    #expect(try await unattended("token").status == 6)
  }

  @Test("A vault that is unsealed opens with its passphrase alone")
  func unsealed() async throws {
    try await seal()
    let changed = try folder.file("new", containing: "another, made up for this test\n")
    let passphrase = try await home.acct("vault", "passphrase", "--new-passphrase-file", changed)
    #expect(passphrase.status == 0, "\(passphrase.errorText)")
    #expect(try await unattended("token").status == 0)
    // The old passphrase is not the vault's.
    #expect(try await home.acct("vault", "unseal").status == 6)
    var unsealing = home.command(["vault", "unseal", "--json"])
    unsealing.environment["ACCT_VAULT_PASSPHRASE_FILE"] = changed
    let unsealed = try await unsealing.run()
    #expect(try JSON(parsing: unsealed.standardOutput)["vault"] == "unsealed")
    #expect(try await unattended("token").status == 6)
  }

  @Test("A TPM that is not there seals nothing")
  func absent() async throws {
    let sealed = try await home.acct("vault", "seal", "--tpm", "\(folder.path)/none")
    #expect(sealed.status == 7)
    #expect(sealed.errorText.contains("the TPM can't be reached: \(folder.path)/none"))
    #expect(try await home.acct("vault", "seal", "--tpm", "nowhere").status == 64)
    #expect(try await home.acct("vault", "unseal").errorText.contains("the vault was not sealed"))
    #expect(try await home.acct("token").status == 0)
  }
}
