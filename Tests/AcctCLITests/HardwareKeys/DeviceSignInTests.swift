import AcctModel
import AcctPorts
import AcctProtocol
import AcctTestSupport
import StrictJSON
import Testing

@Suite("A sign-in with a key in a device")
struct KeyInDeviceSignInTests {
  private let record = RecordedWorld()

  @Test("A key in a TPM is kept as a blob without its private part, and its proofs are right")
  func tpm() async throws {
    let server = record.serveDPoP()
    #expect(await record.signIn("--key", "tpm:/dev/made-up") == 0, "\(record.err)")
    #expect(record.err.contains("acct: added alice@as.example, with its key in the TPM"))
    let item = try #require(record.keyItem)
    #expect(item.names == ["kty", "crv", "x", "y", "acct_key", "tss2", "tpm"])
    #expect(item["acct_key"] == "tpm2")
    #expect(item["tpm"] == "/dev/made-up")
    #expect(record.accountFile?["keyStorage"] == "tpm2")
    #expect(try record.isProof(#require(server.fields("DPoP", "/token").first)))
    #expect(try await record.provesPossession(), "\(record.err)")
    #expect(await record.acct("refresh", "--force") == 0, "\(record.err)")
    #expect(try record.isProof(#require(server.fields("DPoP", "/token").last)))
    for command in ["status", "list"] {
      #expect(await record.acct(command, "--json") == 0, "\(record.err)")
      #expect(record.out.contains(#""keyStorage":"tpm2""#), "\(record.out)")
    }
    #expect(await record.acct("status") == 0)
    #expect(record.out.contains("the TPM"))
  }

  @Test("The TPM of ACCT_TPM is used where --key names none, else the kernel's")
  func address() async throws {
    _ = record.serveDPoP()
    #expect(await record.signIn("--key", "tpm") == 0, "\(record.err)")
    #expect(record.keyItem?["tpm"] == "/dev/tpmrm0")
    record.set("ACCT_TPM", to: "swtpm:host=127.0.0.1,port=4321")
    #expect(await record.signIn("--key", "tpm") == 0, "\(record.err)")
    #expect(record.keyItem?["tpm"] == "swtpm:host=127.0.0.1,port=4321")
    record.set("ACCT_TPM", to: "a TPM")
    #expect(await record.signIn("--key", "tpm") == 64)
  }

  @Test("A key in a token is kept as a URI, and its PIN is asked for once in a command")
  func token() async throws {
    _ = record.serveDPoP()
    record.token.wantTouch()
    record.answer("123456")
    #expect(await record.signIn("--key", "pkcs11:token=Memory;object=a") == 0, "\(record.err)")
    #expect(record.err.contains("acct: touch the token"))
    let item = try #require(record.keyItem)
    #expect(item.names == ["kty", "crv", "x", "y", "acct_key", "uri", "made"])
    #expect(item["uri"] == "pkcs11:token=Memory;object=a")
    // A renewal and a header are two proofs.
    record.now += 3500
    record.answer("123456")
    #expect(try await record.provesPossession(), "\(record.err)")
    #expect(await record.failure("header", "https://as.example/x") == "6 pinNeeded")
  }

  @Test("Tokens without a key have no --key, and the error says why")
  func refused() async {
    _ = record.serveDPoP()
    for options in [
      ["--guest", "https://a.example"], ["--session", "https://a.example"], ["--backend", "https://a.example"],
      ["--import", "file"], ["--token", "file", "--allow-origin", "https://a.example"],
      ["--issuer", "https://as.example", "--no-dpop"],
    ] {
      record.clear()
      #expect(await record.run(["add"] + options + ["--key", "tpm"]) == 64, "\(options)")
      #expect(record.err.first?.contains("key") == true, "\(record.err)")
    }
    for wrong in ["hsm", "tpm:relative", "pkcs11", "pkcs11:token=a?pin-value=123456"] {
      #expect(await record.signIn("--key", wrong) == 64 || wrong.contains("pin-value"), "\(wrong)")
      #expect(!record.err.joined().contains("123456"))
    }
    #expect(await record.signIn("--pin") == 64)
    #expect(await record.signIn("--key", "software", "--pin") == 64)
  }

  @Test("A server without DPoP is told apart before the sign-in, one that ignores the key after it")
  func bearer() async throws {
    record.plugInDevices()
    let server = RecordedServer(record, tokens: RecordedServer.tokens("a"))
    #expect(await record.signIn("--key", "tpm") == 1)
    #expect(record.err.first?.contains("does not offer DPoP") == true, "\(record.err)")
    #expect(server.bodies("/start").isEmpty)

    _ = record.serveDPoP(RecordedServer.tokens("a"))
    record.answer("123456")
    #expect(await record.signIn("--key", "pkcs11:object=new") == 11, "\(record.err)")
    #expect(record.token.objects.isEmpty)
    // Nor is an object that was there exchanged for a token that anyone can use.
    record.token.makeKey("old")
    record.answer("123456")
    #expect(await record.signIn("--key", "pkcs11:object=old") == 11, "\(record.err)")
    #expect(record.token.objects == ["old"])
    #expect(record.accountFiles == 0)
  }

