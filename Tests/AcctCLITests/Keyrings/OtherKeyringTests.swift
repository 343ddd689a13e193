import AcctCLI
import AcctModel
import AcctPorts
import AcctTestSupport
import Synchronization
import StrictJSON
import Testing

@Suite("An account in another keyring than the shared one in use")
struct OtherKeyringTests {
  let machine = SharingMachine()

  /// Shares a keyring, and adds an account to the vault.
  private func addToVault() async {
    await machine.share()
    machine.record.set("ACCT_KEYRING", to: "vault")
    machine.record.provide("-", Handoffs.bearer())
    #expect(await machine.acct("add", "--import", "-") == 0, "\(machine.record.err)")
    machine.record.set("ACCT_KEYRING", to: "auto")
  }

  @Test("The account is listed, used, changed and removed without ACCT_KEYRING")
  func used() async {
    await addToVault()
    #expect(machine.decision == "etcd\n")
    #expect(machine.engine.accounts.isEmpty)
    #expect(await machine.acct("list") == 0)
    #expect(machine.record.out.contains("bob.example.com"))
    #expect(await machine.token("bob") == "opaque-bob")
    #expect(await machine.acct("allow", "bob.example.com", "https://a.example") == 0)
    #expect(machine.engine.accounts.isEmpty)
    #expect(await machine.acct("rename", "bob.example.com", "mine") == 0)
    #expect(await machine.acct("doctor", "--offline", "--quiet") == 0, "\(machine.record.out)")
    #expect(await machine.acct("remove", "--local", "mine") == 0)
    #expect(machine.record.err == ["acct: removed mine"])
    #expect(machine.vault.count == 0)
    #expect(machine.record.accountFiles == 0)
  }

  @Test("A login by name stores the new token where the account is, and not in the keyring in use")
  func login() async {
    await machine.share()
    machine.record.set("ACCT_KEYRING", to: "vault")
    machine.record.provide("-", "old-made-up-token")
    #expect(await machine.acct("add", "--token", "-", "--allow-origin", "https://api.example", "--name", "work") == 0)
    machine.record.set("ACCT_KEYRING", to: "auto")
    machine.record.provide("-", "new-made-up-token")
    #expect(await machine.acct("login", "work", "--token", "-") == 0, "\(machine.record.err)")
    #expect(await machine.acct("header", "https://api.example/v1") == 0)
    #expect(machine.record.out == "Authorization: Bearer new-made-up-token\n")
    #expect(machine.vault.count == 1)
    #expect(machine.engine.accounts.isEmpty)
  }

  @Test("The account stays where it is when the others are moved, or the shared keyring is left")
  func stays() async {
    await addToVault()
    machine.record.provide("-", Handoffs.dpop())
    #expect(await machine.acct("add", "--import", "-") == 0)
    #expect(machine.engine.accounts.count == 1)
    #expect(await machine.acct("keyring", "move", "secret-service") == 0, "\(machine.record.err)")
    #expect(machine.record.err.first == "acct: copied 1 account from etcd to secret-service")
    #expect(await machine.token("bob") == "opaque-bob")
    #expect(await machine.acct("keyring", "move", "etcd") == 0, "\(machine.record.err)")
    #expect(machine.vault.items.count == 1)
    #expect(await machine.acct("keyring", "leave") == 0)
    #expect(await machine.token("bob") == "opaque-bob")
    #expect(await machine.acct("list") == 0)
  }

  @Test("The account is one of all once its keyring is the one in use")
  func athome() async throws {
    await addToVault()
    #expect(await machine.acct("keyring", "move", "vault") == 0, "\(machine.record.err)")
    #expect(await machine.acct("keyring", "move", "etcd") == 0, "\(machine.record.err)")
    #expect(machine.engine.accounts.count == 1)
    #expect(machine.vault.count == 0)
    #expect(await machine.token("bob") == "opaque-bob")
    let record = try #require(machine.engine.accounts.values.first?.record)
    #expect(!String(decoding: record, as: UTF8.self).contains("keptIn"))
  }

  @Test("Removing a shared account, and exporting it, says that it concerns all machines")
  func words() async {
    await machine.share()
    machine.record.provide("-", Handoffs.bearer(changing: ["refresh_token": "r1", "clientId": "client"]))
    #expect(await machine.acct("add", "--import", "-") == 0, "\(machine.record.err)")
    machine.record.secretFiles["pass"] = "made up words"
    #expect(
      await machine.acct("export", "bob.example.com", "--passphrase-file", "pass") == 0,
      "\(machine.record.err)"
    )
    #expect(
      machine.record.err.last
        == "acct: import it, and then remove it here with --local, which removes it for all machines, "
        + "or let the copy be a backup"
    )
    #expect(await machine.acct("remove", "--local", "bob.example.com") == 0)
    #expect(machine.record.err == ["acct: removed bob.example.com, for all machines"])
  }

  @Test("A new account goes into the keyring that a move has chosen since it was prepared")
  func movedMeanwhile() async {
    machine.record.corrupt(.keyringDecision, with: "vault\n")
    machine.record.provide("-", Handoffs.bearer())
    var world = machine.world
    let prepare = world.vaultKeyring.prepare
    let record = machine.record
    world.vaultKeyring.prepare = { interaction throws(KeyringFailure) in
      try await prepare(interaction)
      record.corrupt(.keyringDecision, with: "secret-service\n")
    }
    #expect(await Acct.run(["add", "--import", "-"], in: world) == 0, "\(record.err)")
    #expect(machine.vault.count == 0)
    #expect(record.keyring.count > 0)
    #expect(await machine.token("bob") == "opaque-bob")
  }

  @Test("A list reads once which keyring it is", arguments: ["vault\n", "etcd\n"])
  func readOnce(decision: String) async {
    await machine.share()
    machine.record.corrupt(.keyringDecision, with: decision)
    var world = machine.world
    let read = world.files.read
    let reads = Mutex(0)
    let count: @Sendable (StoredFile) -> Void = { file in
      if case .keyringDecision = file { reads.withLock { $0 += 1 } }
    }
    world.files.read = { file throws(FilesFailure) in
      count(file)
      return try read(file)
    }
    machine.record.clear()
    #expect(await Acct.run(["list"], in: world) == 0, "\(machine.record.err)")
    #expect(reads.withLock { $0 } == 1)
  }
}
