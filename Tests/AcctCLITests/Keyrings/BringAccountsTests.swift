import AcctCLI
import AcctModel
import AcctPorts
import AcctTestSupport
import Testing

@Suite("Accounts that a list brings from a shared keyring")
struct BringAccountsTests {
  let machine = SharingMachine()

  /// Runs `acct list` where something happens just after the engine was asked for all accounts.
  private func list(after action: @escaping @Sendable () -> Void) async -> Int32 {
    var world = machine.world
    let inner = world.sharedKeyring
    world.sharedKeyring = { kind in
      var keyring = inner(kind)
      let fetchAll = keyring.accounts?.fetchAll
      keyring.accounts?.fetchAll = { interaction throws(KeyringFailure) in
        let changes = try fetchAll?(interaction) ?? SharedChanges(records: [:], accounts: [])
        action()
        return changes
      }
      return keyring
    }
    machine.record.clear()
    return await Acct.run(["list"], in: world)
  }

  private func share() async throws -> (id: AccountID, stored: SharedEngine.Stored) {
    await machine.shareAccounts(Handoffs.bearer())
    let id = try machine.onlyAccount()
    return (id, try #require(machine.engine.accounts[id]))
  }

  /// The same with another display name.
  private func renamed(_ stored: SharedEngine.Stored, to name: String) -> SharedEngine.Stored {
    var stored = stored
    stored.record = Array(
      String(decoding: stored.record, as: UTF8.self)
        .replacing(#""createdAt":"#, with: #""userNote":"\#(name)","createdAt":"#).utf8
    )
    return stored
  }

  @Test("A record that this machine has stored meanwhile is not replaced by an older one")
  func meanwhile() async throws {
    let (id, stored) = try await share()
    let (old, new) = (renamed(stored, to: "old"), renamed(stored, to: "new"))
    machine.engine.put(old, as: id)
    let text = String(decoding: new.record, as: UTF8.self)
    let status = await list { [machine] in
      machine.engine.put(new, as: id)
      machine.record.corrupt(.account(id), with: text)
    }
    #expect(status == 0)
    #expect(machine.record.file(.account(id)) == text)
  }

  @Test("An account that another process of this machine has removed meanwhile gets no file again")
  func removedMeanwhile() async throws {
    let (id, stored) = try await share()
    machine.engine.put(renamed(stored, to: "new"), as: id)
    let status = await list { [machine] in
      machine.engine.drop(id)
      machine.record.forget(.account(id))
    }
    #expect(status == 0)
    #expect(machine.record.accountFiles == 0)
  }

  @Test("An account that another process of this machine uses is not waited for, and comes later")
  func inUse() async throws {
    let (id, stored) = try await share()
    let before = machine.record.file(.account(id))
    let new = renamed(stored, to: "new")
    machine.engine.put(new, as: id)
    var world = machine.world
    let lock = world.files.lock
    world.files.lock = { wanted, seconds throws(FilesFailure) in
      guard wanted == .account(id) else { return try await lock(wanted, seconds) }
      guard seconds == 0 else {
        Issue.record("nothing was expected to wait \(seconds) seconds")
        throw .busy
      }
      throw .busy
    }
    machine.record.clear()
    #expect(await Acct.run(["list"], in: world) == 0)
    #expect(machine.record.file(.account(id)) == before)
    #expect(await machine.acct("list") == 0)
    #expect(machine.record.file(.account(id)) == String(decoding: new.record, as: UTF8.self))
  }

  @Test("An account whose object does not open is removed by its identifier")
  func unopened() async throws {
    let (id, _) = try await share()
    var world = machine.world
    let inner = world.sharedKeyring
    world.sharedKeyring = { kind in
      var keyring = inner(kind)
      keyring.accounts?.fetch = { _, _ throws(KeyringFailure) in throw .failed(reason: "it was modified") }
      return keyring
    }
    machine.record.clear()
    #expect(await Acct.run(["remove", "--local", id.description], in: world) == 0)
    #expect(machine.engine.accounts.isEmpty)
    #expect(machine.record.accountFiles == 0)
  }

  @Test("An account whose object does not open, and which has no file here, is removed by its identifier")
  func unopenedElsewhere() async throws {
    await machine.share()
    let id = AccountID(random: InlineArray(repeating: 0xEE))
    machine.engine.put(.init(name: try AccountName("theirs"), record: [], items: [:]), as: id)
    var world = machine.world
    let inner = world.sharedKeyring
    world.sharedKeyring = { kind in
      var keyring = inner(kind)
      keyring.accounts?.fetch = { _, _ throws(KeyringFailure) in throw .failed(reason: "it was modified") }
      let fetchAll = keyring.accounts?.fetchAll
      keyring.accounts?.fetchAll = { interaction throws(KeyringFailure) in
        var changes = try fetchAll?(interaction) ?? SharedChanges(records: [:], accounts: [])
        changes.records = [:]
        return changes
      }
      return keyring
    }
    let other = AccountID(random: InlineArray(repeating: 0xAB))
    machine.record.clear()
    #expect(await Acct.run(["remove", "--local", other.description], in: world) == 5)
    #expect(machine.engine.accounts.count == 1)
    machine.record.clear()
    #expect(await Acct.run(["remove", "--local", id.description], in: world) == 0)
    #expect(machine.record.err == ["acct: removed \(id), for all machines"])
    #expect(machine.engine.accounts.isEmpty)
    machine.record.clear()
    #expect(await Acct.run(["remove", "--local", id.description], in: world) == 5)
  }

  @Test("An account that was put back meanwhile keeps its file")
  func putBack() async throws {
    let (id, stored) = try await share()
    let other = SharingMachine(machine.engine)
    await other.share("join")
    #expect(await other.acct("remove", "--local", "bob.example.com") == 0)
    let listed = await list { [machine] in machine.engine.put(stored, as: id) }
    #expect(listed == 0)
    #expect(machine.record.accountFiles == 1)
    #expect(await machine.acct("keyring", "status") == 0)
    #expect(await other.acct("remove", "--local", "bob.example.com") == 0)
    let listedAgain = await list {}
    #expect(listedAgain == 0)
    #expect(machine.record.accountFiles == 0)
  }
}
