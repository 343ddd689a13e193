import AcctEngine
import AcctModel
import AcctPorts
import AcctProtocol
import AcctTestSupport
import StrictJSON
import Testing

@Suite("An account with a key in a device")
struct DeviceKeyUseTests {
  private let record = RecordedWorld()

  @Test("Its public key is shown, and what would need the private one is refused with the reason")
  func privateKey() async {
    _ = record.serveDPoP()
    #expect(await record.signIn("--key", "tpm", "--name", "hard") == 0, "\(record.err)")
    #expect(await record.acct("key", "show", "hard") == 0)
    #expect(record.out.contains(#""kty":"EC""#))
    #expect(!record.out.contains("tss2"))
    #expect(await record.acct("key", "thumbprint", "hard") == 0)
    #expect(await record.failure("key", "show", "--private", "hard") == "1 keyInDevice")
    #expect(record.out.isEmpty)
    record.provide("-", String(decoding: Handoffs.key.serialized(), as: UTF8.self))
    #expect(await record.failure("key", "import", "hard") == "1 keyInDevice")
    #expect(await record.failure("export", "hard", "-o", "file") == "1 keyInDevice")
    #expect(await record.failure("export", "--all", "-o", "file") == "1 keyInDevice")
    #expect(record.secretFiles["file"] == nil)
  }

  @Test("An export of all accounts leaves it out, says so, and has the others")
  func export() async {
    _ = record.serveDPoP()
    #expect(await record.signIn("--key", "tpm", "--name", "hard") == 0, "\(record.err)")
    #expect(await record.add(Handoffs.bearer()) == 0, "\(record.err)")
    record.answer("pass", "pass")
    #expect(await record.acct("export", "--all", "-o", "file") == 0, "\(record.err)")
    #expect(record.err.contains { $0.contains("left out hard") }, "\(record.err)")
    #expect(record.secretFiles["file"] != nil)
  }

  @Test("Its removal takes the key out of the token, unless it lay there before")
  func removal() async {
    _ = record.serveDPoP()
    record.token.makeKey("old")
    for object in ["new", "old"] {
      record.answer("123456")
      #expect(await record.signIn("--key", "pkcs11:object=\(object)") == 0, "\(record.err)")
      record.clear()
      record.answer("123456")
      #expect(await record.acct("remove", "--local", "--yes", "alice@as.example") == 0, "\(record.err)")
      #expect(record.token.objects == ["old"], "\(record.err)")
      #expect(record.keyring.count == 0)
    }
  }

  @Test("Its removal without the token succeeds, and says what is left and how to remove it")
  func removalWithoutToken() async {
    _ = record.serveDPoP()
    record.answer("123456")
    #expect(await record.signIn("--key", "pkcs11:object=new") == 0, "\(record.err)")
    record.token.fail(with: .absent(reason: "made up"))
    #expect(await record.acct("remove", "--local", "alice@as.example") == 0, "\(record.err)")
    #expect(record.err.contains { $0.contains("p11tool --login --delete") }, "\(record.err)")
    #expect(record.accountFiles == 0)
  }

  @Test("The list of devices has the TPM, each token and each key with its accounts")
  func list() async throws {
    _ = record.serveDPoP()
    record.token.makeKey("old")
    record.answer("123456")
    #expect(await record.signIn("--key", "pkcs11:object=new") == 0, "\(record.err)")
    #expect(await record.acct("key", "list", "--hardware") == 0)
    #expect(record.out.contains("In memory"), "\(record.out)")
    #expect(record.out.contains("token Memory, serial number 0042\n"), "\(record.out)")
    #expect(record.out.contains("unused"))
    #expect(record.out.contains("alice@as.example"))
    #expect(await record.acct("key", "list", "--hardware", "--json") == 0)
    let token = try #require(record.json?.objectValue?["tokens"]?.arrayValue?.first?.objectValue)
    #expect(token["serial"] == "0042")
    let keys = (token["keys"]?.arrayValue ?? []).compactMap(\.objectValue)
    #expect(keys.map { $0["accounts"] } == [["alice@as.example"], []])
    #expect(keys.first?["thumbprint"] == record.accountFile?["thumbprint"])
    record.tpm.fail(with: .forbidden(path: "/dev/tpmrm0"))
    record.token.fail(with: .unsuitable(reason: "made up"))
    #expect(await record.acct("key", "list", "--hardware") == 0)
    #expect(await record.acct("key", "list") == 64)
  }

  @Test("A core without the annex of devices signs nothing with it, and takes its item for damaged")
  func coreAlone() async throws {
    _ = record.serveDPoP()
    #expect(await record.signIn("--key", "tpm") == 0, "\(record.err)")
    let account = try #require(AccountOverview(record.engine).listing().accounts.first)
    await #expect(throws: EngineError.keyring(.damagedItem(account.name, .keypair))) {
      try await AccountKey(record.engine).key(of: account)
    }
  }

  @Test("A shared keyring takes no such key")
  func shared() async throws {
    _ = record.serveDPoP()
    let engine = InMemorySharedEngine()
    record.share(InMemorySharedKeyring("first", on: engine), number: 7)
    #expect(await record.signIn("--key", "tpm") == 1, "\(record.err)")
    #expect(record.err.first?.contains("share the keyring") == true, "\(record.err)")
    #expect(record.requests.allSatisfy { $0.url.path != "/start" })
  }
}
