import AcctModel
import AcctTestSupport
import Glibc
import StrictJSON
import Testing

/// acct with swtpm and SoftHSM, at a server that verifies every proof.
@Suite("A key that never leaves its device")
struct DeviceKeyTests {
  @Test(
    "A key in a device signs in, authorizes requests and renews; the keyring has no private key",
    arguments: DeviceHome.Kind.allCases
  )
  func life(kind: DeviceHome.Kind) async throws {
    let device = try await DeviceHome(kind)
    try await device.signIn("--name", "hard")
    let account = try #require(try await device.home.accounts().first)
    #expect(account["tokenType"] == "DPoP")
    #expect(account["keyStorage"] == (kind == .tpm ? "tpm2" : "pkcs11"))
    #expect(try await device.home.use(device.server) == "200")
    let refreshed = try await device.home.acct("refresh", "--force")
    #expect(refreshed.status == 0, "\(refreshed.errorText)")
    #expect(try await device.home.use(device.server) == "200")
    let status = try await device.home.acct("status")
    #expect(status.status == 0, "\(status.text)")
    #expect(try await device.home.acct("key", "show", "--private", "hard").status == 1)
    let doctor = try await device.home.acct("doctor", "--offline")
    #expect(doctor.text.contains("the keys in devices can be used (1)"), "\(doctor.text)")
    try await device.server.expectNothingWrong()
  }

  @Test("60 processes that use one key at once all get a header", arguments: DeviceHome.Kind.allCases)
  func crowd(kind: DeviceHome.Kind) async throws {
    let device = try await DeviceHome(kind)
    try await device.signIn()
    let failures = try await withThrowingTaskGroup(of: String?.self) { group in
      for _ in 0..<60 {
        group.addTask {
          let (status, errors) = try await device.header()
          return status == 0 ? nil : "\(status) \(errors)"
        }
      }
      return try await group.reduce(into: [String]()) { if let failure = $1 { $0.append(failure) } }
    }
    #expect(failures == [])
  }

  @Test("A module's thread that is still at its end does not change how acct ends")
  func slowEnd() async throws {
    let folder = try TemporaryFolder()
    let uri = try await HostileModule.uri(["FAULT_SLOW_END"], in: folder)
    let listed = try await AcctHome().acct("key", "list", uri, "--hardware")
    #expect(listed.status == 0, "\(listed.errorText)")
    #expect(listed.text.contains("hostile"), "\(listed.text)")
  }

  @Test("The removal of an account takes the key out of its token")
  func removal() async throws {
    let device = try await DeviceHome(.token)
    try await device.signIn("--name", "hard")
    let token = try #require(device.token)
    #expect(try await token.tool(["--list-objects"]).contains("Public Key Object"))
    let listed = try await device.home.acct("key", "list", "--hardware").text
    #expect(listed.contains("(SoftHSM project), serial number "), "\(listed)")
    let removed = try await device.home.acct("remove", "hard")
    #expect(removed.status == 0, "\(removed.errorText)")
    #expect(removed.errorText.contains("is gone from the token"), "\(removed.errorText)")
    #expect(try await !token.tool(["--list-objects"]).contains("Key Object"))
  }

  @Test("Ctrl-C during a sign-in takes the new key out of its token", arguments: [true, false])
  func interrupted(namesKey: Bool) async throws {
    let device = try await DeviceHome(.token)
    let token = try #require(device.token)
    if !namesKey {
      try await device.signIn()
      try await token.tool(["--delete-object", "--type", "privkey", "--label", "acct"])
      try await token.tool(["--delete-object", "--type", "pubkey", "--label", "acct"])
    }
    let input = try OpenInput()
    var command = device.home.signIn(at: device.server, browser: nil)
    if namesKey { command.arguments += ["--key", device.key] }
    command.environment["ACCT_KEY_PIN_FILE"] = token.pinFile
    let process = try RunningProcess(input.feeding(command))
    try await process.ready { String(decoding: process.standardError.contents(), as: UTF8.self).contains("or paste") }
    #expect(try await token.tool(["--list-objects"]).contains("Key Object"))
    process.send(SIGINT)
    #expect(await process.ended() == 3)
    #expect(try await !token.tool(["--list-objects"]).contains("Key Object"))
  }

  @Test("A removal without the token succeeds, and says what is left; a header exits 7")
  func removalWithoutToken() async throws {
    let device = try await DeviceHome(.token)
    try await device.signIn("--name", "hard")
    try await #require(device.token).removeToken("acct")
    let (status, errors) = try await device.header()
    #expect(status == 7, "\(errors)")
    let removed = try await device.home.acct("remove", "--local", "hard")
    #expect(removed.status == 0, "\(removed.errorText)")
    #expect(removed.errorText.contains("p11tool"), "\(removed.errorText)")
    #expect(try await device.home.accounts().isEmpty)
  }

