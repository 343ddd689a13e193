import AcctCLI
import AcctConsole
import AcctModel
import Secrets
import AcctPorts
import AcctTestSupport
import StrictJSON
import Testing

@Suite("acct keyring move")
struct MoveKeyringTests {
  let machine = SharingMachine()

  @Test("A move to a shared keyring takes all accounts with all of their items, and the vault is empty")
  func toShared() async throws {
    await machine.keep(Handoffs.dpop(), Handoffs.bearer())
    await machine.share()
    let items = machine.vault.items
    #expect(await machine.acct("keyring", "move", "etcd") == 0)
    #expect(machine.record.err == ["acct: moved 2 accounts from vault to etcd"])
    #expect(machine.engine.accounts.mapValues(\.items) == items)
    for (id, account) in machine.engine.accounts {
      #expect(machine.record.file(.account(id)).map { Array($0.utf8) } == account.record)
    }
    #expect(machine.vault.count == 0)
    #expect(machine.decision == "etcd\n")
    #expect(await machine.token("bob") == "opaque-bob")
    #expect(await machine.acct("keyring", "move", "etcd", "--json") == 0)
    #expect(
      machine.record.json == ["version": 1, "from": .null, "to": "etcd", "moved": [], "removed": [], "staying": []]
    )
  }

  @Test("A move between the keyrings of one machine leaves the first one empty")
  func local() async {
    #expect(await machine.record.add(Handoffs.dpop()) == 0)
    #expect(await machine.acct("keyring", "move", "vault") == 0)
    #expect(machine.record.keyring.count == 0)
    #expect(await machine.acct("keyring", "move", "secret-service") == 0)
    #expect(machine.vault.count == 0)
    #expect(await machine.token("alice") != nil)
  }

  @Test("A move from a shared keyring copies the accounts and warns; --remove removes them there")
  func fromShared() async {
    await machine.shareAccounts(Handoffs.dpop(), Handoffs.bearer())
    let shared = machine.engine.accounts
    #expect(await machine.acct("keyring", "move", "vault") == 0)
    #expect(machine.record.err.first == "acct: copied 2 accounts from etcd to vault")
    #expect(
      machine.record.err.dropFirst().first?.hasPrefix(
        "acct: the refresh token of alice.example.com is also on etcd still"
      ) == true
    )
    #expect(machine.engine.accounts == shared)
    #expect(machine.vault.items == shared.mapValues(\.items))
    #expect(machine.decision == "vault\n")

    #expect(await machine.acct("keyring", "move", "etcd") == 0)
    #expect(await machine.acct("keyring", "move", "vault", "--remove") == 0)
    #expect(machine.record.err == ["acct: moved 2 accounts from etcd to vault"])
    #expect(machine.engine.accounts.isEmpty)
    #expect(await machine.acct("keyring", "leave") == 0)
    #expect(await machine.token("bob") == "opaque-bob")
  }

  @Test("A move that copied the accounts is completed by the same move with --remove")
  func cleanedUp() async throws {
    await machine.shareAccounts(Handoffs.dpop(), Handoffs.bearer())
    #expect(await machine.acct("keyring", "move", "vault") == 0)
    #expect(
      machine.record.err.last
        == "acct: hint: use them in one place; `acct keyring move vault --remove` removes them from etcd, for all machines"
    )
    let id = AccountID(random: InlineArray(repeating: 0xEE))
    let theirs = SharedEngine.Stored(name: try AccountName("theirs"), record: [], items: [:])
    machine.engine.put(theirs, as: id)
    #expect(await machine.acct("keyring", "move", "vault", "--remove") == 0)
    #expect(machine.record.err == ["acct: removed 2 accounts from etcd, for all machines"])
    #expect(machine.engine.accounts == [id: theirs])
    #expect(machine.vault.items.count == 2)
    #expect(await machine.token("bob") == "opaque-bob")
  }

  @Test("Credentials that another machine has renewed since they were copied stay there")
  func renewedElsewhere() async throws {
    await machine.shareAccounts(Handoffs.bearer(changing: ["refresh_token": "r1", "clientId": "client"]))
    #expect(await machine.acct("keyring", "move", "vault") == 0)
    let id = try machine.onlyAccount()
    var stored = try #require(machine.engine.accounts[id])
    stored.items[.accessToken] = Secret("renewed")
    stored.record = Array(
      String(decoding: stored.record, as: UTF8.self)
        .replacing(#""validatedAt":null"#, with: #""validatedAt":"2027-01-15T08:30:00Z""#).utf8
    )
    machine.engine.put(stored, as: id)
    #expect(await machine.acct("keyring", "move", "vault", "--remove", "--json") == 0)
    let outcome = machine.record.json?.objectValue
    #expect(outcome?["removed"] == [])
    #expect(outcome?["staying"] == ["bob.example.com"])
    #expect(machine.engine.accounts[id] == stored)
    #expect(await machine.acct("keyring", "move", "vault", "--remove") == 0)
    #expect(
      machine.record.err.first
        == "acct: the credentials of bob.example.com in etcd are not those in vault, and stay there"
    )
    machine.engine.drop(id)
    #expect(await machine.acct("keyring", "move", "vault", "--remove") == 0)
    #expect(machine.record.err == ["acct: none of these accounts is in etcd"])
  }

  @Test("Credentials that another machine renews while they are removed there stay")
  func renewedMeanwhile() async throws {
    await machine.shareAccounts(Handoffs.bearer())
    let id = try machine.onlyAccount()
    var renewed = try #require(machine.engine.accounts[id])
    renewed.items[.accessToken] = Secret("renewed")
    var world = machine.world
    let replace = world.files.replace
    world.files.replace = { [machine, renewed] file, bytes throws(FilesFailure) in
      try replace(file, bytes)
      if bytes == Array("vault\nfrom etcd\n".utf8) { machine.engine.put(renewed, as: id) }
    }
    machine.record.clear()
    let words = ["keyring", "move", "vault", "--remove"]
    #expect(await machine.run(words, in: world, machine.sharing) == 0, "\(machine.record.err)")
    #expect(machine.engine.accounts == [id: renewed])
    #expect(machine.record.err.joined().contains("bob.example.com"))
    #expect(await machine.token("bob") == "opaque-bob")
  }

  @Test("Credentials that are only where an earlier move came from stay there when it is completed")
  func onlyInSource() async {
    await machine.keep(Handoffs.bearer())
    let before = machine.vault.count
    machine.record.corrupt(.keyringDecision, with: "secret-service\nfrom vault\n")
    #expect(await machine.acct("keyring", "move", "secret-service") == 0, "\(machine.record.err)")
    #expect(machine.vault.count == before)
    #expect(machine.decision == "secret-service\n")
  }

  @Test("A move joins the accounts of two machines, and a second one brings nothing twice")
  func merged() async {
    await machine.shareAccounts(Handoffs.bearer())
    let other = SharingMachine(machine.engine)
    other.record.passRandomBytes(40)
    await other.keep(Handoffs.dpop())
    await other.share("join")
    #expect(await other.acct("keyring", "move", "etcd") == 0)
    #expect(other.engine.accounts.count == 2)
    #expect(await other.token("bob") == "opaque-bob")
    #expect(await other.token("alice") != nil)
    #expect(await other.acct("keyring", "move", "etcd") == 0)
    #expect(other.engine.accounts.count == 2)
  }

  @Test("Guests stay on their machine: a move to a shared keyring names them, and moves nothing")
  func guests() async {
    machine.record.corrupt(.keyringDecision, with: "vault\n")
    machine.record.serve(200, Guests.answer(Guests.token()))
    #expect(await machine.acct("add", "--guest", Guests.backend, "--name", "visitor") == 0)
    await machine.keep(Handoffs.bearer())
    await machine.share()
    #expect(await machine.acct("keyring", "move", "etcd") == 1)
    #expect(
      machine.record.err == [
        "acct: guests belong to one machine and can't be shared: visitor",
        "acct: hint: `acct remove NAME` removes one; nothing was moved",
      ]
    )
    #expect(machine.engine.accounts.isEmpty)
    #expect(machine.decision == "vault\n")
    #expect(await machine.acct("keyring", "move", "secret-service") == 0)
  }

  @Test("Another account of the same name in the target is named before anything is moved")
  func sameName() async throws {
    await machine.keep(Handoffs.bearer(), Handoffs.dpop())
    await machine.share()
    let other = SharingMachine(machine.engine)
    other.record.passRandomBytes(40)
    await other.keep(Handoffs.bearer())
    await other.share("join")
    #expect(await other.acct("keyring", "move", "etcd") == 0)
    let before = machine.engine.accounts
    #expect(await machine.acct("keyring", "move", "etcd") == 64)
    #expect(
      machine.record.err.first == "acct: the other keyring has other accounts called bob.example.com"
    )
    #expect(machine.engine.accounts == before)
    #expect(machine.decision == "vault\n")
    #expect(await machine.acct("rename", "bob.example.com", "mine") == 0)
    #expect(await machine.acct("keyring", "move", "etcd") == 0)
    #expect(machine.engine.accounts.count == 3)
  }

  @Test("An account of the same id in the target is replaced only if it is the same identity")
  func sameID() async throws {
    await machine.keep(Handoffs.bearer())
    await machine.share()
    let id = try machine.onlyAccount()
    let file = try #require(machine.record.file(.account(id)))
    let name = try AccountName("theirs")
    let theirs = file.replacing("https://issuer.example", with: "https://other.example")
      .replacing(#""name":"bob.example.com""#, with: #""name":"theirs""#)
    machine.engine.put(.init(name: name, record: Array(theirs.utf8), items: [:]), as: id)
    #expect(await machine.acct("keyring", "move", "etcd") == 1)
    #expect(machine.record.err.first?.hasSuffix("under the ids of bob.example.com") == true)
    #expect(machine.engine.accounts[id]?.name == name)
    let older = file.replacing(#""name":"bob.example.com""#, with: #""name":"older""#)
    machine.engine.put(.init(name: try AccountName("older"), record: Array(older.utf8), items: [:]), as: id)
    #expect(await machine.acct("keyring", "move", "etcd") == 0)
    #expect(machine.engine.accounts[id]?.items[.accessToken] == Secret("opaque-bob"))
    #expect(machine.engine.accounts[id]?.name.description == "bob.example.com")
  }

  @Test("An account that another machine has renewed since an interrupted move stays as it is there")
  func newer() async throws {
    await machine.keep(Handoffs.bearer())
    await machine.share()
    let id = try machine.onlyAccount()
    let file = try #require(machine.record.file(.account(id)))
    let newer = file.replacing(
      #""validatedAt":null"#,
      with: #""validatedAt":"2027-01-15T08:30:00Z""#
    )
    #expect(newer != file)
    machine.engine.put(
      .init(
        name: try AccountName("bob.example.com"),
        record: Array(newer.utf8),
        items: [.accessToken: Secret("renewed"), .expiresAt: Secret("2027-01-15T09:30:00Z")]
      ),
      as: id
    )
    #expect(await machine.acct("keyring", "move", "etcd") == 0)
    #expect(machine.record.file(.account(id)) == newer)
    #expect(await machine.token("bob") == "renewed")
    #expect(machine.vault.count == 0)
  }

  @Test("A machine that shares nothing is told how to begin, and one with ACCT_KEYRING to unset it")
  func refused() async {
    await machine.keep(Handoffs.bearer())
    #expect(await machine.acct("keyring", "move", "etcd") == 7)
    #expect(machine.record.err.last?.contains("`acct keyring create`") == true)
    await machine.share()
    #expect(await machine.acct("keyring", "move", "postgres") == 7)
    machine.record.set("ACCT_KEYRING", to: "vault")
    #expect(await machine.acct("keyring", "move", "etcd") == 64)
    #expect(machine.record.err.last == "acct: hint: unset ACCT_KEYRING and try again")
    machine.record.set("ACCT_KEYRING", to: "auto")
    #expect(await machine.acct("keyring", "move", "elsewhere") == 64)
    #expect(machine.decision == "vault\n")
    #expect(await machine.acct("keyring", "move", "etcd") == 0)
  }

  @Test("A move waits for a process that uses an account, and moves nothing if that goes on")
  func inUse() async throws {
    await machine.keep(Handoffs.bearer())
    await machine.share()
    let id = try machine.onlyAccount()
    var world = machine.world
    let lock = world.files.lock
    world.files.lock = { wanted, seconds throws(FilesFailure) in
      guard wanted != .account(id) else { throw .busy }
      return try await lock(wanted, seconds)
    }
    #expect(await machine.run(["keyring", "move", "etcd"], in: world, machine.sharing) != 0)
    #expect(machine.engine.accounts.isEmpty)
    #expect(machine.decision == "vault\n")
    #expect(await machine.acct("keyring", "move", "etcd") == 0)
  }

  @Test("An account that another process adds during a move is moved with the others")
  func addedMeanwhile() async throws {
    await machine.keep(Handoffs.bearer())
    let bob = try machine.onlyAccount()
    await machine.keep(Handoffs.dpop())
    await machine.share()
    let file = try #require(machine.record.file(.account(bob)))
    let items = try #require(machine.vault.items[bob])
    machine.record.forget(.account(bob))
    var world = machine.world
    let lock = world.files.lock
    world.files.lock = { [machine] wanted, seconds throws(FilesFailure) in
      // The move has copied what it had found, and is about to decide.
      if wanted == .book, machine.engine.accounts.count == 1 { machine.record.corrupt(.account(bob), with: file) }
      return try await lock(wanted, seconds)
    }
    #expect(await machine.run(["keyring", "move", "etcd"], in: world, machine.sharing) == 0, "\(machine.record.err)")
    #expect(machine.engine.accounts[bob]?.items == items)
    #expect(machine.vault.count == 0)
    #expect(await machine.token("bob") == "opaque-bob")
  }

  @Test("A damaged account stops a move before anything is written")
  func damaged() async throws {
    await machine.keep(Handoffs.bearer())
    let id = try machine.onlyAccount()
    await machine.keep(Handoffs.dpop())
    await machine.share()
    machine.record.corrupt(.account(id), with: "{")
    #expect(await machine.acct("keyring", "move", "etcd") == 65)
    #expect(machine.engine.accounts.isEmpty)
    #expect(machine.decision == "vault\n")
  }
}
