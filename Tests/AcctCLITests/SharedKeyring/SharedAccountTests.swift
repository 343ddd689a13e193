import AcctCLI
import AcctModel
import AcctPorts
import AcctTestSupport
import Secrets
import StrictJSON
import Synchronization
import Testing

@Suite("Accounts that machines share")
struct SharedAccountTests {
  let fleet = Fleet()

  @Test("An account that one machine adds is listed and used by the other")
  func added() async {
    #expect(await fleet.first.add(Handoffs.dpop(changing: ["expiresIn": 3600])) == 0)
    #expect(await fleet.second.acct("list") == 0)
    #expect(fleet.second.out.contains("alice.example.com"))
    #expect(
      await fleet.second.acct("header", "--account", "alice.example.com", "https://pds.example/") == 0
    )
    #expect(fleet.second.out.contains("DPoP: "))
  }

  @Test("A login of docker's with any password is listed and used by the other machine")
  func dockerLogin() async {
    let login = #"{"ServerURL":"r.example","Username":"alice","Secret":"zwei wörter"}"#
    #expect(await fleet.first.docker("store", login) == 0, "\(fleet.first.err)")
    #expect(await fleet.second.acct("list") == 0, "\(fleet.second.err)")
    #expect(await fleet.second.docker("list") == 0)
    #expect(fleet.second.out == #"{"r.example":"alice"}"# + "\n", "\(fleet.second.err)")
    #expect(await fleet.second.docker("get", "r.example") == 0, "\(fleet.second.err)")
    #expect(fleet.second.json?.objectValue?["Secret"] == "zwei w\u{F6}rter")
  }

  @Test("A new account is stored in one step")
  func addedAtOnce() async {
    #expect(await fleet.first.add(Handoffs.dpop()) == 0)
    #expect(fleet.engine.calls.filter { $0 != "fetchAll" } == ["store"])
  }

  @Test("A name that is not known here is asked of the engine, once")
  func selection() async {
    #expect(await fleet.first.add(Handoffs.bearer()) == 0)
    #expect(await fleet.second.acct("token", "--account", "bob.example.com") == 0)
    #expect(fleet.second.out == "opaque-bob\n")
    fleet.engine.forgetCalls()
    #expect(await fleet.second.acct("token", "--account", "carol") == 5)
    #expect(fleet.engine.calls == ["fetchAll"])
  }

  @Test("A name that is not known here is a failure of the engine while that is away")
  func selectionAway() async {
    #expect(await fleet.first.add(Handoffs.bearer()) == 0)
    fleet.engine.fail(with: .noQuorum)
    #expect(await fleet.second.acct("token", "--account", "bob.example.com") == 7)
  }

  @Test("A completion asks no engine")
  func completion() async {
    #expect(await fleet.first.add(Handoffs.bearer()) == 0)
    fleet.engine.forgetCalls()
    #expect(await fleet.second.acct("complete", "accounts") == 0)
    _ = await fleet.second.acct("complete", "origins", "--account", "bob.example.com")
    #expect(fleet.engine.calls.isEmpty)
  }

  @Test("A list with the engine away shows what this machine last saw, and says so")
  func listAway() async {
    await fleet.addAccount(left: 900)
    fleet.engine.fail(with: .timedOut)
    #expect(await fleet.second.acct("list") == 0)
    #expect(fleet.second.out.contains("bob.example.com"))
    #expect(fleet.second.err.count == 1)
    #expect(fleet.second.err.first?.contains("last saw") == true, "\(fleet.second.err)")
    #expect(await fleet.second.acct("list", "--json") == 0)
    #expect(fleet.second.json?.objectValue?["accounts"]?.arrayValue?.count == 1)
  }

  @Test("A rename on one machine is seen on the other")
  func renamed() async {
    await fleet.addAccount(left: 900)
    #expect(await fleet.first.acct("rename", "bob.example.com", "work") == 0, "\(fleet.first.err)")
    #expect(await fleet.second.acct("token", "--account", "work") == 0, "\(fleet.second.err)")
    #expect(fleet.second.out == "opaque-bob\n")
    #expect(await fleet.second.acct("list", "--json") == 0)
    #expect(fleet.second.out.contains(#""name":"work""#))
  }

  @Test("A name that another machine's account has is taken, although it is not known here")
  func nameTaken() async {
    #expect(await fleet.first.add(Handoffs.bearer()) == 0)
    #expect(await fleet.second.add(Handoffs.bearer("carol")) == 0)
    #expect(await fleet.second.acct("rename", "carol.example.com", "bob.example.com") != 0)
    #expect(fleet.second.err.first?.contains("bob.example.com") == true)
    #expect(await fleet.second.acct("token", "--account", "carol.example.com") == 0)
    #expect(fleet.second.out == "opaque-carol\n")
  }

  @Test("An account whose name another machine takes at the same time gets the next free one")
  func nameRace() async throws {
    let other = try AccountName("bob.example.com")
    #expect(await fleet.first.add(Handoffs.bearer("carol")) == 0)
    fleet.engine.interruptNext("store") { [engine = fleet.engine] in
      engine.change { $0.name = other }
    }
    #expect(await fleet.second.add(Handoffs.bearer()) == 0, "\(fleet.second.err)")
    #expect(
      Set(fleet.engine.accounts.values.map(\.name.description)) == ["bob.example.com", "bob.example.com-2"]
    )
  }

  @Test("A name that the user gave and another machine takes at the same time stores nothing")
  func givenNameRace() async throws {
    let other = try AccountName("work")
    #expect(await fleet.first.add(Handoffs.bearer("carol")) == 0)
    fleet.engine.interruptNext("store") { [engine = fleet.engine] in
      engine.change { $0.name = other }
    }
    #expect(await fleet.second.add(Handoffs.bearer(), "--name", "work") != 0)
    #expect(fleet.engine.accounts.count == 1)
    #expect(
      !fleet.engine.accounts.values.contains { $0.items[.accessToken] == Secret("opaque-bob") }
    )
  }

  @Test("A sign-in to an account of another machine renews that account in one step")
  func sameIdentity() async {
    #expect(await fleet.first.add(Handoffs.dpop()) == 0)
    fleet.engine.forgetCalls()
    #expect(await fleet.second.add(Handoffs.dpop(changing: ["refreshToken": "newer"])) == 0)
    #expect(fleet.engine.accounts.count == 1)
    #expect(fleet.stored(.refreshToken) == "newer")
    #expect(fleet.engine.calls.filter { $0 == "store" }.count == 1)
    #expect(fleet.record.contains(#""incoming":null"#))
    #expect(await fleet.first.acct("list") == 0)
    #expect(fleet.first.filesText.contains(fleet.record))
  }

  @Test("An account that another machine has removed is exit 5 where it is needed, and gone here then")
  func removed() async {
    await fleet.addAccount(left: 60)
    #expect(await fleet.first.acct("remove", "--local", "bob.example.com") == 0)
    #expect(fleet.engine.accounts.isEmpty)
    #expect(await fleet.second.acct("token") == 5)
    #expect(fleet.second.out.isEmpty)
    #expect(fleet.second.accountFiles == 0)
    #expect(fleet.second.file(.active) == "\n\n")
    #expect(await fleet.second.acct("allow", "bob.example.com", "https://a.example") == 5)
  }

  @Test("A list leaves out what another machine has removed, and nothing is active then")
  func removedInList() async {
    await fleet.addAccount(left: 900)
    #expect(await fleet.first.acct("remove", "--local", "bob.example.com") == 0)
    #expect(await fleet.second.acct("list") == 0)
    #expect(fleet.second.accountFiles == 0)
    #expect(fleet.second.file(.active) == "\n\n")
  }

  @Test("A change that another machine forestalls is made anew on what that has stored")
  func forestalled() async {
    await fleet.addAccount(left: 900)
    let record = fleet.record.replacing(#""displayName":null"#, with: #""displayName":"Bob""#)
    fleet.engine.interruptNext("store") { [engine = fleet.engine] in
      engine.change { $0.record = Array(record.utf8) }
    }
    #expect(await fleet.first.acct("allow", "bob.example.com", "https://a.example") == 0)
    #expect(fleet.record.contains("https://a.example"))
    #expect(fleet.record.contains(#""displayName":"Bob""#))
  }

  @Test("No other account's change waits while one is sent to the engine")
  func waitsAlone() async {
    await fleet.addAccount(left: 900)
    let held = Mutex<[Lock]>([])
    let heldWhileSent = Mutex<[[Lock]]>([])
    var world = fleet.first.world()
    world.files.lock = { lock, _ throws(FilesFailure) in
      held.withLock { $0.append(lock) }
      return HeldLock { held.withLock { $0.removeAll { $0 == lock } } }
    }
    for arguments in [["bob.example.com", "https://a.example"], ["--revoke", "bob.example.com", "https://a.example"]] {
      fleet.engine.interruptNext("store") { heldWhileSent.withLock { $0.append(held.withLock(\.self)) } }
      #expect(await Acct.run(["allow"] + arguments, in: world) == 0, "\(fleet.first.err)")
    }
    let id = fleet.engine.accounts.keys.first
    #expect(heldWhileSent.withLock(\.self) == [id, id].map { $0.map { [.account($0)] } ?? [] })
  }

  @Test("A change while the engine is away is an error, and changes nothing here")
  func changeAway() async {
    await fleet.addAccount(left: 900)
    fleet.engine.fail(with: .unavailable(reason: "a test said so"))
    let before = fleet.first.filesText
    #expect(await fleet.first.acct("rename", "bob.example.com", "work") == 7)
    #expect(await fleet.first.acct("remove", "--local", "bob.example.com") == 7)
    #expect(fleet.first.filesText == before)
  }

  @Test("A guest session is refused before its backend is asked")
  func guest() async {
    #expect(await fleet.first.addGuest() == 8, "\(fleet.first.err)")
    #expect(fleet.first.requests.isEmpty)
    #expect(fleet.engine.accounts.isEmpty)
  }

  @Test("A static token that is replaced on one machine is what the other sends")
  func staticToken() async {
    #expect(await fleet.first.addToken() == 0, "\(fleet.first.err)")
    let name = fleet.engine.accounts.values.first?.name.description ?? ""
    #expect(await fleet.second.acct("token", "--account", name) == 0)
    #expect(await fleet.first.addToken("another-static-token\n") == 0)
    #expect(fleet.engine.accounts.count == 1)
    #expect(await fleet.second.acct("list") == 0)
    #expect(await fleet.second.acct("token", "--account", name) == 0)
    #expect(fleet.second.out == "another-static-token\n")
  }

  @Test("A keyring that only a variable names takes no file of another keyring's account away")
  func otherKeyring() async {
    let record = RecordedWorld()
    #expect(await record.add(Handoffs.bearer()) == 0)
    record.share(fleet.firstKeyring, number: 50)
    record.corrupt(.keyringDecision, with: "secret-service\n")
    record.set("ACCT_KEYRING", to: "etcd")
    #expect(await record.acct("list") == 0)
    #expect(await record.acct("rename", "bob.example.com", "work") == 64)
    #expect(record.err.last?.contains("unset ACCT_KEYRING") == true)
    #expect(record.accountFiles == 1)
    record.set("ACCT_KEYRING", to: "")
    #expect(await record.acct("token") == 0)
    #expect(record.out == "opaque-bob\n")
  }

  @Test("A machine that has lost the decision keeps its files, whatever keyring a variable names")
  func lostDecision() async {
    let record = RecordedWorld()
    #expect(await record.add(Handoffs.bearer()) == 0)
    record.share(fleet.firstKeyring, number: 50)
    record.forget(.keyringDecision)
    record.set("ACCT_KEYRING", to: "etcd")
    #expect(await record.acct("list") == 0, "\(record.err)")
    #expect(record.accountFiles == 1)
  }

  @Test("A machine that has only the variable writes the keyring down with the first accounts it gets")
  func variable() async {
    #expect(await fleet.first.add(Handoffs.bearer()) == 0)
    let machine = RecordedWorld()
    machine.share(fleet.secondKeyring, number: 50)
    machine.forget(.keyringDecision)
    machine.set("ACCT_KEYRING", to: "etcd")
    #expect(await machine.acct("token", "--account", "bob.example.com") == 0, "\(machine.err)")
    #expect(machine.file(.keyringDecision) == "etcd\n")
  }

  @Test("A header without a shared keyring reads the decision about the keyring once")
  func readsOfHeader() async {
    let record = RecordedWorld()
    #expect(await record.add(Handoffs.bearer()) == 0)
    let before = record.reads(of: .keyringDecision)
    #expect(await record.acct("header", "\(FakeIssuer.issuer)/") == 0, "\(record.err)")
    #expect(record.reads(of: .keyringDecision) == before + 1)
  }

  @Test("Doctor brings the accounts of other machines here, and calls none of them an orphan")
  func doctor() async {
    #expect(await fleet.first.add(Handoffs.bearer()) == 0)
    _ = await fleet.second.acct("doctor", "--offline", "--repair")
    #expect(fleet.second.accountFiles == 1)
    #expect(fleet.second.filesText.contains(fleet.record))
  }
}