  @Test("A home that was copied beside another TPM, and one whose TPM was cleared, exit 4 and say so")
  func foreign() async throws {
    let words = "this key belongs to another TPM, or the TPM was cleared"
    let (own, other) = (try await SoftwareTPM(at: .socket), try await SoftwareTPM(at: .socket))
    let folder = try TemporaryFolder()
    let link = "\(folder.path)/tpm"
    try #require(unsafe symlink(own.address.description, link) == 0)
    let server = try await StrictServer(["rs_nonce": false])
    let home = try AcctHome(with: ["ACCT_TPM": link])
    var command = home.signIn(at: server)
    command.arguments += ["--key", "tpm"]
    let added = try await command.run()
    try #require(added.status == 0, "\(added.errorText)")
    #expect(try await home.use(server) == "200")

    unsafe unlink(link)
    try #require(unsafe symlink(other.address.description, link) == 0)
    for arguments in [["header", "\(server.resource)/resource"], ["refresh", "--force"]] {
      let output = try await home.command(arguments).run()
      #expect(output.status == 4, "\(output.errorText)")
      #expect(output.errorText.contains(words), "\(output.errorText)")
    }
    let status = try await home.acct("status")
    #expect(status.status == 4)
    #expect(status.text.contains(words), "\(status.text)")
    #expect(try await home.accounts().first?["state"] == "reauthRequired")
    // Beside its own TPM it works again.
    unsafe unlink(link)
    try #require(unsafe symlink(own.address.description, link) == 0)
    #expect(try await home.use(server) == "200")
  }

  @Test("A TPM whose owner set a password is used again after the line that the doctor prints")
  func ownersPassword() async throws {
    let device = try await DeviceHome(.tpm)
    try await device.signIn("--name", "hard")
    let tpm = try #require(device.tpm)
    try #require(try await tpm.run("tpm2_changeauth", ["-c", "owner", "made-up"]).status == 0)
    let (status, errors) = try await device.header()
    #expect(status == 7)
    #expect(errors.contains("the TPM's owner set a password, and the TPM keeps no storage key (0x81000001)"))
    let doctor = try await device.home.acct("doctor", "--offline").text
    let line = try #require(doctor.split(separator: "`").first { $0.hasPrefix("tpm2_") }, "\(doctor)")
    // Each command reads the password up to the end of the input.
    let folder = try TemporaryFolder()
    let password = try folder.file("password", containing: "made-up\n")
    let pasted = String(line).replacing("file:-", with: "file:- <\(password)")
      .replacing("&&", with: "&& tpm2_flushcontext -t &&")
    let mended = try await tpm.run("sh", ["-euc", pasted], in: folder)
    #expect(mended.status == 0, "\(mended.errorText)")
    #expect(try await device.home.use(device.server) == "200")
    #expect(try await device.home.acct("doctor", "--offline").status == 0)
  }

  @Test("A TPM that is cleared exits 4, one that is away 7, and a sign-in mends the first")
  func cleared() async throws {
    let device = try await DeviceHome(.tpm)
    try await device.signIn()
    let tpm = try #require(device.tpm)
    await tpm.stop()
    #expect(try await device.header().0 == 7)
    try await tpm.start()
    #expect(try await device.header().0 == 0)
    try await tpm.clear()
    #expect(try await device.header().0 == 4)
    try await device.signIn()
    #expect(try await device.home.use(device.server) == "200")
  }

  @Test("The PIN of a TPM's key comes from a file; wrong ones exit 6, and lock the TPM")
  func pin() async throws {
    let device = try await DeviceHome(.tpm)
    let folder = try TemporaryFolder()
    let pin = ["ACCT_KEY_PIN_FILE": try folder.file("pin", containing: "4711\n")]
    var command = device.home.signIn(at: device.server)
    command.arguments += ["--key", device.key, "--pin"]
    command.environment.merge(pin) { $1 }
    let added = try await command.run()
    try #require(added.status == 0, "\(added.errorText)")
    #expect(try await device.header(with: pin).0 == 0)
    let (status, errors) = try await device.header()
    #expect(status == 6)
    #expect(errors.contains("ACCT_KEY_PIN_FILE"), "\(errors)")
    let wrong = ["ACCT_KEY_PIN_FILE": try folder.file("wrong", containing: "1\n")]
    var said: [String] = []
    for _ in 0..<40 {
      let (status, errors) = try await device.header(with: wrong)
      #expect(status == 6, "\(errors)")
      said.append(errors)
      if errors.contains("locked") { break }
    }
    #expect(said.first?.contains("the PIN is wrong") == true, "\(said)")
    #expect(said.last?.contains("too many PINs were wrong") == true, "\(said)")
  }

  @Test("The PIN of a token is asked for at the terminal once for a renewal and a header")
  func prompt() async throws {
    let device = try await DeviceHome(.token, withPINFile: false)
    let folder = try TemporaryFolder()
    let pin = try folder.file("pin", containing: SoftHSM.pin)
    var command = device.home.signIn(at: device.server)
    command.arguments += ["--key", device.key]
    command.environment["ACCT_KEY_PIN_FILE"] = pin
    let added = try await command.run()
    try #require(added.status == 0, "\(added.errorText)")
    let terminal = try ControllingTerminal()
    let header = device.home.command(["refresh", "--force"])
    let process = try RunningProcess(terminal.controlling(header))
    try await process.ready { terminal.screen.contains("PIN of ") }
    terminal.press("\(SoftHSM.pin)\n")
    #expect(await process.ended() == 0, "\(terminal.screen)")
    #expect(terminal.screen.ranges(of: "PIN of ").count == 1, "\(terminal.screen)")
    #expect(!terminal.screen.contains(SoftHSM.pin))
    let wrong = ["ACCT_KEY_PIN_FILE": try folder.file("wrong", containing: "0000")]
    #expect(try await device.header(with: wrong).0 == 6)
    #expect(try await device.header().0 == 6)
  }
}
