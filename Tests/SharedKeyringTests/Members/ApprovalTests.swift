import AcctModel
import AcctPorts
import AcctTestSupport
import FleetPorts
import Secrets
import SharedKeyring
import Synchronization
import Testing

@Suite("Joining a shared keyring by a code")
struct ApprovalTests {
  let fleet: Fleet
  let member: TestMachine
  let newcomer: TestMachine

  init() throws {
    fleet = try Fleet()
    member = try fleet.machine("member")
    newcomer = TestMachine("newcomer", home: try fleet.folder.folder("newcomer"), engine: fleet.engine)
  }

  /// Lets the newcomer ask, and does something with its code while it waits.
  private func ask(_ action: @escaping @Sendable (String) -> Void) async throws {
    let code = Mutex("")
    newcomer.duringNextPause { action(code.withLock(\.self)) }
    try await newcomer.membership.request(Fleet.settings, nil, .forbidden) { text in code.withLock { $0 = text } }
  }

  private var requests: [String] { fleet.engine.objects.keys.filter { $0.hasPrefix("/acct/main/j/") } }

  /// How many items the newcomer's own keyring has.
  private var keptItems: Int { newcomer.own.items.values.map(\.count).reduce(0, +) }

  private func outcome(_ body: () throws -> String) -> SharedMembershipFailure? {
    do {
      _ = try body()
      return nil
    } catch {
      return error as? SharedMembershipFailure
    }
  }

  @Test("A machine that a member approves reads and writes the accounts, with a key in a keyring of its own")
  func approved() async throws {
    try member.accounts().store(Made.account(), .forbidden)
    let member = member
    let name = Mutex<String?>(nil)
    try await ask { code in
      let approved = try? member.membership.approve(code.uppercased(), .forbidden)
      name.withLock { $0 = approved }
    }
    #expect(name.withLock { $0 } == "newcomer")
    #expect(requests.isEmpty)
    #expect(try newcomer.accounts().fetch(Made.alice, .forbidden) == Made.record("alice"))
    try newcomer.accounts().store(Made.account(Made.bob, named: "bob"), .forbidden)
    #expect(try member.accounts().fetchAll(.forbidden).accounts == [Made.alice, Made.bob])
    let items = newcomer.own.items
    #expect(items.count == 1)
    #expect(newcomer.membership.ownItem() == items.keys.first)
    newcomer.own.lock()
    #expect(throws: KeyringFailure.self) { try newcomer.accounts().fetch(Made.alice, .forbidden) }
  }

