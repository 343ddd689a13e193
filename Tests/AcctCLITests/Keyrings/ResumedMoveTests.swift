import AcctModel
import Secrets
import AcctPorts
import AcctTestSupport
import Testing

/// The times in the accounts are those of two machines' clocks, and each may be wrong.
@Suite("A move to a shared keyring that is resumed")
struct ResumedMoveTests {
  private static let limit = 40
  private static let first = "2027-01-15T08:10:00Z"
  private static let late = "2029-01-01T00:00:00Z"
  private static let early = "2020-01-01T00:00:00Z"

  /// A machine whose move was interrupted after the copy of its account.
  private func interrupted() async throws -> (machine: SharingMachine, id: AccountID) {
    for writes in 0..<Self.limit {
      let machine = SharingMachine()
      await machine.keep(Handoffs.bearer())
      await machine.share()
      let id = try machine.onlyAccount()
      try confirm(id, at: Self.first, on: machine)
      machine.record.lifeline.die(afterWrites: writes)
      _ = await machine.acct("keyring", "move", "etcd")
      machine.record.lifeline.revive()
      if machine.decision?.hasPrefix("vault\nto etcd\n") == true, !machine.engine.accounts.isEmpty {
        return (machine, id)
      }
    }
    throw Missing()
  }

  private struct Missing: Error {}

  /// Notes in an account's file when its server has confirmed it.
  private func confirm(_ id: AccountID, at time: String, on machine: SharingMachine) throws {
    let file = try #require(machine.record.file(.account(id)))
    machine.record.corrupt(.account(id), with: Self.confirmed(file, at: time))
  }

  private static func confirmed(_ record: String, at time: String) -> String {
    ["null", #""\#(first)""#, #""\#(early)""#].reduce(record) { record, known in
      record.replacing(#""validatedAt":\#(known)"#, with: #""validatedAt":"\#(time)""#)
    }
  }

  /// Has another machine renew the copy.
  private func renewThere(_ id: AccountID, at time: String, on machine: SharingMachine) throws {
    var stored = try #require(machine.engine.accounts[id])
    let record = Self.confirmed(String(decoding: stored.record, as: UTF8.self), at: time)
    #expect(Array(record.utf8) != stored.record)
    stored.record = Array(record.utf8)
    stored.items[.accessToken] = Secret("theirs")
    machine.engine.put(stored, as: id)
  }

  /// Has this machine renew the account, which is still in the vault.
  private func renewHere(
    _ id: AccountID,
    as token: String = "ours",
    at time: String,
    on machine: SharingMachine
  ) async throws {
    try confirm(id, at: time, on: machine)
    try await machine.vault.keyring(as: .vault).write(id, [.init(.accessToken, Secret(token))], .forbidden)
  }

  @Test(
    "An account that another machine has renewed stays as it is there, whatever its clock says",
    arguments: [early, late]
  )
  func renewedElsewhere(time: String) async throws {
    let (machine, id) = try await interrupted()
    try renewThere(id, at: time, on: machine)
    #expect(await machine.acct("keyring", "move", "etcd") == 0, "\(machine.record.err)")
    #expect(machine.engine.accounts[id]?.items[.accessToken] == Secret("theirs"))
    #expect(await machine.token("bob") == "theirs")
    #expect(machine.decision == "etcd\n")
  }

  @Test("An account that this machine has renewed is copied again, whatever its clock says", arguments: [early, late])
  func renewedHere(time: String) async throws {
    let (machine, id) = try await interrupted()
    try await renewHere(id, at: time, on: machine)
    #expect(await machine.acct("keyring", "move", "etcd") == 0, "\(machine.record.err)")
    #expect(machine.engine.accounts[id]?.items[.accessToken] == Secret("ours"))
    #expect(await machine.token("bob") == "ours")
  }

  @Test("An account that this machine has renewed is copied however often the move is interrupted")
  func interruptedTwice() async throws {
    for writes in 0..<Self.limit {
      let (machine, id) = try await interrupted()
      try await renewHere(id, at: Self.early, on: machine)
      machine.record.lifeline.die(afterWrites: writes)
      _ = await machine.acct("keyring", "move", "etcd")
      let isOver = machine.record.lifeline.isAlive
      machine.record.lifeline.revive()
      // Renewed once more, wherever the second attempt has ended.
      let isHere = machine.decision?.hasPrefix("vault\n") == true
      if isHere { try await renewHere(id, as: "latest", at: Self.late, on: machine) }
      #expect(
        await machine.acct("keyring", "move", "etcd") == 0,
        "\(writes): \(machine.record.err)"
      )
      let token = await machine.token("bob")
      #expect(token == (isHere ? "latest" : "ours"), "\(writes)")
      #expect(machine.decision == "etcd\n")
      if isOver { return }
    }
    Issue.record("it never came to an end")
  }

  @Test("A copy that was found there before the move, and is written over, is not another machine's")
  func foundBefore() async throws {
    for writes in 0..<Self.limit {
      let machine = SharingMachine()
      await machine.keep(Handoffs.bearer())
      await machine.share()
      let id = try machine.onlyAccount()
      let record = try #require(machine.record.file(.account(id)))
      machine.engine.put(
        .init(
          name: try AccountName("bob.example.com"),
          record: Array(Self.confirmed(record, at: Self.early).utf8),
          items: [.accessToken: Secret("spent")]
        ),
        as: id
      )
      try await renewHere(id, at: Self.first, on: machine)
      machine.record.lifeline.die(afterWrites: writes)
      _ = await machine.acct("keyring", "move", "etcd")
      let isOver = machine.record.lifeline.isAlive
      machine.record.lifeline.revive()
      #expect(
        await machine.acct("keyring", "move", "etcd") == 0,
        "\(writes): \(machine.record.err)"
      )
      #expect(await machine.token("bob") == "ours", "\(writes)")
      if isOver { return }
    }
    Issue.record("it never came to an end")
  }
}
