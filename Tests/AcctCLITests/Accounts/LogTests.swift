import AcctModel
import AcctPorts
import AcctTestSupport
import StrictJSON
import Synchronization
import Testing

@Suite("acct log")
struct LogTests {
  let record = RecordedWorld()

  init() { record.set("HOSTNAME", to: "laptop") }

  /// The events that `log` prints: kind, machine, program, origin, without those that are missing.
  private func events(_ options: String...) async -> [String] {
    record.clear()
    #expect(await record.run(["log", "--json"] + options) == 0, "\(record.err)")
    return record.json?.objectValue?["events"]?.arrayValue?.map { event in
      ["event", "machine", "program", "origin"].compactMap { event.objectValue?[$0]?.stringValue }
        .joined(separator: " ")
    } ?? []
  }

  private func addAccount(_ answers: HTTPResponse...) async {
    #expect(await record.add(Handoffs.bearer(changing: ["refresh_token": "r1", "clientId": "client"])) == 0)
    let queue = Mutex(answers)
    let issuer = FakeIssuer()
    record.serve { request throws(HTTPFailure) in
      guard request.url.path == "/token" else { return try issuer.respond(request) }
      return queue.withLock { $0.isEmpty ? .json("{}", 500) : $0.removeFirst() }
    }
  }

  @Test("A history has what befell an account, in order, with times in UTC")
  func lines() async {
    await addAccount(RenewalTests.renewed)
    record.now += 3600
    #expect(await record.acct("token") == 0, "\(record.err)")
    record.now += 60
    #expect(await record.acct("allow", "bob.example.com", "https://api.example") == 0)
    #expect(await record.acct("log") == 0)
    let time = Timestamp(clamped: record.now)
    #expect(
      record.out == """
        TIME                  ACCOUNT          EVENT    MACHINE  PROGRAM  ORIGIN
        \(time.adding(seconds: -3660))  bob.example.com  added    laptop   -        -
        \(time.adding(seconds: -60))  bob.example.com  renewed  laptop   -        -
        \(time.adding(seconds: -60))  bob.example.com  used     laptop   -        -
        \(time)  bob.example.com  allowed  laptop   -        https://api.example

        """
    )
    #expect(await events("--since", "2min").count == 3)
    #expect(await events("--since", "59s", "bob.example.com") == ["allowed laptop https://api.example"])
    #expect(await record.acct("log", "--since", "yesterday") == 64)
  }

  @Test("A sign-in to a known account, a rejected renewal and an export are events; an export has none of them")
  func kinds() async {
    await addAccount(.json(#"{"error":"invalid_grant"}"#, 400))
    record.now += 3600
    #expect(await record.acct("token") == 4)
    record.now += 1
    #expect(await record.acct("token") == 4)
    #expect(await record.add(Handoffs.bearer(changing: ["refresh_token": "r9", "clientId": "client"])) == 0)
    record.secretFiles["pass"] = "made up\n"
    #expect(await record.acct("export", "--all", "-o", "out", "--passphrase-file", "pass") == 0, "\(record.err)")
    #expect(await events() == ["added laptop", "renewalRefused laptop", "signedIn laptop", "exported laptop"])
    let other = RecordedWorld()
    other.secretFiles["pass"] = "made up\n"
    other.provide("in", record.secretFiles["out"] ?? "")
    #expect(await other.acct("add", "--import", "in", "--passphrase-file", "pass") == 0, "\(other.err)")
    #expect(await other.acct("log") == 0)
    #expect(other.out.contains("added"))
    #expect(!other.out.contains("laptop"))
  }

  @Test("A refused origin waits in a file of this machine, and goes into the record with the next write")
  func refusals() async throws {
    await addAccount(RenewalTests.renewed)
    let id = try #require(record.keyring.items.keys.first)
    let before = record.file(.account(id))
    for _ in 0..<3 {
      #expect(await record.acct("header", "https://evil.example/path?secret=1") == 8)
      record.now += 600
    }
    #expect(record.file(.account(id)) == before)
    #expect(await events() == ["added laptop", "refused laptop https://evil.example"])
    record.now += 3600
    #expect(await record.acct("header", "https://evil.example/path") == 8)
    #expect(record.replacements(of: .refusals) == 2)
    #expect(await record.acct("allow", "bob.example.com", "https://api.example") == 0)
    #expect(
      record.file(.account(id))?.split(separator: " x = - https://evil.example").count == 3,
      "\(record.file(.account(id)) ?? "")"
    )
    #expect(!record.filesText.contains("path"))
    #expect(await events().count == 4)
    #expect(await record.acct("remove", "bob.example.com", "--local") == 0, "\(record.err)")
    #expect(record.file(.refusals)?.contains(id.description) == false)
  }

  @Test("A helper's program stands beside what was done for it")
  func programs() async {
    await addAccount(RenewalTests.renewed)
    #expect(await record.acct("allow", "bob.example.com", "https://git.example") == 0)
    record.now += 3600
    #expect(await record.git("protocol=https", "host=git.example") == 0)
    #expect(await events().suffix(2) == ["renewed laptop git", "used laptop git https://git.example"])
  }

  @Test("A history in a form that is not known leaves its account as it is")
  func otherForm() async throws {
    await addAccount()
    let id = try #require(record.keyring.items.keys.first)
    let rest = record.file(.account(id))?.split(separator: #""history":"#).first.map(String.init)
    record.corrupt(.account(id), with: (rest ?? "") + #""history":[1]}"#)
    #expect(await record.acct("header", "https://issuer.example/") == 0, "\(record.err)")
    #expect(await record.acct("list") == 0)
    #expect(record.out.contains("bob.example.com") && record.err.isEmpty, "\(record.err)")
  }

  @Test("A header that renews nothing reads no history, and writes nothing but its use")
  func headerIsFree() async throws {
    await addAccount()
    let id = try #require(record.keyring.items.keys.first)
    let damaged = record.file(.account(id))?.split(separator: #""history":"#).first.map(String.init)
    record.corrupt(.account(id), with: (damaged ?? "") + #""history":"not a history"}"#)
    let writes = record.replacements(of: .account(id))
    let reads = record.reads(of: .refusals)
    #expect(await record.acct("header", "https://issuer.example/") == 0, "\(record.err)")
    #expect(record.err.isEmpty)
    #expect(record.replacements(of: .account(id)) == writes)
    #expect(record.reads(of: .refusals) == reads)
    #expect(await events() == ["used laptop https://issuer.example"])
    #expect(record.err == ["acct: the history of bob.example.com is damaged; the next event begins a new one"])
  }
}
