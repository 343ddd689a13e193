import AcctCLI
import AcctConsole
import AcctPorts
import AcctTestSupport
import Secrets
import StrictJSON
import Synchronization
import Testing

@Suite("Output that is whole")
struct WholeOutputTests {
  private let record = RecordedWorld()

  /// Imports an account with a bound token, whose certificate and key are read from one file.
  private func add(_ path: String) async -> Int32 {
    let file = "\(MadeUpCertificates.p256)\n\(MadeUpCertificates.p256Key)\n"
    record.provide(path, file)
    record.secretFiles[path] = file
    let token = jwt(["sub": "alice", "cnf": ["x5t#S256": .string(MadeUpCertificates.p256Thumbprint)]])
    record.provide("in", #"{"access_token":"\#(token)","origins":["https://api.example"]}"#)
    return await record.run(["add", "--import", "in", "--name", "a", "--cert", path, "--cert-key", path])
  }

  @Test("A path in the config of curl has no effect beyond naming the file")
  func curl() async throws {
    let path = "/home/a:b\\ \"c\"\noutput = \"/home/x"
    #expect(await add(path) == 0, "\(record.err)")
    record.clear()
    #expect(await record.acct("header", "--format", "curl", "https://api.example/") == 0)
    let lines = record.out.split(separator: "\n")
    try #require(lines.count == 3, "\(record.out)")
    #expect(lines[0].hasPrefix("header = \"Authorization: Bearer "))
    #expect(lines[1] == #"cert = "/home/a\\:b\\\\ \"c\"\noutput = \"/home/x""#)
    #expect(lines[2] == #"key = "/home/a:b\\ \"c\"\noutput = \"/home/x""#)
  }

  @Test("A path that a config of curl can't have is left out of it, with the notice for files that are gone")
  func unwritable() async {
    #expect(await add("/home/\u{1B}]8;;x.pem") == 0, "\(record.err)")
    record.clear()
    #expect(await record.acct("header", "--format", "curl", "https://api.example/") == 0)
    #expect(!record.out.contains("cert =") && !record.out.contains("key ="), "\(record.out)")
    #expect(record.err.first?.contains("`acct request` and `acct proxy`") == true, "\(record.err)")
  }

  @Test(
    "A password that some readers take for two lines is printed in JSON alone",
    arguments: ["a\u{85}b", "a\u{2028}b", "a\u{9B}2Jb"]
  )
  func password(password: String) async {
    #expect(await record.addToken(password, "--basic", "alice") == 0, "\(record.err)")
    #expect(await record.acct("token") == 1)
    #expect(record.out.isEmpty && record.err.first?.contains("a line can't have") == true, "\(record.err)")
    #expect(record.err.last?.contains("--json") == true, "\(record.err)")
    #expect(await record.acct("token", "--json") == 0)
    #expect(record.json?.objectValue?["token"] == .string(password))
    record.provide("-", "protocol=https\nhost=api.example\n\n")
    #expect(await record.acct("helper", "git", "get") != 64)
    #expect(!record.out.contains("password="), "\(record.out)")
  }

  @Test("The address of the proxy is one line, or the proxy does not serve")
  func proxy() async {
    #expect(await record.add(Handoffs.bearer()) == 0)
    record.localServer.visit { _ in }
    #expect(await record.acct("proxy", "--socket", "/run/a\nhttp://127.0.0.1:1/") == 1)
    #expect(record.out.isEmpty && record.err.first?.contains("a line can't have") == true, "\(record.err)")
  }

  @Test("An account's name stays one word of the line in AWS's file and of lines to copy, whatever joins its quotes")
  func shellWords() async {
    let name = "it's';x'\u{301};y"
    #expect(await record.add(Handoffs.bearer(), "--name", name) == 0, "\(record.err)")
    let set = Mutex<[String]>([])
    record.programs.install("aws", answering: [:])
    record.programs.install("acct", answering: [:])
    record.programs.install("env") { call in
      set.withLock { $0 = call.arguments }
      return ProgramResult(status: 0, output: Secret(""), errors: Secret(""))
    }
    record.set("PATH", to: "/usr/bin")
    _ = await record.run([
      "helper", "setup", "aws", "--role-arn", "arn:aws:iam::123456789012:role/x", "--account", name, "--dry-run",
    ])
    let quoted = #"'it'\''s'\'';x'\''"# + "\u{301};y'"
    let line = set.withLock { $0 }.first { $0.hasPrefix("acct helper aws") } ?? "\(record.err)"
    #expect(Array(line.utf8).starts(with: Array("acct helper aws --account \(quoted) --role-arn ".utf8)), "\(line)")
    record.now += 4000
    record.clear()
    #expect(await record.acct("header", "-a", name) == 4)
    // In a locale of ASCII the mark is escaped for people after the word was quoted.
    #expect(record.err.last?.contains(#"'it'\''s'\'';x'\''\u{301};y'"#) == true, "\(record.err)")
  }
}
