import AcctCLI
import AcctConsole
import AcctModel
import AcctPorts
import AcctTestSupport
import FleetPorts
import StrictJSON
import Synchronization
import Testing

/// The commands for the machines of a shared keyring: what they print, and the status of each failure.
@Suite("acct keyring approve, machines, rekey and remove")
struct MembershipTests {
  let machine: SharingMachine
  private static let removal = MachineRemoval(by: "desk", at: 1_800_000_000)

  init() async {
    machine = SharingMachine()
    await machine.share()
  }

  /// Runs a command whose change of the key ends so.
  private func run(
    _ words: [String],
    _ outcome: Result<Rekeyed, SharedMembershipFailure> = .success(Rekeyed(objects: 3, removed: "laptop"))
  ) async -> Int32 {
    var sharing = machine.sharing
    sharing.membership.rekey = { _, _ throws(SharedMembershipFailure) in try outcome.get() }
    sharing.membership.approve = { _, _ throws(SharedMembershipFailure) in
      if case .failure(let failure) = outcome { throw failure }
      return "laptop"
    }
    machine.record.clear()
    return await machine.run(["keyring"] + words, in: machine.world, sharing)
  }

  struct Row: CustomTestStringConvertible, Sendable {
    var failure: SharedMembershipFailure
    var status: Int32
    var code: String
    /// Of the hint: what to do next.
    var next: String

    var testDescription: String { "\(failure)" }
  }

  static let rows = [
    Row(failure: .notACode, status: 64, code: "usage", next: "16 letters and digits"),
    Row(failure: .unknownCode, status: 1, code: "unknownCode", next: "--code there again"),
    Row(failure: .oldCode, status: 1, code: "oldCode", next: "--code there again"),
    Row(failure: .usedCode(by: "desk", machine: "laptop"), status: 1, code: "usedCode", next: "keyring machines"),
    Row(failure: .forgedRequest, status: 8, code: "forgedRequest", next: "--code there again"),
    Row(failure: .notApproved, status: 1, code: "notApproved", next: "--code again"),
    Row(failure: .formerForm, status: 1, code: "formerKeyring", next: "keyring rekey"),
    Row(failure: .noSuchMachine("laptop"), status: 64, code: "noSuchMachine", next: "keyring machines"),
    Row(
      failure: .removedBefore("laptop", removal, namesakes: ["laptop-2"]),
      status: 64,
      code: "removedBefore",
      next: "keyring remove laptop-2"
    ),
    Row(failure: .member, status: 64, code: "alreadyMember", next: "keyring leave"),
    Row(failure: .sameSecret(.passphrase), status: 64, code: "samePassphrase", next: "another one"),
    Row(failure: .sameSecret(.keyFile), status: 64, code: "sameKeyFile", next: "another one"),
    Row(failure: .tooManyPassphrases(4), status: 64, code: "tooManyPassphrases", next: "--keep does not name"),
    Row(failure: .stillWriting, status: 7, code: "stillWriting", next: "make the command again"),
    Row(failure: .laterVersion(id), status: 7, code: "laterVersion", next: "remove \(id) --local"),
    Row(failure: .thisMachine, status: 64, code: "thisMachine", next: "keyring leave"),
    Row(
      failure: .knowsSecret(.keyFile, machine: "laptop"),
      status: 64,
      code: "knowsSecret",
      next: "--new-key-file FILE, or --drop-shared"
    ),
    Row(failure: .unknownMeans([unknown], removing: "laptop"), status: 4, code: "unknownMeans", next: "--keep NAME"),
    Row(failure: .ambiguous("laptop", [unknown]), status: 64, code: "ambiguousName", next: "identifier"),
    Row(failure: .noSuchMeans("keyfile-3"), status: 64, code: "noSuchMeans", next: "keyring machines"),
    Row(failure: .tooMany, status: 1, code: "tooManyMachines", next: "keyring remove"),
    Row(
      failure: .keyring(.removedMachine(by: "desk", at: 1_800_000_000)),
      status: 6,
      code: "machineRemoved",
      next: "keyring join"
    ),
    Row(
      failure: .keyring(.locked(reason: "only machines that a member has approved open it", openedBy: .approval)),
      status: 6,
      code: "keyringLocked",
      next: "with --code"
    ),
  ]

