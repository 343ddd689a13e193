import AcctCLI
import AcctPorts
import AcctTestSupport
import StrictJSON
import Testing

/// `acct keyring unlock` and `lock`, of each kind of keyring.
@Suite("acct keyring unlock and lock")
struct LockKeyringTests {
  @Test("The desktop's keyring is unlocked by its prompt, and locked at once")
  func desktop() async {
    let record = RecordedWorld()
    #expect(await record.add(Handoffs.bearer()) == 0)
    record.clear()
    #expect(await record.acct("keyring", "lock") == 0)
    #expect(record.err == ["acct: the keyring is locked"])
    record.clear()
    #expect(await record.acct("token") == 6)
    #expect(record.err.last == "acct: hint: run `acct keyring unlock`, then try again; nothing was changed")
    record.clear()
    #expect(await record.acct("keyring", "unlock") == 6)
    #expect(record.err.last == "acct: hint: unlock it with its own program, on its desktop")
    record.keyring.unlockWhenAsked()
    #expect(await record.acct("keyring", "unlock", "--json") == 0)
    #expect(
      record.out.contains(#""keyring":{"kind":"secret-service","state":"ready","seconds":null}"#),
      "\(record.out)"
    )
    #expect(await record.acct("token") == 0)
  }

  @Test("A vault is unlocked as by acct vault unlock, and its lock forgets the passphrase")
  func vault() async {
    let machine = SharingMachine()
    await machine.keep(Handoffs.bearer())
    var world = machine.world
    world.vault.unlock = { _ throws(KeyringFailure) in 900 }
    world.vault.lock = { () throws(KeyringFailure) in machine.vault.lock() }
    machine.record.clear()
    #expect(await Acct.run(["keyring", "unlock"], in: world) == 0)
    #expect(await Acct.run(["keyring", "lock"], in: world) == 0)
    #expect(
      machine.record.err == [
        "acct: the vault is unlocked, for 15 min after its last use", "acct: the vault is locked",
      ]
    )
    machine.record.clear()
    #expect(await Acct.run(["token"], in: world) == 6)
    #expect(
      machine.record.err.last == "acct: hint: run `acct keyring unlock`, or set ACCT_VAULT_PASSPHRASE_FILE"
    )
  }

  @Test("A shared keyring is unlocked by its passphrase, and the hint of a wrong one names no command that fails")
  func shared() async {
    let machine = SharingMachine()
    await machine.share()
    #expect(await machine.acct("keyring", "unlock") == 0)
    #expect(machine.record.err == ["acct: the shared keyring is unlocked"])
    machine.engine.fail(with: .locked(reason: "the passphrase is wrong"))
    #expect(await machine.acct("keyring", "unlock") == 6)
    #expect(
      machine.record.err.last
        == "acct: hint: set ACCT_VAULT_KEY_FILE or ACCT_VAULT_PASSPHRASE_FILE for a command without a person"
    )
  }

  @Test(
    "A shared keyring is unlocked for as long as the kernel keeps its key, and else is not said to be",
    arguments: ["keyring", "vault"]
  )
  func sharedForAWhile(noun: String) async {
    let machine = SharingMachine()
    await machine.share()
    machine.engine.unlock(for: 900)
    #expect(await machine.acct(noun, "unlock") == 0)
    #expect(machine.record.err == ["acct: the shared keyring is unlocked, for 15 min after its last use"])
    machine.engine.fail(with: .locked(reason: "the kernel does not keep the key: why", openedBy: .fileForEach))
    #expect(await machine.acct(noun, "unlock") == 6)
    #expect(
      machine.record.err == [
        "acct: the shared keyring is locked: the kernel does not keep the key: why",
        "acct: hint: put the passphrase into a file that only you can read, and set ACCT_VAULT_KEY_FILE or "
          + "ACCT_VAULT_PASSPHRASE_FILE to it",
      ]
    )
  }
}
