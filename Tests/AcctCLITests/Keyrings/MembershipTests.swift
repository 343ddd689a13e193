import AcctCLI
import AcctModel
import AcctPorts
import AcctTestSupport
import StrictJSON
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
    var world = machine.world
    world.sharedKeyring.membership.rekey = { _, _ throws(SharedMembershipFailure) in try outcome.get() }
    world.sharedKeyring.membership.approve = { _, _ throws(SharedMembershipFailure) in
      if case .failure(let failure) = outcome { throw failure }
      return "laptop"
    }
    machine.record.clear()
    return await Acct.run(["keyring"] + words, in: world, parsedBy: ParsedLines.parse)
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
    Row(failure: .tooManyPassphrases(4), status: 64, code: "tooManyPassphrases", next: "without --keep"),
    Row(failure: .stillWriting, status: 7, code: "stillWriting", next: "make the command again"),
    Row(failure: .laterVersion(id), status: 7, code: "laterVersion", next: "remove \(id) --local"),
    Row(failure: .thisMachine, status: 64, code: "thisMachine", next: "keyring leave"),
    Row(
      failure: .knowsSecret(.keyFile, machine: "laptop"),
      status: 64,
      code: "knowsSecret",
      next: "--new-key-file FILE, or --drop-shared"
    ),
    Row(failure: .tooMany, status: 1, code: "tooManyMachines", next: "keyring remove"),
    Row(
      failure: .keyring(.removedMachine(by: "desk", at: 1_800_000_000)),
      status: 6,
      code: "machineRemoved",
      next: "keyring join"
    ),
    Row(
      failure: .keyring(.locked(reason: "only machines that a member has approved open it", needsApproval: true)),
      status: 6,
      code: "keyringLocked",
      next: "with --code"
    ),
  ]

  private static let id = AccountID(random: InlineArray(repeating: 0xB0))

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
    let failure = KeyringFailure.locked(reason: "only machines that a member has approved open it", needsApproval: true)
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
    #expect(machine.record.json == ["version": 1, "objects": 3, "damaged": [.string("\(Self.id)")]])
    #expect(await run(["remove", "laptop", "--json"]) == 0)
    #expect(machine.record.json == ["version": 1, "removed": "laptop", "objects": 3, "damaged": []])
    #expect(await run(["approve", "aaaa-bbbb-cccc-dddd", "--json"]) == 0)
    #expect(machine.record.json == ["version": 1, "approved": "laptop"])
    #expect(await run(["remove", "laptop", "--quiet"]) == 0)
    #expect(machine.record.out.isEmpty && machine.record.err.isEmpty)
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
