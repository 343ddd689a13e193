import AcctModel
import Secrets
import AcctPorts
import AcctTestSupport
import Testing

@Suite("Renewal of an account that machines share")
struct SharedRenewalTests {
  let fleet = Fleet()

  @Test("Two machines with one due token make one request, and the second prints the first's token")
  func oneAfterTheOther() async {
    await fleet.addAccount(left: 60, Fleet.renewed(2))
    #expect(await fleet.first.acct("token") == 0, "\(fleet.first.err)")
    #expect(fleet.first.out == "new2\n")
    #expect(await fleet.second.acct("token") == 0, "\(fleet.second.err)")
    #expect(fleet.second.out == "new2\n")
    #expect(fleet.second.err.isEmpty)
    #expect(fleet.spent == ["r1"])
  }

  @Test("What two machines did with an account stands in one history, which both show")
  func history() async {
    fleet.first.set("HOSTNAME", to: "one")
    fleet.second.set("HOSTNAME", to: "two")
    await fleet.addAccount(left: 60, Fleet.renewed(2))
    #expect(await fleet.second.acct("token") == 0, "\(fleet.second.err)")
    #expect(await fleet.first.acct("log") == 0, "\(fleet.first.err)")
    let shown = fleet.first.out
    #expect(shown.contains("added    one"), "\(shown)")
    #expect(shown.contains("renewed  two"), "\(shown)")
    #expect(await fleet.second.acct("log") == 0)
    // The use is the second machine's own.
    let lines = fleet.second.out.split(separator: "\n").filter { !$0.contains("  used  ") }
    #expect(lines.joined(separator: "\n") + "\n" == shown)
    #expect(fleet.spent == ["r1"])
  }

  @Test("A removal stands in the log of every machine, by the name of the account that is gone")
  func removal() async {
    fleet.first.set("HOSTNAME", to: "one")
    fleet.second.set("HOSTNAME", to: "two")
    await fleet.addAccount(left: 60)
    #expect(await fleet.second.acct("list") == 0)
    #expect(await fleet.first.acct("remove", "--local", "bob.example.com") == 0, "\(fleet.first.err)")
    for machine in [fleet.first, fleet.second] {
      for words in [["log"], ["log", "bob.example.com"]] {
        machine.clear()
        #expect(await machine.run(words) == 0, "\(machine.err)")
        #expect(machine.out.contains("bob.example.com  removed  one"), "\(machine.out)")
      }
      #expect(await machine.acct("log", "alice.example.com") == 5)
    }
  }

