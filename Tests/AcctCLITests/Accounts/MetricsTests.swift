import AcctCLI
import AcctModel
import AcctPorts
import AcctTestSupport
import StrictJSON
import Synchronization
import Testing

@Suite("acct metrics")
struct MetricsTests {
  let record = RecordedWorld()

  private func addAccount(_ answers: HTTPResponse...) async {
    #expect(await record.add(Handoffs.bearer(changing: ["refresh_token": "r1", "clientId": "client"])) == 0)
    let queue = Mutex(answers)
    let issuer = FakeIssuer()
    record.serve { request throws(HTTPFailure) in
      guard request.url.path == "/token" else { return try issuer.respond(request) }
      return queue.withLock { $0.isEmpty ? .json("{}", 500) : $0.removeFirst() }
    }
  }

  /// The samples, without their help and types, and without their user, which each of them has.
  private func samples(_ options: String...) async -> [String] {
    record.clear()
    #expect(await record.run(["metrics"] + options) == 0, "\(record.err)")
    let samples = record.out.split(separator: "\n").filter { !$0.hasPrefix("#") }
    let label = "user=\"0\"}"
    #expect(samples.allSatisfy { $0.contains(label) }, "\(samples)")
    return samples.map { String($0).replacing("{\(label)", with: "").replacing(",\(label)", with: "}") }
  }

  @Test("The samples of two users of a machine are told apart by their login names, anonymous ones by numbers")
  func users() async {
    await addAccount()
    var world = record.world()
    world.environment.user = { .init(id: 1000, name: "b\"ob") }
    for (options, user) in [([], "b\\\"ob"), (["--anonymous"], "1000")] {
      record.clear()
      #expect(await Acct.run(["metrics"] + options, in: world) == 0)
      #expect(record.out.contains("\nacct_accounts{user=\"\(user)\"} 1\n"), "\(record.out)")
      #expect(record.out.contains(",user=\"\(user)\"} 0\n"), "\(record.out)")
    }
  }

  @Test("With --output the same text is published under that name, and nothing is printed")
  func output() async {
    await addAccount()
    record.clear()
    #expect(await record.acct("metrics", "--output", "-") == 0)
    let text = record.out
    record.clear()
    #expect(await record.acct("metrics", "--output", "/shared/acct.prom") == 0)
    #expect(record.out.isEmpty)
    #expect(record.outputs == ["/shared/acct.prom": text])
    record.failPublishing(with: .unsafe(path: "/shared", reason: "it belongs to another user"))
    #expect(await record.acct("metrics", "--output", "/shared/acct.prom") == 1)
    #expect(record.err.first == "acct: /shared is not safe to write to: it belongs to another user")
    #expect(record.err.last?.contains("chmod +t") == true)
  }

  @Test("The metrics have each account's state and ends, the keyring, and the renewals of this machine")
  func all() async {
    await addAccount(RenewalTests.renewed, .json(#"{"error":"invalid_grant"}"#, 400))
    #expect(await record.acct("refresh", "--force") == 0, "\(record.err)")
    #expect(await record.acct("refresh", "--force") == 4)
    record.now += 60
    let now = record.now
    #expect(
      await samples() == [
        "acct_accounts 1", "acct_accounts_damaged 0",
        #"acct_account_state{account="bob.example.com",state="reauthRequired"} 1"#,
        #"acct_account_needs_sign_in{account="bob.example.com"} 1"#,
        #"acct_account_end_timestamp_seconds{account="bob.example.com",of="token"} \#(now + 3540)"#,
        #"acct_keyring_up{kind="secret-service"} 1"#, "acct_pending_answers 0", "acct_newest_sighting_age_seconds 60",
        "acct_renewals_total 1", "acct_renewal_failures_total 1",
      ]
    )
    #expect(record.out.hasSuffix("\n# EOF\n"))
  }

  @Test("Anonymous metrics have the accounts' random identifiers in place of their names")
  func anonymous() async throws {
    await addAccount()
    let id = try #require(record.keyring.items.keys.first)
    #expect(await samples("--anonymous").contains(#"acct_account_needs_sign_in{account="\#(id)"} 0"#))
    #expect(!record.out.contains("bob"))
    #expect(!record.out.contains("example"))
  }

  @Test("A quotation mark and a backslash in a name are escaped, with an accent on them, too")
  func quoted() async {
    await addAccount()
    #expect(await record.acct("rename", "bob.example.com", "a\"\u{301}\\\u{301}b") == 0, "\(record.err)")
    let name = "a\\\"\u{301}\\\\\u{301}b"
    let line = Array("acct_account_needs_sign_in{account=\"\(name)\"} 0".unicodeScalars)
    #expect(await samples().contains { Array($0.unicodeScalars) == line }, "\(record.out)")
  }

  @Test("A machine without accounts has metrics, and a file that can't be read is counted")
  func odd() async throws {
    #expect(await samples().prefix(2) == ["acct_accounts 0", "acct_accounts_damaged 0"])
    await addAccount()
    let id = try #require(record.keyring.items.keys.first)
    record.corrupt(.account(id), with: "{}")
    record.corrupt(.renewals, with: #"{"renewals":-1,"failures":1}"#)
    let all = await samples()
    #expect(all.prefix(2) == ["acct_accounts 1", "acct_accounts_damaged 1"])
    #expect(all.suffix(2) == ["acct_renewals_total 0", "acct_renewal_failures_total 0"])
    #expect(await record.acct("metrics", "--json") == 64)
  }

  @Test("A header that renews nothing counts nothing")
  func free() async {
    await addAccount()
    #expect(await record.acct("header", "https://issuer.example/") == 0, "\(record.err)")
    #expect(record.file(.renewals) == nil)
  }

  @Test("A shared keyring whose engine is away is down, and what waits for it is counted")
  func away() async throws {
    let machine = SharingMachine()
    await machine.shareAccounts(Handoffs.bearer())
    #expect(await machine.acct("metrics") == 0, "\(machine.record.err)")
    #expect(machine.record.out.contains("\nacct_keyring_up{kind=\"etcd\",user=\"0\"} 1\n"), "\(machine.record.out)")
    #expect(machine.record.out.contains("\nacct_pending_answers{user=\"0\"} 0\n"))
    machine.engine.wait(for: [try machine.onlyAccount()])
    machine.engine.fail(with: .engine(.unavailable(reason: "a test said so")))
    #expect(await machine.acct("metrics") == 0, "\(machine.record.err)")
    #expect(machine.record.out.contains("\nacct_keyring_up{kind=\"etcd\",user=\"0\"} 0\n"), "\(machine.record.out)")
    #expect(machine.record.out.contains("\nacct_pending_answers{user=\"0\"} 1\n"))
    #expect(machine.record.out.contains("acct_account_state"))
  }
}
