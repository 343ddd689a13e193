import AcctCLI
import AcctModel
import AcctPorts
import AcctTestSupport
import StrictJSON
import Testing

@Suite("One state, said alike by list, status, keyring and doctor")
struct SameStateTests {
  @Test(
    "A key that its device does not have is to be signed in for again, and one whose device is away is unavailable",
    arguments: [
      (
        HardwareKeyFailure.foreign, "sign in again", "reauthRequired",
        "this key belongs to another TPM, or the TPM was cleared"
      ),
      (.gone, "sign in again", "reauthRequired", "the key is no longer in the TPM"),
      (.absent(reason: "made up"), "unavailable", "unavailable", "the TPM can't be reached: made up"),
      (.lockedOut, "locked", "locked", "the TPM is locked"),
    ]
  )
  func device(failure: HardwareKeyFailure, state: String, code: String, problem: String) async throws {
    let record = RecordedWorld()
    _ = record.serveDPoP()
    #expect(await record.signIn("--key", "tpm") == 0, "\(record.err)")
    record.tpm.fail(with: failure)
    #expect(await record.acct("list") == 0)
    #expect(record.out.contains("  \(state)  "), "\(record.out)")
    #expect(await record.acct("list", "--json") == 0)
    #expect(try JSON(parsing: Array(record.out.utf8))["accounts"]?.arrayValue?.first?["state"]?.stringValue == code)
    #expect(await record.acct("status") != 0)
    #expect(record.out.contains("state      \(state)\n"), "\(record.out)")
    #expect(record.out.contains("problem    \(problem)"), "\(record.out)")
    #expect(await record.acct("status", "--json") != 0)
    #expect(try JSON(parsing: Array(record.out.utf8))["account"]?["state"]?.stringValue == code)
    _ = await record.acct("doctor", "--offline")
    #expect(record.out.contains("alice@as.example: \(problem)"), "\(record.out)")
    record.tpm.fail(with: nil)
    #expect(await record.acct("list") == 0)
    #expect(record.out.contains("  valid  "), "\(record.out)")
  }

  @Test("A key that waits for its PIN alone is as its token is")
  func pin() async {
    let record = RecordedWorld()
    _ = record.serveDPoP()
    #expect(await record.signIn("--key", "tpm") == 0, "\(record.err)")
    record.tpm.fail(with: .noPIN(reason: "made up"))
    #expect(await record.acct("list") == 0)
    #expect(record.out.contains("  valid  "), "\(record.out)")
  }

  @Test("An engine that is away is named by each of them, and so is one that was restored from a backup")
  func engine() async {
    let machine = SharingMachine()
    await machine.shareAccounts(Handoffs.bearer())
    let lines = [["list"], ["status"], ["keyring"], ["doctor", "--offline"]]
    func expect(_ words: String, _ statuses: [Int32]) async {
      for (line, expected) in zip(lines, statuses) {
        machine.record.clear()
        #expect(await machine.run(line) == expected, "\(line)")
        let said = ([machine.record.out] + machine.record.err).joined(separator: "\n")
        #expect(said.contains(words), "\(line): \(said)")
      }
    }
    machine.engine.fail(with: .engine(.unavailable(reason: "made up")))
    await expect("etcd can't be reached: made up", [0, 7, 7, 7])
    machine.engine.fail(with: nil)
    machine.engine.rollBack()
    // The token on this machine is still good, and a header can be printed.
    await expect("the shared keyring was restored from a backup: nothing is renewed or changed", [0, 0, 7, 7])
  }
}
