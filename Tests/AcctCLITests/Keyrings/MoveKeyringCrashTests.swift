import AcctModel
import AcctPorts
import AcctTestSupport
import Testing

/// A move whose process dies, or whose keyrings fail, at one of its steps.
@Suite("A move between keyrings that is interrupted")
struct MoveKeyringCrashTests {
  /// More steps than a move has.
  private static let limit = 80

  /// Where accounts are moved from and to.
  enum Way: CaseIterable { case toShared, fromShared, removed, local }

  /// A machine with two accounts, and the command that moves them.
  private func machine(_ way: Way) async -> (SharingMachine, [String], target: String) {
    let machine = SharingMachine()
    await machine.keep(Handoffs.bearer("alice"), Handoffs.bearer())
    await machine.share()
    if way == .fromShared || way == .removed {
      #expect(await machine.acct("keyring", "move", "etcd") == 0)
    }
    let command = ["keyring", "move"]
    return switch way {
    case .toShared: (machine, command + ["etcd"], "etcd\n")
    case .fromShared: (machine, command + ["vault"], "vault\n")
    case .removed: (machine, command + ["vault", "--remove"], "vault\n")
    case .local: (machine, command + ["secret-service"], "secret-service\n")
    }
  }

  private func expectUsable(_ machine: SharingMachine, _ step: Int) async {
    #expect(await machine.token("bob") == "opaque-bob", "\(step): \(machine.record.err)")
    #expect(await machine.token("alice") == "opaque-alice", "\(step)")
    #expect(machine.record.accountFiles == 2, "\(step)")
  }

  private func expectMoved(_ machine: SharingMachine, _ way: Way, _ target: String) async {
    #expect(machine.decision == target)
    await expectUsable(machine, -1)
    let inVault = machine.vault.items.count
    let desktop = machine.record.keyring.items.count
    switch way {
    case .toShared: #expect((inVault, desktop, machine.engine.accounts.count) == (0, 0, 2))
    case .fromShared: #expect((inVault, desktop, machine.engine.accounts.count) == (2, 0, 2))
    case .removed: #expect((inVault, desktop, machine.engine.accounts.count) == (2, 0, 0))
    case .local: #expect((inVault, desktop, machine.engine.accounts.count) == (0, 2, 0))
    }
  }

  @Test(
    "A move that dies leaves all accounts in the source or in the target, and can be made again",
    arguments: Way.allCases
  )
  func everyWrite(way: Way) async {
    var seen: Set<String> = []
    for writes in 0..<Self.limit {
      let (machine, command, target) = await machine(way)
      machine.record.lifeline.die(afterWrites: writes)
      let status = await machine.run(command)
      let isOver = machine.record.lifeline.isAlive
      machine.record.lifeline.revive()
      await expectUsable(machine, writes)
      seen.insert(machine.decision ?? "")
      #expect(await machine.run(command) == 0, "after \(writes) writes: \(machine.record.err)")
      await expectMoved(machine, way, target)
      guard !isOver else {
        #expect(status == 0)
        // The copies, and then the removals, if there are any.
        #expect(seen.count == (way == .fromShared ? 3 : 4), "\(seen)")
        return
      }
    }
    Issue.record("it never came to an end")
  }

  @Test("An engine that fails at any step leaves the accounts in the source, and nothing of them there")
  func everyFailure() async {
    for calls in 0..<Self.limit {
      let (machine, command, target) = await machine(.toShared)
      machine.engine.fail(with: .engine(.timedOut), after: calls)
      let status = await machine.run(command)
      let isOver = !machine.engine.hasFailed
      let wasDecided = machine.decision == target
      machine.engine.fail(with: nil)
      await expectUsable(machine, calls)
      if !isOver && !wasDecided {
        #expect(status == 7)
        // What could not be taken back while the engine was away is noted.
        #expect(
          machine.decision == "vault\n" && machine.engine.accounts.isEmpty
            || machine.decision?.hasPrefix("vault\nto etcd\n") == true,
          "\(calls)"
        )
      }
      #expect(await machine.run(command) == 0, "after \(calls) calls")
      await expectMoved(machine, .toShared, target)
      guard !isOver else { return }
    }
    Issue.record("it never came to an end")
  }

  @Test("An engine that fails for a moment gets nothing of a move, and says so")
  func takenBack() async throws {
    let (machine, command, _) = await machine(.toShared)
    machine.engine.forget()
    #expect(await machine.run(command) == 7)
    #expect(
      machine.record.err.contains("acct: the other keyring did not keep alice.example.com as it was written")
    )
    await expectUsable(machine, 0)
  }

  @Test("A vault that fails in mid-move holds nothing of the accounts then")
  func vaultFails() async {
    let (machine, command, _) = await machine(.fromShared)
    machine.vault.failWrites(after: 3, with: .failed(reason: "no space left on device"))
    #expect(await machine.run(command) == 1)
    #expect(machine.vault.count == 0)
    #expect(machine.decision == "etcd\n")
    await expectUsable(machine, 0)
  }

  @Test("A source that can't remove its items is named, and the next move removes them")
  func notRemoved() async {
    let (machine, command, target) = await machine(.toShared)
    machine.vault.failRemovals(with: .locked())
    #expect(await machine.run(command) == 6)
    #expect(
      machine.record.err.contains("acct: the accounts are in etcd now, and some are in vault, too: the vault is locked")
    )
    #expect(machine.decision == "etcd\nfrom vault\n")
    machine.vault.failRemovals(with: nil)
    #expect(await machine.run(command) == 0)
    await expectMoved(machine, .toShared, target)
  }
}
