import AcctPorts
import AcctTestSupport
import StrictJSON
import Testing

/// What people and scripts are told when a shared keyring fails.
@Suite("A shared keyring that fails")
struct SharedKeyringWordsTests {
  struct Row: CustomTestStringConvertible, Sendable {
    var failure: KeyringFailure
    var status: Int32
    var code: String
    var message: String
    var hint: String

    var testDescription: String { "\(failure)" }
  }

  static let rows = [
    Row(
      failure: .engine(.unavailable(reason: "connection refused")),
      status: 7,
      code: "keyringUnavailable",
      message: "etcd can't be reached: connection refused",
      hint: "check that it runs; `acct keyring` shows its address"
    ),
    Row(
      failure: .engine(.timedOut),
      status: 7,
      code: "keyringTimedOut",
      message: "etcd does not answer",
      hint: "check its load and the network; `acct keyring` shows its address"
    ),
    Row(
      failure: .engine(.noQuorum),
      status: 7,
      code: "keyringNoQuorum",
      message: "etcd has no leader that can write",
      hint: "start the members that are down; nothing was changed"
    ),
    Row(
      failure: .engine(.noSpace),
      status: 7,
      code: "keyringFull",
      message: "etcd accepts no more writes: its quota or its disk is full",
      hint: "free space on it, as in acct-engine(7)"
    ),
    Row(
      failure: .engine(.denied(reason: "permission denied")),
      status: 7,
      code: "keyringDenied",
      message: "etcd denies access: permission denied",
      hint: "check the password file or the certificate, and what the role may do: acct-engine(7)"
    ),
    Row(
      failure: .engine(.readOnly(reason: "permission denied")),
      status: 7,
      code: "keyringReadOnly",
      message: "etcd lets this machine only read the shared keyring: permission denied",
      hint:
        "run the command on a machine that may write it, such as `acct refresh` for a renewal, or give this one's role "
        + "the grants of a member: acct-engine(7)"
    ),
    Row(
      failure: .engine(.untrusted(reason: "unknown authority")),
      status: 7,
      code: "keyringUntrusted",
      message: "etcd has a certificate that is not trusted: unknown authority",
      hint: "`acct keyring join` again, with the right host and --ca FILE"
    ),
    Row(
      failure: .engine(.notPrepared(reason: "there is no keyring main")),
      status: 7,
      code: "keyringNotPrepared",
      message: "etcd is not prepared: there is no keyring main",
      hint: "run `acct keyring create`, or see acct-engine(7)"
    ),
    Row(
      failure: .engine(.failed(reason: "internal error")),
      status: 7,
      code: "keyringFailed",
      message: "etcd failed: internal error",
      hint: "its log has the details"
    ),
    Row(
      failure: .rolledBack,
      status: 7,
      code: "keyringRolledBack",
      message: "the shared keyring was restored from a backup: nothing is renewed or changed",
      hint: "if the restored accounts are the ones to use, run `acct keyring trust`"
    ),
    Row(
      failure: .notJoined,
      status: 7,
      code: "keyringNotJoined",
      message: "this machine shares no keyring",
      hint: "run `acct keyring create` or `acct keyring join`"
    ),
    Row(
      failure: .locked(reason: "the passphrase is wrong"),
      status: 6,
      code: "keyringLocked",
      message: "the shared keyring is locked: the passphrase is wrong",
      hint: "run `acct keyring unlock`, or set ACCT_VAULT_KEY_FILE or ACCT_VAULT_PASSPHRASE_FILE"
    ),
    Row(
      failure: .answerWaits,
      status: 7,
      code: "answerWaits",
      message:
        "a server's answer is still to be stored on the shared keyring, and waits on this machine",
      hint: "the next call that reaches the engine stores it: run `acct refresh`"
    ),
  ]

  @Test("Each failure of an engine has a status, a message and one hint", arguments: rows)
  func words(row: Row) async throws {
    let machine = SharingMachine()
    await machine.shareAccounts(Handoffs.bearer())
    machine.engine.fail(with: row.failure)
    #expect(await machine.acct("keyring", "trust", "--json") == row.status)
    let error = try JSON(parsing: Array(machine.record.err.joined().utf8)).objectValue?["error"]
    #expect(
      error == [
        "code": .string(row.code), "message": .string(row.message), "hint": .string(row.hint),
        "exit": .number(JSONNumber(Int64(row.status))),
      ]
    )
  }

  @Test("The words for PostgreSQL name it, and its option for the authority")
  func postgres() async {
    let machine = SharingMachine()
    #expect(await machine.acct("keyring", "create", "postgres", "host=db.example") == 0)
    machine.engine.fail(with: .engine(.untrusted(reason: "another host's name")))
    #expect(await machine.acct("keyring", "trust") == 7)
    #expect(
      machine.record.err == [
        "acct: PostgreSQL has a certificate that is not trusted: another host's name",
        "acct: hint: `acct keyring join` again, with the right host and --ca FILE",
      ]
    )
  }
}
