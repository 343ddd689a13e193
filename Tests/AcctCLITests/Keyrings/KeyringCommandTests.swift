import AcctCLI
import AcctConsole
import AcctModel
import AcctPorts
import AcctTestSupport
import FleetPorts
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
      machine.record.err == ["acct: no keyring has been chosen yet; the first `acct add` chooses one"]
    )
    await machine.keep(Handoffs.bearer())
    #expect(await machine.acct("keyring") == 0)
    #expect(machine.record.out == "keyring  vault\nstate    ready\n")
    #expect(await machine.acct("keyring", "--json") == 0)
    #expect(
      machine.record.json
        == ["version": 1, "keyring": ["kind": "vault", "state": "ready", "lockedParts": []], "shared": .null]
    )
  }

  @Test("ACCT_KEYRING for an engine that this machine does not share exits with 7 and the ways to begin")
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
    await machine.shareAccounts(Handoffs.dpop(), Handoffs.bearer())
    let other = SharingMachine(machine.engine)
    #expect(await other.acct("keyring", "join", "etcd", "https://a.example:2379", "--json") == 0)
    #expect(
      other.record.json == ["version": 1, "shared": ["kind": "etcd", "name": "main"], "inUse": true, "accounts": 2]
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
    #expect(await machine.run(another) == 64)
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
    await machine.shareAccounts(Handoffs.bearer())
    let kept = machine.engine.accounts
    #expect(await machine.acct("keyring", "leave") == 0)
    #expect(
      machine.record.err == ["acct: left the shared keyring; the engine keeps 1 account, and this machine has none"]
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
    await machine.shareAccounts(Handoffs.bearer())
    machine.engine.wait(for: [try machine.onlyAccount()])
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
        "kind", "name", "endpoints", "connection", "inUse", "identifier", "rolledBack", "accounts", "pending",
        "keyChanging", "means",
      ]
    )
    #expect(machine.record.err.first?.contains(#""code":"keyringRolledBack""#) == true)
    #expect(await machine.acct("keyring", "trust") == 0)
    #expect(await machine.acct("keyring") == 0)
  }

  @Test("What is trusted takes effect at once, and the origins and accounts that come and go with it are named")
  func trustedChanges() async throws {
    await machine.shareAccounts(Handoffs.bearer())
    let id = try machine.onlyAccount()
    let origin = "https://more.example"
    #expect(await machine.acct("allow", "bob.example.com", origin) == 0)
    let before = try #require(machine.engine.accounts[id])
    #expect(await machine.acct("allow", "bob.example.com", origin, "--revoke") == 0)
    #expect(await machine.acct("header", origin, "-a", "bob.example.com") == 8)
    machine.engine.put(before, as: id)
    #expect(await machine.acct("keyring", "trust") == 0, "\(machine.record.err)")
    #expect(
      machine.record.err == [
        "acct: bob.example.com is allowed at \(origin) now: `acct allow bob.example.com \(origin) --revoke` revokes that",
        "acct: the shared keyring is trusted as it is now",
      ]
    )
    #expect(await machine.acct("header", origin, "-a", "bob.example.com") == 0, "\(machine.record.err)")
    #expect(machine.record.filesText.contains(String(decoding: before.record, as: UTF8.self)))

    machine.engine.drop(id)
    #expect(await machine.acct("keyring", "trust") == 0)
    #expect(machine.record.err.first == "acct: bob.example.com is not in the shared keyring, and no account here now")
    machine.engine.put(before, as: id)
    #expect(await machine.acct("keyring", "trust", "--json") == 0)
    #expect(
      machine.record.json?.objectValue?["changes"] == ["added": ["bob.example.com"], "removed": [], "origins": []]
    )
    #expect(await machine.acct("keyring", "trust", "--json") == 0)
    #expect(machine.record.json?.objectValue?["changes"] == ["added": [], "removed": [], "origins": []])
  }

  @Test("A shared keyring that is not in use is trusted without a change to this machine's accounts")
  func trustedApart() async {
    await machine.keep(Handoffs.bearer())
    let other = SharingMachine(machine.engine)
    await other.shareAccounts(Handoffs.dpop())
    await machine.share("join")
    #expect(await machine.acct("keyring", "trust") == 0)
    #expect(machine.record.err == ["acct: the shared keyring is trusted as it is now"])
    #expect(machine.record.accountFiles == 1)
  }

  @Test("A damaged header is 7 with the way out, in keyring and in what asks the engine")
  func damagedHeader() async {
    await machine.shareAccounts(Handoffs.bearer())
    machine.engine.fail(with: .damagedHeader("the header is not JSON"))
    let hint = "restore its header from a backup of the engine; if the one there is right, run `acct keyring trust`"
    #expect(await machine.acct("keyring") == 7)
    #expect(machine.record.out.contains("  the shared keyring is damaged: the header is not JSON\n"))
    #expect(machine.record.out.contains("  \(hint)\n"), "\(machine.record.out)")
    #expect(await machine.acct("keyring", "status", "--json") == 7)
    #expect(machine.record.err.first?.contains(#""code":"damagedHeader""#) == true)
    #expect(await machine.acct("refresh", "--force") == 7)
    #expect(
      machine.record.err == ["acct: the shared keyring is damaged: the header is not JSON", "acct: hint: \(hint)"]
    )
  }

  @Test("A keyring is left once no other process of this machine uses an account")
  func leftAlone() async throws {
    await machine.shareAccounts(Handoffs.bearer())
    let id = try machine.onlyAccount()
    var world = machine.world
    let lock = world.files.lock
    world.files.lock = { wanted, seconds throws(FilesFailure) in
      guard wanted != .account(id) else { throw .busy }
      return try await lock(wanted, seconds)
    }
    #expect(await machine.run(["keyring", "leave"], in: world, machine.sharing) != 0)
    #expect(machine.settings.value != nil)
    #expect(await machine.token("bob") == "opaque-bob")
  }

  @Test("Leaving ends a move from the keyring that could not be completed")
  func leftAfterMove() async {
    await machine.keep(Handoffs.bearer())
    await machine.share()
    machine.record.corrupt(.keyringDecision, with: "vault\nfrom etcd\n")
    #expect(await machine.acct("keyring", "leave") == 0)
    #expect(machine.decision == "vault\n")
    #expect(await machine.token("bob") == "opaque-bob")
  }

  @Test("A restored engine is trusted once no other process of this machine uses an account")
  func trustedAlone() async throws {
    await machine.shareAccounts(Handoffs.bearer())
    let id = try machine.onlyAccount()
    machine.engine.rollBack()
    var world = machine.world
    let lock = world.files.lock
    world.files.lock = { wanted, seconds throws(FilesFailure) in
      guard wanted != .account(id) else { throw .busy }
      return try await lock(wanted, seconds)
    }
    #expect(await machine.run(["keyring", "trust"], in: world, machine.sharing) != 0)
    #expect(await machine.acct("keyring") == 7)
    #expect(await machine.acct("keyring", "trust") == 0)
    #expect(await machine.acct("keyring") == 0)
  }

  @Test(
    "A passphrase or key that is not the keyring's own leads to --code where a machine joins",
    arguments: ["join", "create"]
  )
  func otherPassphrase(verb: String) async {
    await machine.share()
    let other = SharingMachine(machine.engine)
    for opening in [KeyringFailure.Opening.otherPassphrase(file: "/home/alice/passphrase"), .any] {
      machine.engine.fail(with: .locked(reason: "the passphrase in /home/alice/passphrase is wrong", openedBy: opening))
      #expect(await other.acct("keyring", verb, "etcd", "https://a.example:2379") == 6)
      #expect(
        other.record.err.last
          == "acct: hint: set ACCT_VAULT_KEY_FILE or ACCT_VAULT_PASSPHRASE_FILE to the keyring's own, "
          + "or `acct keyring join` with --code asks a member to approve this machine"
      )
    }
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
      machine.record.err.first == "acct: the keyring in use is on etcd, and its passphrase is that of all machines"
    )
  }

  @Test("Another engine under the known name exits with 7, and both ways on are named")
  func otherEngine() async {
    await machine.share()
    machine.engine.fail(with: .rolledBack)
    for verb in ["join", "create"] {
      #expect(await machine.acct("keyring", verb, "etcd", "https://b.example:2379") == 7)
      #expect(
        machine.record.err.last == "acct: hint: `acct keyring leave` first; for a restored engine `acct keyring trust`"
      )
    }
  }

  @Test("What does not open is named by trust and leave, with its place")
  func unopened() async throws {
    await machine.share()
    let id = try #require(try? AccountID("00000000-0000-4000-8000-000000000001"))
    var sharing = machine.sharing
    let unopened = SharedKeyring.Unopened(accounts: [id], answers: [id: "/home/alice/unopened/1"])
    sharing.trust = { _ in unopened }
    sharing.leave = { unopened }
    for verb in ["trust", "leave"] {
      machine.record.clear()
      #expect(await machine.run(["keyring", verb], in: machine.world, sharing) == 0)
      #expect(
        machine.record.err.dropLast() == [
          "acct: 1 account on the engine can't be opened: \(id)",
          "acct: hint: acct remove --local ID removes one there, for all machines",
          "acct: a server's answer for \(id) can't be opened any more, and was moved to "
            + "/home/alice/unopened/1; the account may have to sign in again",
        ]
      )
    }
  }

  @Test("vault unlock and vault passphrase name an ACCT_KEYRING that is none")
  func unknownKeyring() async {
    await machine.keep(Handoffs.bearer())
    machine.record.set("ACCT_KEYRING", to: "valut")
    for verb in ["unlock", "passphrase"] {
      #expect(await machine.acct("vault", verb) == 64)
      #expect(
        machine.record.err.first == "acct: ACCT_KEYRING is valut, which is not a keyring"
      )
    }
  }
}
