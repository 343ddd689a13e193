import AcctPorts
import AcctTestSupport
import StrictJSON
import Testing

@Suite("acct keyring")
struct KeyringCommandTests {
  let machine = SharingMachine()

  @Test("The command says that no keyring was chosen yet, and which one is used later")
  func local() async {
    #expect(await machine.acct("keyring") == 0)
    #expect(machine.record.out.isEmpty)
    #expect(
      machine.record.err == [
        "acct: no keyring has been chosen yet; the first `acct add` chooses one"
      ]
    )
    await machine.keep(Handoffs.bearer())
    #expect(await machine.acct("keyring") == 0)
    #expect(machine.record.out == "keyring  vault\nstate    ready\n")
    #expect(await machine.acct("keyring", "--json") == 0)
    #expect(
      machine.record.json == [
        "version": 1, "keyring": ["kind": "vault", "state": "ready"], "shared": .null,
      ]
    )
  }

  @Test(
    "ACCT_KEYRING for an engine that this machine does not share exits with 7 and the ways to begin"
  )
  func demanded() async {
    machine.record.set("ACCT_KEYRING", to: "postgres")
    #expect(await machine.acct("keyring") == 7)
    #expect(machine.record.out.contains("problem  this machine shares no keyring\n"))
  }

  @Test("A machine without accounts uses the keyring that it makes, and another that it joins")
  func created() async {
    await machine.share()
    #expect(
      machine.record.err == ["acct: made the keyring main on etcd, with 0 accounts"]
    )
    #expect(machine.decision == "etcd\n")
    let other = SharingMachine(machine.engine)
    await other.share("join")
    #expect(other.record.err == ["acct: joined the keyring main on etcd, with 0 accounts"])
    #expect(await other.acct("keyring") == 0)
    #expect(
      other.record.out == """
        keyring   etcd
        state     ready
        shared    main on etcd
        members   https://a.example:2379
        accounts  0

        """
    )
  }

  @Test("Joining brings the accounts to the machine, and none of them is active")
  func brought() async {
    await machine.keep(Handoffs.dpop(), Handoffs.bearer())
    await machine.share()
    #expect(await machine.acct("keyring", "move", "etcd") == 0, "\(machine.record.err)")
    let other = SharingMachine(machine.engine)
    #expect(await other.acct("keyring", "join", "etcd", "https://a.example:2379", "--json") == 0)
    #expect(
      other.record.json == [
        "version": 1, "shared": ["kind": "etcd", "name": "main"], "inUse": true, "accounts": 2,
      ]
    )
    #expect(await other.token("bob") == "opaque-bob")
    #expect(await other.acct("token") == 5)
    #expect(await other.acct("list", "--json") == 0)
    #expect(other.record.json?.objectValue?["accounts"]?.arrayValue?.count == 2)
  }

  @Test("A machine with accounts keeps its keyring until they are moved, and is told how")
  func notInUse() async {
    await machine.keep(Handoffs.bearer())
    await machine.share()
    #expect(
      machine.record.err == [
        "acct: made the keyring main on etcd; it is not in use yet",
        "acct: hint: the accounts are in vault: `acct keyring move etcd` moves them",
      ]
    )
    #expect(machine.decision == "vault\n")
    #expect(machine.engine.accounts.isEmpty)
    #expect(await machine.acct("keyring") == 0)
    #expect(
      machine.record.out.contains("main on etcd; not in use: `acct keyring move etcd`\n")
    )
  }

  @Test("A machine shares one keyring: another name is refused until it leaves")
  func other() async {
    await machine.share()
    let another = ["keyring", "create", "etcd", "https://a.example:2379", "--name", "other"]
    machine.record.clear()
    #expect(await machine.run(another) == 1)
    #expect(
      machine.record.err == [
        "acct: this machine shares another keyring: main", "acct: hint: `acct keyring leave` first",
      ]
    )
    #expect(await machine.acct("keyring", "leave") == 0)
    #expect(await machine.run(another) == 0)
  }

  @Test("Leaving takes the accounts from the machine alone, and joining brings them back")
  func left() async {
    await machine.keep(Handoffs.bearer())
    await machine.share()
    #expect(await machine.acct("keyring", "move", "etcd") == 0)
    let kept = machine.engine.accounts
    #expect(await machine.acct("keyring", "leave") == 0)
    #expect(
      machine.record.err == [
        "acct: left the shared keyring; the engine keeps 1 account, and this machine has none"
      ]
    )
    #expect(machine.record.accountFiles == 0)
    #expect(machine.decision == nil)
    #expect(machine.settings.value == nil)
    #expect(machine.engine.accounts == kept)
    #expect(await machine.acct("keyring", "leave") == 7)
    #expect(machine.record.err.first == "acct: this machine shares no keyring")
    await machine.share("join")
    #expect(await machine.token("bob") == "opaque-bob")
  }

  @Test("Leaving is refused while an answer waits to be stored")
  func waits() async throws {
    await machine.keep(Handoffs.bearer())
    await machine.share()
    #expect(await machine.acct("keyring", "move", "etcd") == 0)
    machine.engine.wait(for: [try machine.record.onlyAccount()])
    #expect(await machine.acct("keyring", "leave") == 7)
    #expect(
      machine.record.err.first
        == "acct: a server's answer is still to be stored on the shared keyring, and waits on this machine"
    )
    #expect(machine.record.accountFiles == 1)
    #expect(await machine.acct("keyring") == 0)
    #expect(machine.record.out.contains("to store  answers for bob.example.com\n"))
  }

  @Test("A restored engine exits with 7 until it is trusted")
  func trusted() async {
    await machine.share()
    machine.engine.rollBack()
    #expect(await machine.acct("keyring", "--json") == 7)
    let shared = machine.record.json?.objectValue?["shared"]?.objectValue
    #expect(shared?["rolledBack"] == true)
    #expect(
      shared?.names == [
        "kind", "name", "endpoints", "connection", "inUse", "identifier", "rolledBack", "accounts",
        "pending",
      ]
    )
    #expect(machine.record.err.first?.contains(#""code":"keyringRolledBack""#) == true)
    #expect(await machine.acct("keyring", "trust") == 0)
    #expect(await machine.acct("keyring") == 0)
  }

  @Test("vault unlock opens the shared keyring in use, and vault passphrase does not change it")
  func passphrase() async {
    await machine.share()
    #expect(await machine.acct("vault", "unlock") == 0)
    #expect(machine.record.err == ["acct: the shared keyring is unlocked"])
    machine.engine.fail(with: .locked(reason: "the passphrase is wrong"))
    #expect(await machine.acct("vault", "unlock") == 6)
    #expect(await machine.acct("vault", "passphrase") == 1)
    #expect(
      machine.record.err.first
        == "acct: the keyring in use is on etcd, and its passphrase is that of all machines"
    )
  }
}
