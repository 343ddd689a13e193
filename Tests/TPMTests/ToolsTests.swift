import AcctModel
import Secrets
import AcctPorts
import KeyDevices
import AcctTestSupport
import TPM
import Testing

/// acct, tpm2-tools and tpm2-openssl on one software TPM.
@Suite("TPM keys and other programs")
struct ToolsTests {
  private let keys = TPMKeys.live()

  @Test("A signature of a key that acct made in a TPM is verified by OpenSSL")
  func signature() async throws {
    let tpm = try await SoftwareTPM()
    let key = try await keys.create(tpm.address, false, .absent)
    #expect(!key.hasPIN)
    #expect(try keys.read(key.blob) == key)
    let signature = try await keys.sign(key.blob, tpm.address, digest, .absent)
    #expect(try await key.point.verifies(signature))
    #expect(try await !key.point.verifies(signature.reversed()))
  }

  @Test("A key that acct made works in tpm2-openssl, from a PEM")
  func openssl() async throws {
    let tpm = try await SoftwareTPM()
    let key = try await keys.create(tpm.address, false, .absent)
    let folder = try TemporaryFolder()
    let file = try folder.file("key.pem", containing: pem(key.blob))
    let input = try folder.file("digest", containing: digest)
    let providers = ["-provider", "tpm2", "-provider", "default", "-propquery", "?provider=tpm2"]
    let read = try await tpm.run(
      "openssl",
      ["pkey"] + providers + ["-in", file, "-pubout", "-outform", "DER"],
      in: folder
    )
    #expect(read.standardOutput == key.point.publicKeyInfo, "\(read.errorText)")
    let signed = try await tpm.run(
      "openssl",
      ["pkeyutl"] + providers + ["-sign", "-inkey", file, "-in", input, "-rawin", "-digest", "sha256"],
      in: folder
    )
    #expect(signed.status == 0, "\(signed.errorText)")
    let signature = try folder.file("signature", containing: signed.standardOutput)
    let publicKey = try folder.file("public", containing: key.point.publicKeyInfo)
    let verified = try await ChildProcess(
      "openssl",
      [
        "pkeyutl", "-verify", "-pubin", "-keyform", "DER", "-inkey", publicKey, "-sigfile", signature, "-in", input,
        "-rawin", "-digest", "sha256",
      ]
    ).run()
    #expect(verified.status == 0, "\(verified.errorText)")
  }

  @Test("A key that acct made works in tpm2-tools")
  func tools() async throws {
    let tpm = try await SoftwareTPM()
    let key = try await keys.create(tpm.address, false, .absent)
    let file = try KeyFile(der: key.blob)
    let folder = try TemporaryFolder()
    _ = try folder.file("key.pub", containing: file.publicPart)
    _ = try folder.file("key.priv", containing: file.privatePart)
    _ = try folder.file("digest", containing: digest)
    try await makePrimary(tpm, in: folder)
    try await run(tpm, "tpm2_load -C primary -u key.pub -r key.priv -c key", in: folder)
    try await run(tpm, "tpm2_flushcontext -t", in: folder)
    try await run(tpm, "tpm2_sign -c key -g sha256 -s ecdsa -d digest -f plain -o signature", in: folder)
    let signature = try await ChildProcess("cat", ["\(folder.path)/signature"]).run()
    #expect(try await key.point.verifies(der: signature.standardOutput))
  }

  @Test("A key of tpm2-tools with the same attributes, below a key that stays, is used by acct")
  func persistentParent() async throws {
    let tpm = try await SoftwareTPM()
    let folder = try TemporaryFolder()
    try await makePrimary(tpm, in: folder)
    try await run(tpm, "tpm2_evictcontrol -C o -c primary 0x81000001", in: folder)
    let attributes = "fixedtpm|fixedparent|sensitivedataorigin|userwithauth|noda|sign"
    try await run(
      tpm,
      "tpm2_create -C 0x81000001 -G ecc256 -g sha256 -a \(attributes) -u key.pub -r key.priv",
      in: folder
    )
    try await run(tpm, "tpm2_encodeobject -C 0x81000001 -u key.pub -r key.priv -o key.pem", in: folder)
    let text = try await ChildProcess("cat", ["\(folder.path)/key.pem"]).run().text
    // tpm2_encodeobject says that there is a password, although it is empty.
    let file = try KeyFile(der: der(text))
    let point = try keys.read(der(text)).point
    let signature = try TPMDevice(at: tpm.address).sign(digest, with: file)
    #expect(try await point.verifies(signature))
  }

