import AcctModel
import Secrets
import AcctPorts
import AcctProtocol
import AcctTestSupport
import StrictJSON
import Testing

@Suite("A key in a device that can't be used")
struct DeviceTroubleTests {
  private let record = RecordedWorld()

  @Test(
    "Each failure of a device has its status and its code, and ends no session",
    arguments: [
      (HardwareKeyFailure.absent(reason: "made up"), "7 deviceAbsent"),
      (.forbidden(path: "/dev/tpmrm0"), "7 deviceForbidden"), (.busy, "7 deviceBusy"),
      (.lockedOut, "6 deviceLockedOut"), (.foreign, "4 keyForeign"), (.gone, "4 keyGone"), (.cancelled, "3 cancelled"),
      (.notTouched, "6 notTouched"), (.unsuitable(reason: "made up"), "65 keyUnsuitable"),
      (.malformedReply(reason: "made up"), "7 deviceFailed"), (.failed(reason: "made up"), "7 deviceFailed"),
      (.wrongPIN(triesLeft: 1), "6 wrongPIN"),
    ]
  )
  func statuses(failure: HardwareKeyFailure, expected: String) async {
    _ = record.serveDPoP()
    #expect(await record.signIn("--key", "tpm") == 0, "\(record.err)")
    record.tpm.fail(with: failure)
    #expect(await record.failure("header", "https://as.example/x") == expected)
    let status = String(expected.split(separator: " ")[0])
    #expect(await record.failure("refresh", "--force") == expected)
    #expect(await record.failure("status").hasPrefix("\(status) "))
    #expect(record.accountFile?["standing"] == "signedIn")
    #expect(record.accountFile?["renewalStartedAt"] == .null)
    record.tpm.fail(with: nil)
    #expect(await record.failure("header", "https://as.example/x") == "0 ")
  }

  @Test("A TPM that is away is reported with a hint, wherever it is asked for")
  func away() async {
    _ = record.serveDPoP()
    let failure = HardwareKeyFailure.absent(reason: "/dev/tpmrm0: No such file or directory")
    let lines = [
      "acct: the TPM can't be reached: /dev/tpmrm0: No such file or directory",
      "acct: hint: turn it on or start it, and try again; `acct key list --hardware` shows which "
        + "devices are there, and --key tpm:DEVICE or ACCT_TPM names another one",
    ]
    record.tpm.fail(with: failure)
    #expect(await record.signIn("--key", "tpm") == 7)
    #expect(record.err == lines)
    record.tpm.fail(with: nil)
    #expect(await record.signIn("--key", "tpm") == 0, "\(record.err)")
    record.tpm.fail(with: failure)
    #expect(await record.acct("header", "https://as.example/x") == 7)
    #expect(record.err == lines)
  }

  @Test("A TPM that was cleared makes status say so, and the next sign-in mends it")
  func cleared() async {
    _ = record.serveDPoP()
    #expect(await record.signIn("--key", "tpm") == 0, "\(record.err)")
    record.tpm.clear()
    #expect(await record.acct("status") == 4)
    #expect(
      record.out.contains("this key belongs to another TPM, or the TPM was cleared"),
      "\(record.out)"
    )
    #expect(await record.signIn() == 0, "\(record.err)")
    #expect(await record.acct("status") == 0)
  }

  @Test("A login mends an account whose key is in no TPM any more, with a new key there or in the keyring")
  func login() async throws {
    _ = record.serveDPoP(
      RecordedServer.tokens("a", ["token_type": "DPoP"]),
      RecordedServer.tokens("a", ["token_type": "DPoP"]),
      RecordedServer.tokens("a", ["token_type": "DPoP"])
    )
    #expect(await record.signIn("--key", "tpm") == 0, "\(record.err)")
    let lost = record.accountFile?["thumbprint"]
    record.tpm.clear()
    #expect(await record.failure("header", "https://as.example/x") == "4 keyForeign")
    #expect(await record.acct("login", "alice@as.example") == 0, "\(record.err)")
    #expect(record.accountFile?["keyStorage"] == "tpm2")
    #expect(record.accountFile?["thumbprint"] != lost)
    #expect(try await record.provesPossession())
    #expect(await record.acct("login", "--key", "software") == 0, "\(record.err)")
    // As every account whose key is in the keyring.
    #expect(record.accountFile?["keyStorage"] == nil)
    #expect(try await record.provesPossession())
    #expect(record.accountFiles == 1)
  }

  @Test("A signature that is wrong reaches no server")
  func lying() async {
    let server = record.serveDPoP()
    #expect(await record.signIn("--key", "tpm") == 0, "\(record.err)")
    let count = server.bodies("/token").count
    record.tpm.lie()
    #expect(await record.failure("refresh", "--force") == "7 deviceFailed")
    #expect(server.bodies("/token").count == count)
  }

  @Test("A group is the hint for a TPM that the user may not open")
  func group() async {
    _ = record.serveDPoP()
    record.tpm.fail(with: .forbidden(path: "/dev/tpmrm0"))
    #expect(await record.signIn("--key", "tpm") == 7)
    #expect(record.err.last?.contains("join group tss") == true)
  }

  @Test("Doctor tells of keys whose device is away, locked or another, and of those that work")
  func doctor() async {
    _ = record.serveDPoP()
    #expect(await record.acct("doctor", "--offline") == 0)
    #expect(!record.out.contains("devices"))
    #expect(await record.signIn("--key", "tpm") == 0, "\(record.err)")
    #expect(await record.acct("doctor", "--offline") == 0, "\(record.out)")
    #expect(record.out.contains("the keys in devices can be used (1)"))
    record.tpm.fail(with: .absent(reason: "made up"))
    #expect(await record.acct("doctor", "--offline") == 0, "\(record.out)")
    #expect(record.out.contains("the TPM can't be reached"))
    record.tpm.fail(with: nil)
    record.tpm.clear()
    #expect(await record.acct("doctor", "--offline") == 1)
    #expect(record.out.contains("another TPM"))
  }

  @Test(
    "A stored key that acct did not write is damaged, and is used for nothing",
    arguments: [
      ("x", JSON.string(String(repeating: "A", count: 43))), ("d", "AA"), ("acct_key", "tpm3"),
      ("acct_key", .null), ("tss2", "AA"), ("tss2", "*"), ("tss2", ""), ("tpm", "relative"),
      ("tpm", .null), ("crv", "P-384"), ("acct_key", "pkcs11"),
    ]
  )
  func damaged(member: String, value: JSON) async throws {
    _ = record.serveDPoP()
    #expect(await record.signIn("--key", "tpm") == 0, "\(record.err)")
    let id = try #require(record.keyring.items.keys.first)
    var item = try #require(record.keyItem)
    item[member] = value
    let damaged = Keyring.Item(.keypair, Secret(JSON.object(item).serialized()))
    try await record.keyring.keyring().write(id, [damaged], .forbidden)
    #expect(await record.failure("header", "https://as.example/x") == "65 damagedItem")
    #expect(await record.failure("remove", "--local", "alice@as.example") == "0 ")
  }
}