  @Test("A wrong code, a used one, an old one and a request that was changed are each refused as such")
  func refused() async throws {
    let (member, fleet, newcomer) = (member, fleet, newcomer)
    #expect(outcome { try member.membership.approve("abcd", .forbidden) } == .notACode)
    #expect(outcome { try member.membership.approve("aaaa-bbbb-cccc-dddd", .forbidden) } == .unknownCode)
    let failures = Mutex<[SharedMembershipFailure?]>([])
    let used = Mutex("")
    try await ask { code in
      used.withLock { $0 = code }
      func attempt() {
        let failure: SharedMembershipFailure?
        do throws(SharedMembershipFailure) {
          _ = try member.membership.approve(code, .forbidden)
          failure = nil
        } catch {
          failure = error
        }
        failures.withLock { $0.append(failure) }
      }
      guard let place = fleet.engine.objects.keys.first(where: { $0.hasPrefix("/acct/main/j/") }),
        let request = fleet.engine.objects[place]
      else { return }
      var changed = request.bytes
      changed[changed.count - 20] ^= 1
      fleet.engine.put(changed, at: place)
      attempt()
      fleet.engine.put(request.bytes, at: place)
      member.advance(seconds: 601)
      attempt()
      member.advance(seconds: -601)
      attempt()
      attempt()
    }
    #expect(
      failures.withLock { $0 } == [
        .forgedRequest, .oldCode, nil, .usedCode(by: "member", machine: "newcomer"),
      ]
    )
    // The request is gone, and the code is known all the same.
    let code = used.withLock(\.self)
    #expect(
      outcome { try member.membership.approve(code, .forbidden) } == .usedCode(by: "member", machine: "newcomer")
    )
    #expect(newcomer.pauses == 1)
  }

  @Test("Of two approvals at once one counts, and the other says so")
  func twice() async throws {
    let (member, fleet) = (member, fleet)
    let other = try fleet.machine("other")
    let failures = Mutex<[SharedMembershipFailure?]>([])
    try await ask { code in
      fleet.engine.interruptNextSwap { _ in _ = try? other.membership.approve(code, .forbidden) }
      do throws(SharedMembershipFailure) { _ = try member.membership.approve(code, .forbidden) } catch {
        failures.withLock { $0.append(error) }
      }
    }
    #expect(failures.withLock { $0 } == [.usedCode(by: "other", machine: "newcomer")])
    #expect(try member.membership.machines(.forbidden).map(\.name) == ["newcomer"])
  }

  @Test("A machine that no member approves gives up after ten minutes, and leaves nothing behind")
  func alone() async throws {
    await #expect(throws: SharedMembershipFailure.notApproved) {
      try await newcomer.membership.request(Fleet.settings, nil, .forbidden) { _ in }
    }
    #expect(requests.isEmpty)
    #expect(keptItems == 0)
    #expect(try newcomer.vault().sharedKeyring.settings() == nil)
    #expect(newcomer.pauses == 600)
  }

  @Test("A machine that a signal ends while it waits takes its request back, and its code is good no more")
  func ended() async throws {
    let (member, newcomer) = (member, newcomer)
    let code = Mutex("")
    newcomer.duringNextPause { newcomer.signal() }
    await #expect(throws: SharedMembershipFailure.keyring(.cancelled)) {
      try await newcomer.membership.request(Fleet.settings, nil, .forbidden) { text in code.withLock { $0 = text } }
    }
    #expect(requests.isEmpty)
    #expect(keptItems == 0)
    #expect(outcome { try member.membership.approve(code.withLock(\.self), .forbidden) } == .unknownCode)
    #expect(newcomer.signal() == 0)
  }

  @Test("A request whose answer is lost, or that a signal finds on its way, is taken back, and no code is shown")
  func endedEarly() async throws {
    let newcomer = newcomer
    fleet.engine.befall(.unanswered)
    await #expect(throws: SharedMembershipFailure.keyring(.engine(.timedOut))) {
      try await newcomer.membership.request(Fleet.settings, nil, .forbidden) { code in Issue.record("\(code) is shown")
      }
    }
    #expect(requests.isEmpty)
    fleet.engine.interruptNextSwap { _ in newcomer.signal() }
    await #expect(throws: SharedMembershipFailure.keyring(.cancelled)) {
      try await newcomer.membership.request(Fleet.settings, nil, .forbidden) { code in Issue.record("\(code) is shown")
      }
    }
    #expect(requests.isEmpty)
    #expect(keptItems == 0)
  }

  @Test("A machine that is approved in the moment of the signal is a member, and goes on from there the next time")
  func approvedAtTheEnd() async throws {
    let (member, newcomer) = (member, newcomer)
    await #expect(throws: SharedMembershipFailure.keyring(.cancelled)) {
      try await ask { code in
        _ = try? member.membership.approve(code, .forbidden)
        newcomer.signal()
      }
    }
    #expect(requests.isEmpty)
    #expect(try newcomer.vault().sharedKeyring.settings() == nil)
    try await newcomer.membership.request(Fleet.settings, nil, .forbidden) { code in Issue.record("\(code) is shown") }
    #expect(try newcomer.vault().sharedKeyring.settings() == Fleet.settings)
    #expect(try member.membership.machines(.forbidden).map(\.name) == ["newcomer"])
  }

  @Test("Equal hosts get a number, and writers with the key file are listed beside members")
  func names() async throws {
    let member = member
    try await ask { code in _ = try? member.membership.approve(code, .forbidden) }
    let twin = TestMachine("newcomer", home: try fleet.folder.folder("twin"), engine: fleet.engine)
    let code = Mutex("")
    twin.duringNextPause { _ = try? member.membership.approve(code.withLock(\.self), .forbidden) }
    try await twin.membership.request(Fleet.settings, nil, .forbidden) { text in code.withLock { $0 = text } }
    try member.accounts().store(Made.account(), .forbidden)
    let machines = try twin.membership.machines(.forbidden)
    #expect(machines.map(\.name) == ["newcomer", "newcomer-2", "member"])
    #expect(machines.map(\.recipient) == [.machine, .machine, .keyFile])
    #expect(machines.map(\.isThis) == [false, true, false])
    #expect(machines.map(\.lastSeen) == [nil, nil, 1_800_000_000])
  }
}
