import AcctCrypto
import AcctModel
import AcctPorts
import AcctTestSupport
import FleetPorts
import PrivateFiles
import Secrets
import SharedKeyring
import Synchronization
import Testing

@Suite("What opens a shared keyring, and what a change of its key carries over")
struct MeansTests {
  let fleet: Fleet
  let here: TestMachine
  let planter: Planter

  init() throws {
    fleet = try Fleet()
    here = try fleet.machine("here")
    try here.accounts().store(Made.account(), .forbidden)
    planter = try Planter(fleet)
  }

  private func keyless(_ name: String) throws -> TestMachine {
    TestMachine(name, home: try fleet.folder.folder(name), engine: fleet.engine)
  }

  /// Lets a machine ask, and a member approve it.
  @discardableResult
  private func approve(_ name: String, by member: TestMachine? = nil) async throws -> TestMachine {
    let machine = try keyless(name)
    let code = Mutex("")
    let member = member ?? here
    machine.duringNextPause { _ = try? member.membership.approve(code.withLock(\.self), .forbidden) }
    try await machine.membership.request(Fleet.settings, nil, .forbidden) { text in code.withLock { $0 = text } }
    return machine
  }

  private func change(_ change: Rekeying) throws -> Rekeyed { try here.membership.rekey(change, .forbidden) }

  /// The names of the means that a change asks about.
  private func asked(_ change: Rekeying, on machine: TestMachine? = nil) -> [String]? {
    do throws(SharedMembershipFailure) { _ = try (machine ?? here).membership.rekey(change, .forbidden) } catch {
      guard case .unknownMeans(let means, change.removing) = error else { return ["\(error)"] }
      return means.map(\.name)
    }
    return nil
  }

  enum Lie: CaseIterable {
    case none, byThePlanter, byAnInvitedMachine, forged, heldByHere
  }

  @Test(
    "A key file that a member has added before its removal is asked about, whatever it says, and opens nothing then",
    arguments: Lie.allCases
  )
  func planted(_ lie: Lie) async throws {
    _ = try await approve("lost")
    let invited = try planter.plantMachine("build")
    let here = try #require(try planterRoster().shared.first?.holders.first)
    let planted = try planter.plantKeyFile { entry, header in
      switch lie {
      case .none: break
      case .byThePlanter: entry.vouchers = [try planter.key.voucher(.added, header.keyring, means: entry.id)]
      case .byAnInvitedMachine:
        entry.vouchers = [
          try invited.voucher(.added, header.keyring, means: entry.id),
          try invited.voucher(.holds, header.keyring, means: entry.id),
        ]
      case .forged:
        var voucher = try invited.voucher(.kept, header.keyring, means: entry.id)
        voucher.machine = here
        entry.vouchers = [voucher]
      case .heldByHere: entry.holders = [here]
      }
    }
    #expect(asked(Rekeying(removing: "lost")) == ["build", "keyfile-2"])
    // Nothing was changed: the machine is still in.
    #expect(try self.here.membership.machines(.forbidden).map(\.name).contains("lost"))
    #expect(try planter.opens(planted))
    #expect(try planter.opens(invited))
    #expect(asked(Rekeying(removing: "lost", dropping: ["keyfile-2"])) == ["build"])
    let done = try change(Rekeying(removing: "lost", dropping: ["keyfile-2", "build"]))
    #expect(done.removed == "lost" && done.dropped.map(\.name) == ["build", "keyfile-2"])
    #expect(try !planter.opens(planted))
    #expect(try !planter.opens(invited))
    // Asked once.
    #expect(asked(Rekeying()) == nil)
  }

  private func planterRoster() throws -> Roster {
    var found: Roster?
    try planter.edit { _, roster, _ in found = roster }
    return try #require(found)
  }

