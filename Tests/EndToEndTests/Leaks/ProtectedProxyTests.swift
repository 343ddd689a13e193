import AcctTestSupport
import Glibc
import StrictJSON
import Testing

/// A running proxy, as root sees it, and the user's files, as it sees them.
///
/// Where the kernel has neither memfd_secret(2) nor landlock(7), `doctor` says so, and the tests are cancelled.
@Suite("The protection of a proxy")
struct ProtectedProxyTests {
  private let server: StrictServer
  private let home: AcctHome

  init() async throws {
    server = try await StrictServer()
    home = try AcctHome()
    let added = try await home.importing(try await server.issue(["dpop": true]))
    try #require(added.status == 0, "\(added.errorText)")
  }

  /// Cancels the test where the kernel lacks something.
  private func require(_ code: String, _ words: String) async throws {
    let doctor = try await home.acct("doctor", "--offline", "--json")
    let findings = try JSON(parsing: doctor.standardOutput)["findings"]?.arrayValue ?? []
    let finding = findings.first { $0["code"]?.stringValue == code }
    let message = try #require(finding?["message"]?.stringValue)
    if !message.contains(words) { try Test.cancel("\(message)") }
  }

  /// How often secrets, each with its kind, stand in the memory of a process, by both ways to read it.
  private func sightings(of secrets: [String], in id: pid_t) async throws -> [String] {
    try await looking(for: secrets, in: id).dropLast()
  }

  private func looking(for secrets: [String], in id: pid_t) async throws -> [String] {
    let script = Product.source("Tests/Leaks/running_memory.py")
    var look = ChildProcess("env", [Sighting.python, "-B", script, "\(id)"], input: secrets.map { $0 + "\n" }.joined())
    let root = try await ChildProcess.rootRights()
    look.arguments = Array(root.dropFirst()) + (root == ["env"] ? [] : ["env"]) + look.arguments
    look.program = root[0]
    let seen = try await look.run()
    try #require(seen.status == 0, "\(seen.errorText)")
    return seen.text.split(separator: "\n").map(String.init)
  }