  private static let id = AccountID(random: InlineArray(repeating: 0xB0))
  private static let unknown = SharedMeans(id: String(repeating: "ab", count: 16), kind: .keyFile, name: "keyfile-2")

  @Test("Each failure has a status, a code, and a hint that says what to do next", arguments: rows)
  func failures(row: Row) async throws {
    for words in [["remove", "laptop"], ["approve", "aaaa-bbbb-cccc-dddd"]] {
      #expect(await run(words + ["--json"], .failure(row.failure)) == row.status)
      let error = try JSON(parsing: Array(machine.record.err.joined().utf8)).objectValue?["error"]?.objectValue
      #expect(error?["code"]?.stringValue == row.code)
      #expect(error?["hint"]?.stringValue?.contains(row.next) == true, "\(machine.record.err)")
    }
  }

  @Test("What opens a keyring that only members open is not a passphrase, whichever command says so")
  func needsApproval() async {
    let failure = KeyringFailure.locked(reason: "only machines that a member has approved open it", openedBy: .approval)
    for failure in [failure, .removedMachine(by: "desk", at: 1_800_000_000)] {
      machine.engine.fail(with: failure)
      for words in [["keyring", "unlock"], ["keyring", "status"], ["keyring", "trust"]] {
        machine.record.clear()
        #expect(await machine.run(words) == 6, "\(words): \(machine.record.err)")
        let told = machine.record.err.joined() + machine.record.out
        #expect(told.contains("--code"), "\(words): \(told)")
      }
    }
  }

  @Test("A change of the key, a removal and an approval are told of in words and in JSON")
  func told() async {
    #expect(await run(["rekey"]) == 0)
    #expect(machine.record.err == ["acct: the shared keyring has a new key"])
    #expect(await run(["remove", "laptop"]) == 0)
    #expect(machine.record.err == ["acct: removed laptop from the shared keyring, which has a new key"])
    #expect(await run(["approve", "aaaa-bbbb-cccc-dddd"]) == 0)
    #expect(machine.record.err == ["acct: laptop shares the keyring now"])
    let damaged = Rekeyed(objects: 3, removed: "laptop", damaged: [Self.id])
    #expect(await run(["rekey", "--json"], .success(damaged)) == 0)
    #expect(machine.record.json == ["version": 1, "objects": 3, "damaged": [.string("\(Self.id)")], "dropped": []])
    #expect(await run(["remove", "laptop", "--json"]) == 0)
    #expect(machine.record.json == ["version": 1, "removed": "laptop", "objects": 3, "damaged": [], "dropped": []])
    #expect(await run(["approve", "aaaa-bbbb-cccc-dddd", "--json"]) == 0)
    #expect(machine.record.json == ["version": 1, "approved": "laptop"])
    #expect(await run(["remove", "laptop", "--quiet"]) == 0)
    #expect(machine.record.out.isEmpty && machine.record.err.isEmpty)
  }

  /// Runs a command whose change of the key succeeds once each unknown means is named; returns what was named.
  private func answering(_ answers: [String], _ words: [String]) async -> (status: Int32, changes: [Rekeying]) {
    let changes = Mutex<[Rekeying]>([])
    var world = machine.world
    let left = Mutex(answers)
    world.terminal.canAsk = { !answers.isEmpty }
    world.terminal.ask = { _ in left.withLock { $0.isEmpty ? nil : $0.removeFirst() } }
    let build = SharedMeans(
      id: String(repeating: "cd", count: 16),
      kind: .machine,
      name: "bu\u{456}ld",
      addedBy: "laptop"
    )
    var sharing = machine.sharing
    sharing.membership.rekey = { change, _ throws(SharedMembershipFailure) in
      changes.withLock { $0.append(change) }
      guard change.keeping.count + change.dropping.count == 2 else {
        throw .unknownMeans([Self.unknown, build], removing: change.removing)
      }
      return Rekeyed(objects: 1, removed: change.removing, dropped: [Self.unknown])
    }
    machine.record.clear()
    let status = await machine.run(["keyring"] + words, in: world, sharing)
    return (status, changes.withLock(\.self))
  }