  @Test("A change of the key alone asks as a removal does, and what a person names stays and is not asked about again")
  func named() throws {
    let planted = try planter.plantKeyFile()
    #expect(asked(Rekeying()) == ["keyfile-2"])
    #expect(try change(Rekeying(keeping: ["keyfile-2"])).dropped == [])
    #expect(try planter.opens(planted))
    #expect(asked(Rekeying()) == nil)
    #expect(try planter.opens(planted))
    #expect(try change(Rekeying(dropping: ["keyfile-2"])).dropped.map(\.kind) == [.keyFile])
    #expect(try !planter.opens(planted))
    #expect(throws: SharedMembershipFailure.noSuchMeans("keyfile-2")) {
      try change(Rekeying(dropping: ["keyfile-2"]))
    }
  }

  @Test("What the header opens to and its list does not have is shown, and opens nothing after the next change")
  func unlisted() throws {
    let planted = try P256PrivateKey.generate()
    try planter.edit { header, _, key in try header.add(planted.publicKey, .keyFile, key) }
    let means = try here.membership.members(.forbidden).means
    #expect(means.map(\.isListed) == [true, false])
    #expect(means.map(\.isKnown) == [true, false])
    #expect(try change(Rekeying()).dropped.map(\.isListed) == [false])
    #expect(try !planter.opens(planted))
  }

  @Test("A machine says by its signature whom it has let in, and one that is known here vouches for others")
  func signed() async throws {
    let first = try await approve("first")
    let second = try await approve("second", by: first)
    let means = try here.membership.members(.forbidden).means
    #expect(means.map(\.name) == ["first", "second", "keyfile-1"])
    #expect(means.map(\.addedBy) == [nil, "first", nil])
    #expect(means.map(\.isKnown) == [true, true, true])
    // `second` has approved no one, and no one has vouched for the key file to it.
    let seen = try second.membership.members(.forbidden).means
    #expect(seen.map(\.isOwn) == [false, true, false])
    #expect(seen.map(\.isKnown) == [false, true, false])
    #expect(asked(Rekeying(), on: second) == ["first", "keyfile-1"])
    let change = Rekeying(keeping: ["first", "keyfile-1"])
    _ = try second.membership.rekey(change, .forbidden)
    #expect(try here.membership.members(.forbidden).means.map(\.keptBy) == [["second"], [], ["second"]])
    // What a machine signed for goes with the machine.
    let gone = try here.membership.rekey(Rekeying(removing: "first", keeping: ["second"]), .forbidden)
    #expect(gone.removed == "first" && gone.dropped == [])
    #expect(try here.membership.members(.forbidden).means.map(\.addedBy) == [nil, nil])
  }

  @Test("A machine that only the removed one has let in is asked about; a passphrase that it added needs another one")
  func letIn() async throws {
    let lost = try await approve("lost")
    try await approve("guest", by: lost)
    #expect(asked(Rekeying(removing: "lost")) == ["guest"])
    let file = try fleet.folder.file("passphrase", containing: "another passphrase\n")
    let added = Rekeying(secret: .passphrase(file: file), keeping: ["keyfile-1", "here", "guest"])
    #expect(throws: SharedMembershipFailure.noSuchMeans("here")) { try lost.membership.rekey(added, .forbidden) }
    _ = try lost.membership.rekey(
      Rekeying(secret: .passphrase(file: file), keeping: ["keyfile-1", "guest"]),
      .forbidden
    )
    #expect(try here.membership.members(.forbidden).means.map(\.addedBy) == [nil, "lost", nil, "lost"])
    #expect(throws: SharedMembershipFailure.knowsSecret(.passphrase, machine: "lost")) {
      try change(Rekeying(removing: "lost", keeping: ["guest"]))
    }
    let done = try change(Rekeying(removing: "lost", keeping: ["guest"], dropping: ["passphrase-1"]))
    #expect(done.dropped.map(\.name) == ["passphrase-1"])
  }

  @Test("A machine that is listed twice, under another name or as a key file, is removed once and for all")
  func listedTwice() async throws {
    _ = try await approve("lost")
    let key = try P256PrivateKey.generate()
    try planter.plantMachine("evil", key)
    try planter.plantMachine("innocent", key)
    try planter.edit { header, roster, epoch in
      roster.shared.append(Roster.Shared(publicKey: key.publicKey, kind: .keyFile))
      roster.shared.append(roster.shared[0])
      try header.add(key.publicKey, .keyFile, epoch)
    }
    let members = try here.membership.members(.forbidden)
    #expect(members.machines.map(\.name) == ["lost", "evil", "here"])
    #expect(members.means.map(\.name) == ["lost", "evil", "keyfile-1"])
    #expect(members.doubles > 0)
    #expect(try change(Rekeying(removing: "evil")).removed == "evil")
    #expect(try !planter.opens(key))
    #expect(try here.membership.members(.forbidden).doubles == 0)
    #expect(try change(Rekeying(removing: "lost")).removed == "lost")
    #expect(try here.accounts().fetch(Made.alice, .forbidden) == Made.record("alice"))
  }

  @Test("Of two entries of one key the one that its machine has signed counts")
  func ownEntry() async throws {
    let friend = try await approve("friend")
    try planter.edit { _, roster, _ in
      var copy = roster.machines[0]
      (copy.name, copy.vouchers) = ("evil", [])
      roster.machines.insert(copy, at: 0)
    }
    let members = try here.membership.members(.forbidden)
    #expect(members.machines.map(\.name) == ["friend", "here"])
    #expect(members.doubles == 1)
    #expect(throws: SharedMembershipFailure.noSuchMachine("evil")) { try change(Rekeying(removing: "evil")) }
    #expect(try friend.accounts().fetch(Made.alice, .forbidden) == Made.record("alice"))
  }

  @Test(
    "The owner's key file that a member lists as a machine, or with another salt, still opens the keyring after a change"
  )
  func ownMeans() throws {
    try planter.plantMachine("evil", planter.key)
    #expect(try here.membership.members(.forbidden).means.map(\.kind) == [.keyFile])
    _ = try change(Rekeying())
    let again = TestMachine("here", home: here.home, keyFile: fleet.keyFile, engine: fleet.engine)
    #expect(try again.accounts().fetch(Made.alice, .forbidden) == Made.record("alice"))
  }

  @Test(
    "A name that several machines have, or that looks like another's, removes none; the identifier does",
    arguments: ["friend", "FRIEND", "fr\u{456}end", "friend "]
  )
  func names(_ name: String) async throws {
    _ = try await approve("friend")
    let key = try planter.plantMachine(name)
    let id = KeyringHeader.id(of: key.publicKey)
    for text in ["friend", "friend-1", name] {
      #expect(throws: SharedMembershipFailure.self, "\(text)") { try change(Rekeying(removing: text)) }
      do { _ = try change(Rekeying(removing: text)) } catch {
        guard case .ambiguous(text, let found) = error as? SharedMembershipFailure else {
          Issue.record("\(text): \(error)")
          continue
        }
        #expect(found.map(\.id).contains(id))
      }
    }
    #expect(Set(try here.membership.machines(.forbidden).map(\.name)).count == 3)
    #expect(try change(Rekeying(removing: id)).removed != nil)
    #expect(try !planter.opens(key))
    #expect(try change(Rekeying(removing: "friend")).removed == "friend")
  }

  @Test("A machine that a member has given another's name is not removed in its place")
  func swapped() async throws {
    let friend = try await approve("friend")
    _ = try await approve("lost")
    try planter.edit { _, roster, _ in
      for index in 0..<2 { roster.machines[index].name = ["lost", "friend"][index] }
    }
    for name in ["lost", "friend"] {
      #expect(throws: SharedMembershipFailure.self) { try change(Rekeying(removing: name)) }
    }
    #expect(try friend.accounts().fetch(Made.alice, .forbidden) == Made.record("alice"))
  }

  @Test(
    "A member that calls another machine, or this one, its former self takes neither along",
    arguments: [false, true]
  )
  func former(isThis: Bool) async throws {
    let friend = try await approve("friend")
    _ = try await approve("lost")
    try planter.edit { _, roster, _ in
      roster.machines[1].formerly = isThis ? roster.shared[0].holders[0] : roster.machines[0].id
    }
    #expect(try change(Rekeying(removing: "lost")).removed == "lost")
    #expect(try friend.accounts().fetch(Made.alice, .forbidden) == Made.record("alice"))
  }

  @Test("The last use of a key file is the last write of a machine that opened the keyring by it")
  func used() throws {
    let there = try fleet.machine("there")
    #expect(try here.membership.members(.forbidden).means.map(\.lastUsed) == [1_800_000_000])
    there.advance(seconds: 60)
    try there.accounts().store(Made.account(Made.bob, named: "bob"), .forbidden)
    let means = try here.membership.members(.forbidden).means
    #expect(means.map(\.lastUsed) == [1_800_000_060])
    #expect(means.first?.knownHolders == ["here", "there"])
    #expect(means.first?.since == 1_800_000_000)
  }

  @Test("A means that was dropped does not come back by a signature of before")
  func replayed() async throws {
    let friend = try await approve("friend")
    let file = try fleet.folder.file("new", containing: [UInt8](repeating: 0x6B, count: 32))
    let both = Rekeying(secret: .keyFile(file), keeping: ["keyfile-1", "here"])
    #expect(throws: SharedMembershipFailure.noSuchMeans("here")) { try friend.membership.rekey(both, .forbidden) }
    _ = try friend.membership.rekey(Rekeying(secret: .keyFile(file), keeping: ["keyfile-1"]), .forbidden)
    let entry = try #require(try planterRoster().shared.last)
    #expect(asked(Rekeying()) == nil)
    _ = try change(Rekeying(dropping: ["keyfile-2"]))
    try planter.edit { header, roster, key in
      try header.add(entry.publicKey, .keyFile, key)
      roster.shared.append(entry)
    }
    #expect(try here.membership.members(.forbidden).means.map(\.isKnown) == [true, true, false])
    #expect(asked(Rekeying()) == ["keyfile-2"])
  }

  @Test("A passphrase that a member has put in the place of this machine's is not taken for it by the kernel's key")
  func replaced() async throws {
    let (engine, kernel) = (InMemoryStore(), InMemoryKernel())
    let file = try fleet.folder.file("passphrase", containing: "of this keyring\n")
    let home = try fleet.folder.folder("desk")
    func desk(_ file: String?) -> TestMachine {
      TestMachine("desk", home: home, passphraseFile: file, engine: engine, kernel: kernel.keys)
    }
    try desk(file).vault().sharedKeyring.create(Fleet.settings, .forbidden)
    _ = try desk(file).membership.rekey(Rekeying(), .forbidden)
    #expect(try desk(file).membership.members(.forbidden).means.map(\.isKnown) == [true])
    let header = try KeyringHeader(parsing: try #require(engine.objects[Planter.header]?.bytes))
    guard case .passphrase(let kdf, let salt) = header.recipients[0].kind else { throw TestMachine.Missing() }
    let own = try KeyringHeader.key(of: Secret("of this keyring"), kdf, salt: salt)
    let planted = try P256PrivateKey.generate()
    try Planter(engine, own).edit { header, roster, key in
      (header.recipients, roster.shared) = (
        [], [Roster.Shared(publicKey: planted.publicKey, kind: roster.shared[0].kind)]
      )
      try header.add(planted.publicKey, roster.shared[0].kind, key)
    }
    // The kernel has the key since the last command; the passphrase is typed no more.
    #expect(try desk(nil).membership.members(.forbidden).means.map(\.isKnown) == [false])
    #expect(asked(Rekeying(), on: desk(nil)) == ["passphrase-1"])
  }

  @Test("What a machine knows is forgotten when it leaves, and a file about it that is damaged knows nothing")
  func forgotten() async throws {
    try await approve("friend")
    #expect(asked(Rekeying()) == nil)
    try here.folder.replace("means", Array("rubbish".utf8).span)
    #expect(asked(Rekeying()) == ["friend"])
    _ = try change(Rekeying(keeping: ["friend"]))
    #expect(asked(Rekeying()) == nil)
    _ = try here.vault().sharedKeyring.leave()
    #expect(try here.folder.read("means", limit: 65_536) == nil)
  }
}