  /// A proxy that has served, and is about to be asked while a request of it is answered.
  private func expect(
    _ proxy: SigningProxyAtWork,
    idle: @escaping (String) -> Bool,
    busy: @escaping (String) -> Bool
  ) async throws {
    let token = try await home.acct("token").text.split(separator: "\n")[0]
    let jwk = try JSON(parsing: try await home.acct("key", "show", "--private").standardOutput)
    let secrets = ["access_token \(token)", "key \(try #require(jwk["d"]?.stringValue))"]
    for _ in 1...3 { #expect(try await proxy.status("\(server.resource)/resource") == "200") }
    let atRest = try await sightings(of: secrets, in: proxy.process.id)
    #expect(atRest.allSatisfy(idle), "\(atRest)")

    try await server.fault(["endpoint": "resource", "kind": "delay", "count": 1])
    let client = try RunningProcess(proxy.curl("\(server.resource)/resource"))
    try await server.wait(held: 1)
    let during = try await sightings(of: secrets, in: proxy.process.id)
    #expect(during.allSatisfy(busy), "\(during)")
    try await server.control("release")
    #expect(await client.ended() == 0)
    #expect(await proxy.interrupted() == 0)
  }

  @Test("Root finds no token and no key in the memory of a proxy that is idle, or waits for an answer")
  func secretMemory() async throws {
    try await require("proxyMemory", "memfd_secret)")
    let proxy = try await SigningProxyAtWork(home)
    #expect(try await looking(for: [], in: proxy.process.id) != ["0"], "no region is closed")
    try await expect(proxy, idle: { $0 == "0 0" }, busy: { $0 == "0 0" })
  }

  @Test("Root finds no secret of the run in the memory of a proxy on a port")
  func secretOfRun() async throws {
    try await require("proxyMemory", "memfd_secret)")
    let proxy = try await SigningProxyAtWork(home, "--port", "0")
    let secret = try #require(proxy.place.split(separator: "/").last)
    #expect(try await proxy.status("\(server.resource)/resource") == "200")
    #expect(try await sightings(of: ["run \(secret)"], in: proxy.process.id) == ["0 0"])
    #expect(await proxy.interrupted() == 0)
  }

  /// What shows that the looks above would have seen something, and that a proxy works without.
  @Test("A proxy that may lock no memory has its secrets on the heap, and serves as any other")
  func heap() async throws {
    let command = home.command(["proxy"]).lockingNoMemory()
    let proxy = try await SigningProxyAtWork(home, running: command)
    try await expect(proxy, idle: { $0 == "0 0" }, busy: { !$0.contains("0 ") && $0 != "0 0" })
  }

  @Test("A proxy can't open a file that lies in the place of one of its own since it began")
  func fence() async throws {
    try await require("proxyFence", "landlock ")
    // In a folder of its own: what lies beside the passphrase's file is open, since that file may be replaced.
    let elsewhere = try TemporaryFolder()
    defer { _ = elsewhere }
    let passphrase = try elsewhere.file("passphrase", containing: AcctHome.passphrase)
    var command = home.command(["proxy", "--port", "0"])
    command.environment["ACCT_VAULT_PASSPHRASE_FILE"] = passphrase
    let proxy = try await SigningProxyAtWork(home, running: command)
    let url = "\(server.resource)/resource"
    #expect(try await proxy.status(url) == "200")
    // The same contents under the same name: only the kernel's fence tells one from the other. On a port, since a
    // socket would go with the folder.
    let path = home.path
    let exchange = "cp -a \(path) \(path).new && mv \(path) \(path).old && mv \(path).new \(path)"
    try #require(try await ChildProcess("sh", ["-c", exchange]).run().status == 0)
    #expect(try await home.acct("request", url).status == 0)
    #expect(try await proxy.status(url) != "200")
    #expect(proxy.said.lowercased().contains("permission denied"), "\(proxy.said)")
    // Back in its place it is open as before.
    let back = "rm -r \(path) && mv \(path).old \(path)"
    try #require(try await ChildProcess("sh", ["-c", back]).run().status == 0)
    #expect(try await proxy.status(url) == "200")
    #expect(await proxy.interrupted() == 0)
  }

  @Test("A proxy whose account starts from a file is fenced, and reads the next file of that name")
  func tokenFile() async throws {
    try await require("proxyFence", "landlock ")
    let server = try await StrictServer(["dpop": "off"])
    let place = try TemporaryFolder()
    func provide(_ name: String) async throws -> String {
      let token = try await server.control("platform-token")["token"]?.stringValue
      return try place.file(name, containing: try #require(token))
    }
    let path = try await provide("token")
    // Not beside the home, since the folder of this file is open.
    let elsewhere = try TemporaryFolder()
    defer { _ = elsewhere }
    let passphrase = try elsewhere.file("passphrase", containing: AcctHome.passphrase)
    let home = try AcctHome(with: ["ACCT_VAULT_PASSPHRASE_FILE": passphrase])
    let added = try await home.acct(
      "add",
      "--issuer",
      server.issuer,
      "--grant",
      "token-exchange",
      "--subject-token-file",
      path,
      "--allow-origin",
      server.resource
    )
    try #require(added.status == 0, "\(added.errorText)")
    let proxy = try await SigningProxyAtWork(home, "--port", "0")
    let url = "\(server.resource)/resource"
    // acct's own folder in another's place: only the kernel's fence tells one from the other.
    let exchange = #"cp -a "$0" "$0.new" && mv "$0" "$0.old" && mv "$0.new" "$0""#
    try #require(try await ChildProcess("sh", ["-c", exchange, home.path]).run().status == 0)
    #expect(try await proxy.status(url) != "200")
    #expect(proxy.said.lowercased().contains("permission denied"), "\(proxy.said)")
    #expect(!proxy.said.contains("all your files"), "\(proxy.said)")
    let back = #"rm -r "$0" && mv "$0.old" "$0""#
    try #require(try await ChildProcess("sh", ["-c", back, home.path]).run().status == 0)
    #expect(try await proxy.status(url) == "200", "\(proxy.said)")
    // The token has ended, and the one that it starts from has a successor.
    _ = try await provide("next")
    try #require(unsafe rename("\(place.path)/next", path) == 0)
    try await server.set(["lifetime": -10])
    #expect(try await home.acct("refresh", "--force").status == 0)
    try await server.set(["lifetime": 3600])
    #expect(try await proxy.status(url) == "200", "\(proxy.said)")
    let count = try await server.counts()["token_exchange"]
    #expect(count == 3)
    #expect(await proxy.interrupted() == 0)
  }

  @Test("A proxy that can open all files says why, and so does the doctor")
  func noFence() async throws {
    try await require("proxyFence", "landlock ")
    let server = try await StrictServer(["dpop": "off"])
    let place = try TemporaryFolder()
    let token = try await server.control("platform-token")["token"]?.stringValue
    let path = try place.file("token", containing: try #require(token))
    for (option, value, reason) in [
      (
        "--subject-token-command", "cat \(path)",
        "the token of job starts from a program, which reads files of its own"
      ),
      ("--subject-token-file", path, "\(path) lies directly in the home folder, which would be open with it"),
    ] {
      let home = try AcctHome(with: ["HOME": place.path])
      let added = try await home.acct(
        "add",
        "--issuer",
        server.issuer,
        "--grant",
        "token-exchange",
        option,
        value,
        "--name",
        "job",
        "--allow-origin",
        server.resource
      )
      try #require(added.status == 0, "\(added.errorText)")
      let proxy = try await SigningProxyAtWork(home, "--port", "0")
      #expect(proxy.said == "acct: this proxy can open all your files: \(reason)\n")
      #expect(try await proxy.status("\(server.resource)/resource") == "200")
      #expect(await proxy.interrupted() == 0)
      let doctor = try await home.acct("doctor", "--offline")
      #expect(doctor.text.contains(reason) == (option == "--subject-token-command"), "\(doctor.text)")
    }
  }

  @Test("The folder for what the user writes is there before the fence closes: it may be used later")
  func configuration() async throws {
    try await require("proxyFence", "landlock ")
    let place = try TemporaryFolder()
    let home = try AcctHome(with: ["ACCT_HOME": "", "HOME": place.path], hasVault: false)
    let added = try await home.importing(try await server.issue(["dpop": false]))
    try #require(added.status == 0, "\(added.errorText)")
    try #require(unsafe access("\(place.path)/.config", F_OK) != 0)
    let proxy = try await SigningProxyAtWork(home, "--port", "0")
    #expect(unsafe access("\(place.path)/.config/acct", F_OK) == 0)
    #expect(await proxy.interrupted() == 0)
  }

  @Test("A proxy behind its fence removes its socket, and takes the place of one that was killed")
  func socket() async throws {
    let folder = try TemporaryFolder()
    let path = "\(folder.path)/socket"
    let first = try await SigningProxyAtWork(home, "--socket", path)
    first.process.send(SIGKILL)
    _ = await first.process.ended()
    let second = try await SigningProxyAtWork(home, "--socket", path)
    #expect(try await second.status("\(server.resource)/resource") == "200")
    #expect(await second.interrupted() == 0)
    #expect(unsafe access(path, F_OK) != 0)
  }
}
