import AcctModel
import AcctPorts
import AcctTestSupport
import Testing

@Suite("The PIN of a key in a device")
struct DevicePINTests {
  private let record = RecordedWorld()

  private func signIn() async -> Int32 {
    _ = record.serveDPoP()
    record.answer("1234", "1234")
    return await record.signIn("--key", "tpm", "--pin")
  }

  @Test("A new PIN is asked for twice, and a sign-in asks for it no more")
  func new() async throws {
    #expect(await signIn() == 0, "\(record.err)")
    record.answer("1234")
    #expect(try await record.provesPossession(), "\(record.err)")
    record.answer("1234", "other")
    #expect(await record.signIn("--key", "tpm", "--pin") == 6)
    #expect(record.err.joined().contains("differ"), "\(record.err)")
  }

  @Test("A wrong PIN is sent once although a command makes several proofs, and ends with 6")
  func wrong() async {
    #expect(await signIn() == 0, "\(record.err)")
    let sent = record.tpm.pinsSent
    // The renewal is due, and fails; the token that is left would need another proof.
    record.now += 3500
    record.answer("4321")
    #expect(await record.failure("header", "https://as.example/x") == "6 wrongPIN")
    #expect(record.tpm.pinsSent == sent + 1)
    record.now -= 3500
    record.answer("1111")
    #expect(await record.failure("header", "https://as.example/x") == "6 wrongPIN")
    record.answer("2222")
    #expect(await record.failure("header", "https://as.example/x") == "6 wrongPIN")
    #expect(await record.failure("header", "https://as.example/x") == "6 deviceLockedOut")
    #expect(await record.failure("status") == "6 ")
  }

  @Test("The PIN comes from ACCT_KEY_PIN_FILE, a credential of systemd, or the file of the URI")
  func files() async throws {
    #expect(await signIn() == 0, "\(record.err)")
    record.clear()
    record.secretFiles["/run/pin"] = "1234\n"
    record.set("ACCT_KEY_PIN_FILE", to: "/run/pin")
    #expect(await record.failure("header", "https://as.example/x", "--no-input") == "0 ")
    record.secretFiles.expose("/run/pin")
    #expect(await record.failure("header", "https://as.example/x", "--no-input") == "6 pinNeeded")
    record.set("ACCT_KEY_PIN_FILE", to: "/run/none")
    #expect(await record.failure("header", "https://as.example/x", "--no-input") == "6 pinNeeded")
    record.set("ACCT_KEY_PIN_FILE", to: "")
    record.set("CREDENTIALS_DIRECTORY", to: "/run/credentials")
    #expect(await record.failure("header", "https://as.example/x", "--no-input") == "6 pinNeeded")
    #expect(await record.failure("status", "--no-input") == "6 ")
    record.secretFiles["/run/credentials/acct.pin"] = "1234"
    #expect(await record.failure("header", "https://as.example/x", "--no-input") == "0 ")
    #expect(await record.failure("status", "--no-input") == "0 ")

    record.secretFiles["/home/token"] = "123456"
    #expect(
      await record.signIn("--key", "pkcs11:object=a?pin-source=file:/home/token", "--no-input") == 0,
      "\(record.err)"
    )
  }

  @Test("A proxy asks for the PIN before it listens")
  func proxy() async {
    #expect(await signIn() == 0, "\(record.err)")
    record.answer("4321")
    #expect(await record.failure("proxy") == "6 wrongPIN")
  }
}
