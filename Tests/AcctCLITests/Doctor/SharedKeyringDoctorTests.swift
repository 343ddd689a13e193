import AcctCLI
import AcctModel
import AcctPorts
import AcctTestSupport
import FleetPorts
import StrictJSON
import Testing

@Suite("acct doctor, about a keyring that several machines share")
struct SharedKeyringDoctorTests {
  let machine = SharingMachine()

  /// The lines that are not ok, and the exit status.
  private func diagnose() async -> (status: Int32, lines: [String]) {
    let status = await machine.acct("doctor", "--offline", "--quiet")
    return (status, machine.record.out.split(separator: "\n").map(String.init))
  }

  private func shared() async { await machine.shareAccounts(Handoffs.bearer()) }

  @Test("The doctor says that the engine answers, and how many accounts it has")
  func sound() async {
    await shared()
    #expect(await machine.acct("doctor", "--offline") == 0)
    #expect(
      machine.record.out.contains("ok        the shared keyring answers, and has 1 account\n")
    )
  }

  @Test("The doctor reports an engine that was restored, with the way to accept it")
  func rolledBack() async {
    await shared()
    machine.engine.rollBack()
    let (status, lines) = await diagnose()
    #expect(status == 7)
    #expect(
      lines == [
        "problem   the shared keyring was restored from a backup: nothing is renewed or changed",
        "          fix: if the restored accounts are the ones to use, run `acct keyring trust`",
      ]
    )
  }

  @Test("The doctor names the accounts whose answers wait on this machine")
  func waiting() async throws {
    await shared()
    machine.engine.wait(for: [try machine.onlyAccount()])
    let (status, lines) = await diagnose()
    #expect(status == 0)
    #expect(
      lines.first == "warning   answers of servers for bob.example.com wait on this machine for the shared keyring"
    )
  }

  @Test("The doctor names accounts of which this machine has a copy and the engine nothing")
  func copiesAlone() async throws {
    await shared()
    let id = try machine.onlyAccount()
    var sharing = machine.sharing
    sharing.report = {
      .init(
        standing: .init(identifier: "cluster-1", revision: 3),
        isRolledBack: true,
        accounts: 0,
        pending: [],
        copiesAlone: [id]
      )
    }
    machine.record.clear()
    #expect(await machine.run(["doctor", "--offline", "--quiet"], in: machine.world, sharing) == 7)
    #expect(
      machine.record.out.contains(
        "warning   this machine has copies of bob.example.com, and the engine has no such accounts\n"
      ),
      "\(machine.record.out)"
    )
  }

  @Test("The doctor and the status name a change of the key that has begun and not ended; that is no error")
  func keyChange() async throws {
    await shared()
    var sharing = machine.sharing
    sharing.report = {
      .init(
        standing: .init(identifier: "cluster-1", revision: 3),
        isRolledBack: false,
        accounts: 1,
        pending: [],
        isChangingKey: true
      )
    }
    machine.record.clear()
    #expect(await machine.run(["doctor", "--offline", "--quiet"], in: machine.world, sharing) == 0)
    #expect(
      machine.record.out == """
        warning   a change of the shared keyring's key was begun and not ended
                  fix: `acct keyring rekey` ends it

        """
    )
    machine.record.clear()
    #expect(await machine.run(["doctor", "--offline", "--json"], in: machine.world, sharing) == 0)
    let findings = machine.record.json?.objectValue?["findings"]?.arrayValue?.compactMap(\.objectValue) ?? []
    #expect(findings.first { $0["code"] == "keyChangeInterrupted" }?["severity"] == "warning")
    machine.record.clear()
    #expect(await machine.run(["keyring", "status"], in: machine.world, sharing) == 0)
    #expect(machine.record.out.contains("a change was begun and not ended; `acct keyring rekey` ends it\n"))
    machine.record.clear()
    #expect(await machine.run(["keyring", "status", "--json"], in: machine.world, sharing) == 0)
    #expect(machine.record.json?.objectValue?["shared"]?.objectValue?["keyChanging"] == true)
  }

  @Test("The doctor reports an engine that is away with its own reason, once")
  func away() async {
    await shared()
    machine.engine.fail(with: .engine(.noQuorum))
    let (status, lines) = await diagnose()
    #expect(status == 7)
    #expect(lines.last { !$0.hasPrefix(" ") } == "problem   etcd has no leader that can write")
    #expect(lines.count { $0.hasPrefix("problem") } == 1)
  }

  @Test("The doctor reports a move that was interrupted, before and after its decision")
  func moves() async {
    await machine.keep(Handoffs.bearer())
    machine.record.corrupt(.keyringDecision, with: "vault\nto etcd\n")
    #expect(
      await diagnose().lines == [
        "warning   a move to etcd was interrupted; the accounts are in vault",
        "          fix: `acct keyring move etcd`",
      ]
    )
    machine.record.corrupt(.keyringDecision, with: "vault\nfrom secret-service\n")
    #expect(
      await diagnose().lines == [
        "warning   the accounts were moved to vault, and some are in secret-service, too",
        "          fix: `acct keyring move vault`",
      ]
    )
  }

  @Test("The doctor warns of a folder that other machines may use, and of one where nothing is renewed")
  func folders() async {
    let path = "/home/alice/.local/share/acct"
    machine.record.put(on: FileSystem(path: path, name: "nfs", reach: .network))
    #expect(
      await diagnose().lines == [
        "warning   \(path) is on nfs: a folder on sshfs or NFS is no shared keyring",
        "          fix: keep acct's files on this machine; acct-keyring(1) says how several machines use one account",
      ]
    )
    machine.record.put(on: FileSystem(path: path, name: "fuse.sshfs", reach: .program))
    #expect(
      await diagnose().lines.first
        == "warning   \(path) is on fuse.sshfs: a folder on sshfs or NFS is no shared keyring, and nothing is renewed there"
    )
    machine.record.put(on: FileSystem(path: path, name: "local", reach: .machine))
    #expect(await diagnose().lines.isEmpty)
  }
}