  @Test("At a terminal each means that this machine does not know is asked about; without one the status is 4")
  func unknownMeans() async throws {
    for words in [["remove", "laptop"], ["rekey"]] {
      let asked = await answering(["n", "y"], words)
      #expect(asked.status == 0)
      #expect(asked.changes.last?.dropping == [Self.unknown.id])
      #expect(asked.changes.last?.keeping == [String(repeating: "cd", count: 16)])
      #expect(machine.record.err.contains("acct: no longer opens it: keyfile-2"))
      #expect(
        machine.record.err.contains { $0.contains("bu\\u{456}ld (a machine with a key of its own, added by laptop") }
      )
      let silent = await answering([], words)
      #expect(silent.status == 4 && silent.changes.count == 1)
      #expect(machine.record.err.joined().contains("keyfile-2, bu\\u{456}ld"))
      let named = await answering([], words + ["--keep", "keyfile-2", "--drop", "build"])
      #expect(named.status == 0 && named.changes.map(\.keeping) == [["keyfile-2"]])
    }
  }

  @Test("What opens the keyring is listed by machines, status and doctor, in words and in JSON")
  func listed() async throws {
    var sharing = machine.sharing
    var own = Self.unknown
    (own.name, own.isOwn, own.isKnown, own.knownHolders) = ("keyfile-1", true, true, ["desk"])
    (own.since, own.lastUsed) = (1_700_000_000, 1_700_000_060)
    let members = SharedMembers(
      machines: [
        SharedMachine(
          id: "1",
          name: "desk",
          version: "0.3",
          recipient: .keyFile,
          since: nil,
          lastSeen: nil,
          isThis: true
        )
      ],
      means: [own, Self.unknown],
      doubles: 1
    )
    sharing.membership.members = { _ throws(SharedMembershipFailure) in members }
    func told(_ words: String...) async -> (status: Int32, text: String) {
      machine.record.clear()
      let status = await machine.run(words, in: machine.world, sharing)
      return (status, machine.record.out + machine.record.err.joined())
    }
    let table = await told("keyring", "machines").text
    #expect(table.contains("keyfile-1") && table.contains("keyfile-2") && table.contains("unknown"))
    let means = try #require(
      await (told("keyring", "machines", "--json"), machine.record.json).1?.objectValue?["means"]?.arrayValue
    )
    #expect(means.first?.objectValue?["knownHolders"] == ["desk"])
    #expect(means.first?.objectValue?["since"] == "2023-11-14T22:13:20Z")
    #expect(means.map { $0.objectValue?["known"] } == [true, false])
    #expect(means.last?.objectValue?["addedBy"] == .null)
    #expect(await told("keyring", "status").text.contains("keyfile-2; see `acct keyring machines`"))
    _ = await told("keyring", "status", "--json")
    let shared = machine.record.json?.objectValue?["shared"]?.objectValue
    #expect(shared?["means"]?.arrayValue?.count == 2)
    let doctor = await told("doctor", "--offline").text
    #expect(doctor.contains("keyfile-2 (added by an unknown machine, no use is known)"))
    #expect(doctor.contains("1 entry twice"))
  }

  @Test("A removal that is made again says when the machine was removed, and that nothing has changed")
  func earlier() async {
    let again = Rekeyed(objects: 0, removed: "laptop", earlier: Self.removal)
    #expect(await run(["remove", "laptop"], .success(again)) == 0)
    #expect(machine.record.err == ["acct: laptop was removed by desk on 2027-01-15 already: the key stays"])
  }

  @Test("After a removal accounts that no renewal takes from the machine are named, also with --quiet, with status 4")
  func renewed() async throws {
    machine.record.secretFiles["token"] = "made-up"
    let add = ["add", "--token", "token", "--allow-origin", "https://api.example", "--name", "key"]
    #expect(await machine.run(add) == 0, "\(machine.record.err)")
    #expect(await machine.run(["keyring", "move", "etcd"]) == 0, "\(machine.record.err)")
    for quiet in [[], ["--quiet"]] {
      #expect(await run(["remove", "laptop", "--renew"] + quiet) == 4)
      #expect(machine.record.err.last == "acct: key needs a new token: `acct login key`")
    }
    #expect(await run(["remove", "laptop", "--renew", "--json"]) == 4)
    let accounts = machine.record.json?.objectValue?["accounts"]?.arrayValue
    #expect(accounts?.first?.objectValue?["needsPerson"] == true)
    #expect(accounts?.first?.objectValue?["result"] == "cannotRenew")
    // A timer's renewal of everything is content with a token that is good.
    #expect(await machine.acct("refresh", "--all", "--force") == 0)
  }
}