  @Test("Two machines that find one token due at the same time make one request")
  func atOnce() async {
    await fleet.addAccount(left: -1, Fleet.renewed(2), Fleet.renewed(3))
    await withTaskGroup { group in
      for machine in [fleet.first, fleet.second] {
        group.addTask { #expect(await machine.acct("token") == 0, "\(machine.err)") }
      }
    }
    #expect(fleet.first.out == "new2\n")
    #expect(fleet.second.out == "new2\n")
    #expect(fleet.spent == ["r1"])
  }

  @Test("A renewal stores tokens and account in one step, and leaves neither note nor claim")
  func oneStep() async {
    await fleet.addAccount(left: 60, Fleet.renewed(2))
    #expect(await fleet.first.acct("token") == 0)
    #expect(fleet.engine.calls == ["fetch", "claim", "store"])
    #expect(fleet.stored(.refreshToken) == "r2")
    #expect(fleet.record.contains(#""renewalStartedAt":null"#))
    #expect(fleet.engine.accounts.values.allSatisfy { $0.owner == nil })
    #expect(fleet.first.filesText.contains(fleet.record))
  }

  @Test("A claim carries the note that a renewal is in flight, which the other machine can tell of")
  func note() async {
    await fleet.addAccount(left: -1, .failure(.closed), .success(.json(#"{"error":"invalid_grant"}"#, 400)))
    #expect(await fleet.first.acct("token") == 10)
    #expect(!fleet.record.contains(#""renewalStartedAt":null"#))
    #expect(await fleet.second.acct("token") == 4)
    #expect(fleet.second.err.first?.contains("interrupted") == true, "\(fleet.second.err)")
    #expect(await fleet.first.acct("list") == 0)
    #expect(await fleet.first.acct("token") == 4)
    #expect(fleet.spent == ["r1", "r1"])
  }

  @Test("A valid token is printed without a word to the engine, also while that is away")
  func valid() async {
    await fleet.addAccount(left: 900)
    fleet.engine.fail(with: .unavailable(reason: "a test said so"))
    #expect(await fleet.second.acct("token") == 0)
    #expect(fleet.second.out == "opaque-bob\n")
    #expect(fleet.second.err.isEmpty)
    #expect(fleet.engine.calls.isEmpty)
  }

  @Test("An expired token whose engine is away is an error, and nothing is sent")
  func away() async {
    await fleet.addAccount(left: -1, Fleet.renewed(2))
    fleet.engine.fail(with: .noQuorum)
    #expect(await fleet.first.acct("token") == 7)
    #expect(fleet.first.out.isEmpty)
    #expect(fleet.spent.isEmpty)
  }

  @Test("A rejected token gives way to the one that another machine has renewed")
  func refused() async {
    await fleet.addAccount(left: 900, Fleet.renewed(2))
    #expect(await fleet.first.acct("refresh", "--force") == 0, "\(fleet.first.err)")
    #expect(await fleet.second.acct("request", "\(FakeIssuer.issuer)/things") == 0)
    #expect(fleet.spent == ["r1"])
  }

  @Test("A forced renewal on a machine that is behind takes the newer tokens over, and sends a request with them")
  func forcedBehind() async {
    await fleet.addAccount(left: 900, Fleet.renewed(2), Fleet.renewed(3), Fleet.renewed(4))
    fleet.pass(1)
    #expect(await fleet.first.acct("refresh", "--force") == 0, "\(fleet.first.err)")
    fleet.pass(1)
    #expect(await fleet.second.acct("refresh", "--force") == 0, "\(fleet.second.err)")
    #expect(fleet.spent == ["r1", "r2"])
    fleet.pass(1)
    #expect(await fleet.first.acct("refresh", "--all", "--force") == 0, "\(fleet.first.err)")
    #expect(fleet.spent == ["r1", "r2", "r3"])
    #expect(fleet.stored(.refreshToken) == "r4")
  }

  @Test("A forced renewal that another machine has made since the command began is not made twice")
  func forcedAtOnce() async {
    await fleet.addAccount(left: 900, Fleet.renewed(2))
    fleet.engine.interruptNext("claim") { [engine = fleet.engine] in
      engine.change { stored in
        stored.items[.refreshToken] = Secret("r9")
        stored.items[.accessToken] = Secret("new9")
        stored.items[.expiresAt] = Secret("2027-01-15T09:45:00Z")
      }
    }
    #expect(await fleet.first.acct("refresh", "--force") == 0, "\(fleet.first.err)")
    #expect(fleet.spent.isEmpty)
    #expect(await fleet.first.acct("token") == 0)
    #expect(fleet.first.out == "new9\n")
  }

  @Test("An answer that the engine does not take is kept, nothing is printed, and the next command stores it")
  func pending() async {
    await fleet.addAccount(left: 60, Fleet.renewed(2))
    fleet.engine.interruptNext("store") { [engine = fleet.engine] in
      engine.fail(with: .unavailable(reason: "a test said so"))
    }
    let began = fleet.first.now
    #expect(await fleet.first.acct("token", "--no-input") == 7)
    #expect(fleet.first.out.isEmpty)
    #expect(fleet.first.now - began == 10)
    #expect(fleet.firstKeyring.hasPending)
    #expect(await fleet.second.acct("token", "--no-input") == 0)
    #expect(fleet.second.out == "opaque-bob\n")
    fleet.engine.fail(with: nil)
    #expect(await fleet.first.acct("token") == 0, "\(fleet.first.err)")
    #expect(fleet.first.out == "new2\n")
    #expect(await fleet.second.acct("token") == 0, "\(fleet.second.err)")
    #expect(fleet.second.out == "new2\n")
    #expect(fleet.spent == ["r1"])
  }

  @Test("An engine that comes back while it is waited for gets the answer")
  func patience() async {
    await fleet.addAccount(left: 60, Fleet.renewed(2))
    fleet.engine.interruptNext("store") { [engine = fleet.engine] in
      engine.fail(with: .timedOut)
      engine.interruptNext("store") { engine.interruptNext("store") { engine.fail(with: nil) } }
    }
    #expect(await fleet.first.acct("token", "--no-input") == 0, "\(fleet.first.err)")
    #expect(fleet.first.out == "new2\n")
    #expect(!fleet.firstKeyring.hasPending)
  }

  @Test("A request whose time has passed when the connection is there is not sent; the next one is")
  func withheld() async {
    await fleet.addAccount(left: -1, Fleet.renewed(2))
    fleet.firstKeyring.closeWindow(after: 1, for: 1)
    #expect(await fleet.first.acct("token") == 0, "\(fleet.first.err)")
    #expect(fleet.first.out == "new2\n")
    #expect(fleet.spent == ["r1"])
    #expect(fleet.engine.calls.count { $0 == "claim" } == 2)
  }

  @Test("A request that is late again and again is an error, and the account stays as it was")
  func alwaysLate() async {
    await fleet.addAccount(left: -1, Fleet.renewed(2))
    fleet.firstKeyring.closeWindow(after: 0, for: 1000)
    #expect(await fleet.first.acct("token") == 10)
    #expect(fleet.spent.isEmpty)
    #expect(fleet.record.contains(#""renewalStartedAt":null"#))
    #expect(fleet.engine.accounts.values.allSatisfy { $0.owner == nil })
    #expect(await fleet.second.acct("token") == 0)
    #expect(fleet.second.out == "new2\n")
  }

  @Test("A claim that another machine forestalls leads to another look, and its token is used")
  func forestalled() async {
    await fleet.addAccount(left: 60)
    fleet.engine.interruptNext("claim") { renewElsewhere() }
    #expect(await fleet.first.acct("token") == 0, "\(fleet.first.err)")
    #expect(fleet.first.out == "elsewhere\n")
    #expect(fleet.spent.isEmpty)
  }

  @Test("An answer that came after another machine took over and stored its own is dropped for that")
  func superseded() async {
    await fleet.addAccount(left: 60, Fleet.renewed(2))
    fleet.engine.interruptNext("store") { renewElsewhere() }
    #expect(await fleet.first.acct("token") == 0, "\(fleet.first.err)")
    #expect(fleet.first.out == "elsewhere\n")
    #expect(fleet.stored(.refreshToken) == "r9")
  }

  /// Stores what another machine got, without a claim.
  private func renewElsewhere() {
    let end = Timestamp(clamped: fleet.first.now + 3600).description
    fleet.engine.change { stored in
      stored.items[.refreshToken] = Secret("r9")
      stored.items[.accessToken] = Secret("elsewhere")
      stored.items[.expiresAt] = Secret(end)
    }
  }

  @Test("An answer that came after the claim's time is stored if no other machine has spent the token")
  func overdue() async {
    await fleet.addAccount(left: 60, Fleet.renewed(2))
    fleet.engine.interruptNext("store") { [engine = fleet.engine] in
      engine.expireClaims()
      engine.change { _ in }
    }
    #expect(await fleet.first.acct("token") == 0, "\(fleet.first.err)")
    #expect(fleet.first.out == "new2\n")
    #expect(fleet.stored(.refreshToken) == "r2")
  }

  @Test("A machine that waits for another's renewal takes over when its time has passed")
  func takesOver() async {
    await fleet.addAccount(left: -1, Fleet.renewed(2))
    fleet.engine.change { $0.owner = "a third machine" }
    let fleet = fleet
    await withTaskGroup { group in
      group.addTask { #expect(await fleet.first.acct("token") == 0, "\(fleet.first.err)") }
      while !fleet.engine.calls.contains("claim") { await Task.yield() }
      #expect(fleet.spent.isEmpty)
      fleet.engine.expireClaims()
    }
    #expect(fleet.first.out == "new2\n")
  }

  @Test("A second token is stored with the account in one step, and the other machine uses it")
  func secondToken() async {
    let second = HTTPResponse.json(
      #"{"access_token":"second","token_type":"Bearer","expires_in":3600,"refresh_token":"r2"}"#
    )
    await fleet.addAccount(left: 900, .success(second))
    #expect(await fleet.first.acct("token", "--audience", "https://other.example") == 0)
    #expect(fleet.first.out == "second\n")
    #expect(fleet.engine.calls == ["fetch", "claim", "store"])
    #expect(await fleet.second.acct("refresh") == 0)
    #expect(await fleet.second.acct("list") == 0)
    #expect(await fleet.second.acct("token", "--audience", "https://other.example") == 0)
    #expect(fleet.second.out == "second\n")
    #expect(fleet.spent == ["r1"])
  }

  @Test("A failure of the engine that repeats a token shows none of it")
  func redacted() async {
    await fleet.addAccount(left: -1, Fleet.renewed(2))
    fleet.engine.interruptNext("store") { [engine = fleet.engine] in
      engine.fail(with: .failed(reason: "it got new2"))
    }
    #expect(await fleet.first.acct("token", "--no-input") == 7)
    let said = fleet.first.err.joined()
    #expect(said.contains("it got"), "\(said)")
    #expect(!said.contains("new2"))
  }

  @Test("The option --verbose names the calls to the engine, and no secret")
  func verbose() async {
    await fleet.addAccount(left: 60, Fleet.renewed(2))
    #expect(await fleet.first.acct("token", "--verbose") == 0)
    let said = fleet.first.err.joined(separator: "\n")
    #expect(said.contains("etcd: fetch ") && said.contains("etcd: claim "))
    #expect(said.contains("etcd: store ") && said.contains(".refreshToken"))
    #expect(!said.contains("new2"))
  }
}