  @Test("A sign-in that fails removes the key that it made in a token, and no other")
  func failed() async {
    let server = record.serveDPoP(.json(#"{"error":"access_denied"}"#, 400))
    record.answer("123456")
    #expect(await record.signIn("--key", "pkcs11:object=new") != 0)
    #expect(record.token.objects.isEmpty)
    record.token.makeKey("old")
    record.answer("123456")
    #expect(await record.signIn("--key", "pkcs11:object=old") != 0)
    #expect(record.token.objects == ["old"])
    server.set("/token", RecordedServer.tokens("a", ["token_type": "DPoP"]))
    record.keyring.fail(with: .failed(reason: "made up"))
    record.answer("123456")
    #expect(await record.signIn("--key", "pkcs11:object=new") != 0)
    #expect(record.token.objects == ["old"])
  }

  @Test("Ctrl-C after a token has made its key takes the key out again, and stores nothing")
  func interrupted() async {
    let server = record.serveDPoP()
    record.token.whenMade { [record] in
      if !record.interrupt() { Issue.record("the process had ended, and left the key") }
    }
    record.answer("123456")
    #expect(await record.signIn("--key", "pkcs11:object=new") != 0)
    #expect(record.token.objects.isEmpty)
    #expect(record.accountFiles == 0)
    #expect(server.bodies("/start").isEmpty)
    #expect(!record.interrupt(), "a signal is still held back")
  }

  @Test("Ctrl-C takes out the key that another sign-in makes where the account has its key, too")
  func interruptedAgain() async {
    _ = record.serveDPoP()
    record.answer("123456")
    #expect(await record.signIn("--key", "pkcs11:object=new") == 0, "\(record.err)")
    let first = record.keyItem?["x"]
    record.token.removeKeys()
    record.token.whenMade { [record] in
      if !record.interrupt() { Issue.record("the process had ended, and left the key") }
    }
    record.answer("123456")
    #expect(await record.signIn() != 0)
    #expect(record.token.objects.isEmpty)
    #expect(record.keyItem?["x"] == first)
    #expect(!record.interrupt(), "a signal is still held back")
  }

  @Test("A key that may have been copied before is taken, and both the sign-in and the list say so")
  func brought() async throws {
    _ = record.serveDPoP()
    record.token.makeKey("brought", isBrought: true)
    record.answer("123456")
    #expect(await record.signIn("--key", "pkcs11:object=brought") == 0, "\(record.err)")
    #expect(record.err.joined().contains("a copy of this key may exist"), "\(record.err)")
    #expect(await record.acct("key", "list", "--hardware") == 0)
    #expect(record.out.contains("made elsewhere"), "\(record.out)")
    #expect(await record.acct("key", "list", "--hardware", "--json") == 0)
    #expect(record.out.contains(#""mayHaveCopies":true"#), "\(record.out)")
    record.answer("123456")
    #expect(await record.signIn("--key", "pkcs11:object=made", "--name", "other") == 0)
    #expect(!record.err.joined().contains("copy"), "\(record.err)")
  }

  @Test("Another sign-in makes its key in the same device, unless --key says otherwise")
  func again() async throws {
    _ = record.serveDPoP()
    #expect(await record.signIn("--key", "tpm:/dev/made-up") == 0, "\(record.err)")
    let first = record.keyItem?["x"]
    #expect(await record.signIn() == 0, "\(record.err)")
    #expect(record.keyItem?["tpm"] == "/dev/made-up")
    #expect(record.keyItem?["x"] != first)
    #expect(await record.signIn("--key", "software") == 0, "\(record.err)")
    #expect(record.keyItem?["acct_key"] == nil)
    #expect(record.accountFile?["keyStorage"] == nil)
    #expect(record.accountFiles == 1)
  }

  @Test("A key in a token is used again by the next sign-in, and replaced by --key")
  func tokenAgain() async throws {
    _ = record.serveDPoP()
    record.answer("123456")
    #expect(await record.signIn("--key", "pkcs11:object=a") == 0, "\(record.err)")
    let first = record.keyItem?["x"]
    record.answer("123456")
    #expect(await record.signIn() == 0, "\(record.err)")
    #expect(record.keyItem?["x"] == first)
    #expect(record.keyItem?["made"] == true)
    record.answer("123456")
    #expect(await record.signIn("--key", "tpm") == 0, "\(record.err)")
    #expect(record.token.objects.isEmpty, "\(record.err)")
    #expect(record.err.joined().contains("is gone from the token"))
  }

  @Test("A device that is away makes a sign-in fail: it never falls back to software")
  func away() async {
    _ = record.serveDPoP()
    #expect(await record.signIn("--key", "tpm") == 0, "\(record.err)")
    record.tpm.fail(with: .absent(reason: "no such file"))
    #expect(await record.signIn() == 7)
    #expect(record.keyItem?["acct_key"] == "tpm2")
  }
}