  @Test("Where the owner set a password, keys and sealed data are made below the storage key that the TPM keeps")
  func ownersPassword() async throws {
    let tpm = try await SoftwareTPM()
    let folder = try TemporaryFolder()
    try await run(tpm, "tpm2_changeauth -c owner owner's-password", in: folder)
    await #expect(throws: HardwareKeyFailure.owned) { try await keys.create(tpm.address, false, .absent) }
    await #expect(throws: HardwareKeyFailure.owned) { try await keys.seal(Secret("made-up secret"), tpm.address) }
    // An RSA key with other attributes than those of acct's own parent, as many machines have it.
    try await run(tpm, "tpm2_createprimary -C o -P owner's-password -c primary", in: folder)
    try await run(tpm, "tpm2_flushcontext -t", in: folder)
    try await run(tpm, "tpm2_evictcontrol -C o -P owner's-password -c primary 0x81000001", in: folder)
    let key = try await keys.create(tpm.address, false, .absent)
    #expect(try KeyFile(der: key.blob).parent == 0x8100_0001)
    #expect(try await key.point.verifies(try await keys.sign(key.blob, tpm.address, digest, .absent)))
    let sealed = try await keys.seal(Secret("made-up secret"), tpm.address)
    #expect(try await keys.unseal(sealed, tpm.address, .full) == Secret("made-up secret"))
    let agreement = try TPMDevice(at: tpm.address).makeAgreementKey()
    #expect(try TPMDevice(at: tpm.address).agree(with: key.point, by: agreement).count == 32)
    // Without the password it is used as it was made.
    try await run(tpm, "tpm2_changeauth -c owner -p owner's-password", in: folder)
    #expect(try await key.point.verifies(try await keys.sign(key.blob, tpm.address, digest, .absent)))
    #expect(try KeyFile(der: try await keys.create(tpm.address, false, .absent).blob).parent == 0x4000_0001)
  }

  @Test("A key that was made before the owner set a password is used below the same storage key, and no other")
  func laterPassword() async throws {
    let tpm = try await SoftwareTPM()
    let folder = try TemporaryFolder()
    let key = try await keys.create(tpm.address, false, .absent)
    try await makePrimary(tpm, in: folder)
    try await run(tpm, "tpm2_createprimary -C o -c other", in: folder)
    try await run(tpm, "tpm2_flushcontext -t", in: folder)
    try await run(tpm, "tpm2_evictcontrol -C o -c other 0x81000001", in: folder)
    try await run(tpm, "tpm2_changeauth -c owner owner's-password", in: folder)
    let kept = HardwareKeyFailure.failed(
      reason: "its owner's password keeps acct from this key, whose parent is not 0x81000001"
    )
    await #expect(throws: kept) { try await keys.sign(key.blob, tpm.address, digest, .absent) }
    try await run(tpm, "tpm2_evictcontrol -C o -P owner's-password -c 0x81000001", in: folder)
    await #expect(throws: HardwareKeyFailure.owned) { try await keys.sign(key.blob, tpm.address, digest, .absent) }
    try await run(tpm, "tpm2_evictcontrol -C o -P owner's-password -c primary 0x81000001", in: folder)
    #expect(try await key.point.verifies(try await keys.sign(key.blob, tpm.address, digest, .absent)))
  }

  @Test("A key that tpm2-openssl made is refused, since it may also decrypt")
  func keyOfOpenSSL() async throws {
    let tpm = try await SoftwareTPM()
    let made = try await tpm.run(
      "openssl",
      ["genpkey", "-provider", "tpm2", "-algorithm", "EC", "-pkeyopt", "group:P-256"]
    )
    #expect(made.status == 0, "\(made.errorText)")
    let refusal = HardwareKeyFailure.unsuitable(reason: "the key may also decrypt")
    #expect(throws: refusal) { _ = try keys.read(der(made.text)) }
  }

  @Test("tpm2-tools open what acct sealed")
  func sealed() async throws {
    let tpm = try await SoftwareTPM()
    let file = try KeyFile(der: try await keys.seal(Secret("made-up secret"), tpm.address))
    #expect(file.kind == .sealed)
    let folder = try TemporaryFolder()
    _ = try folder.file("data.pub", containing: file.publicPart)
    _ = try folder.file("data.priv", containing: file.privatePart)
    try await makePrimary(tpm, in: folder)
    try await run(tpm, "tpm2_load -C primary -u data.pub -r data.priv -c data", in: folder)
    try await run(tpm, "tpm2_flushcontext -t", in: folder)
    let opened = try await tpm.run("tpm2_unseal", ["-c", "data"], in: folder)
    #expect(opened.text == "made-up secret", "\(opened.errorText)")
  }

  private func makePrimary(_ tpm: SoftwareTPM, in folder: TemporaryFolder) async throws {
    let attributes = "fixedtpm|fixedparent|sensitivedataorigin|userwithauth|noda|restricted|decrypt"
    try await run(tpm, "tpm2_createprimary -C o -G ecc256 -g sha256 -a \(attributes) -c primary", in: folder)
    try await run(tpm, "tpm2_flushcontext -t", in: folder)
  }

  private func run(_ tpm: SoftwareTPM, _ line: String, in folder: TemporaryFolder) async throws {
    let words = line.split(separator: " ").map(String.init)
    let done = try await tpm.run(words[0], Array(words.dropFirst()), in: folder)
    try #require(done.status == 0, "\(line): \(done.errorText)")
  }
}
