import AcctTestSupport
import Glibc
import StrictJSON
import Testing

/// Where acct's requests go, as the servers see it and as the kernel does.
@Suite("Traced network connections")
struct NetworkTraceTests {
  @Test("A token or proof goes to its own origin only, wherever servers redirect")
  func servers() async throws {
    let server = try await StrictServer(["device_interval": 1, "device_approve_after": 0])
    let home = try AcctHome()
    try await expect(0, home.signIn(at: server, "--name", "me"))
    try await expect(0, home.signIn(at: server, browser: nil, "--device"))
    #expect(try await home.use(server) == "401")
    try await server.set(["rs_nonce": false])
    #expect(try await home.use(server) == "200")
    for command in [["token"], ["refresh", "--force"], ["refresh", "--all", "--force"], ["list"]] {
      try await expect(0, home.command(command))
    }
    try await expect(8, home.command(["header", "\(server.elsewhere)/resource"]))

    // Every endpoint that is given a secret, or answers with one, sends acct to the third origin.
    for endpoint in ["metadata", "par", "token", "device_authorization", "revoke"] {
      for status: JSON in [302, 303, 307, 308] {
        try await server.fault(["endpoint": .string(endpoint), "kind": "redirect", "status": status])
        switch endpoint {
        case "par": try await expect(11, home.signIn(at: server))
        case "device_authorization": try await expect(11, home.signIn(at: server, browser: nil, "--device"))
        case "revoke":
          try await home.importExpired(from: server, ["dpop": true, "sub": "leaver"])
          try await expect(0, home.command(["remove", try await home.name(of: "leaver")]))
        case "metadata":
          // The other place of the metadata is asked next, and the known token endpoint needs none.
          try await expect(0, home.command(["refresh", "--force"]))
        default: try await expect(11, home.command(["refresh", "--force"]))
        }
        try await server.fault(nil)
      }
    }
    try await expect(0, home.command(["remove", "me"]))
    try await server.expectNothingWrong()
    #expect(try await server.requests(to: "elsewhere").isEmpty)
    #expect(try await !server.requests(to: "token").isEmpty)
    #expect(try await !server.requests(to: "revoke").isEmpty)
  }

  @Test("The traced connections go to the issuer alone, and there are none if no server is needed")
  func kernel() async throws {
    let server = try await StrictServer()
    let home = try AcctHome()
    try await home.importExpired(from: server)
    let issuer = try #require(server.issuer.split(separator: ":").last)

    #expect(try await targets(home.command(["token"])) == ["127.0.0.1:\(issuer)"])
    #expect(try await server.counts()["refreshes"] == 1)
    #expect(try await targets(home.command(["header", "\(server.resource)/resource"])) == [])
    #expect(try await targets(home.command(["list"])) == [])
    let name = try await home.name(of: "user-1")
    #expect(try await targets(home.command(["remove", name])) == ["127.0.0.1:\(issuer)"])
    #expect(try await server.sessions().map { $0["ended"] } == ["revoked"])
  }

  private func expect(_ status: Int32, _ command: ChildProcess) async throws {
    let output = try await command.run()
    #expect(output.status == status, "\(command.arguments): \(output.errorText)")
  }

  /// The internet addresses that a command connects or sends to, by strace(1).
  private func targets(_ command: ChildProcess) async throws -> Set<String> {
    let folder = try TemporaryFolder()
    let log = "\(folder.path)/strace"
    let output = try await command.traced("-f", "-e", "trace=connect,sendto,sendmsg,sendmmsg", "-o", log).run()
    #expect(output.status == 0, "\(output.errorText)")

    let text = try await ChildProcess("cat", [log]).run().text
    // An address that strace could not read would be a pointer.
    #expect(
      text.split(separator: "\n").allSatisfy { $0.contains("sa_family") || !$0.contains("0x") }
    )
    var targets: Set<String> = []
    for match in text.matches(
      of: /sin6?_port=htons\((\d+)\)(?:, sin6_flowinfo=[^,]*)?,[^"]*"([^"]*)"/
    ) { targets.insert("\(match.2):\(match.1)") }
    return targets
  }
}

extension AcctHome {
  /// The name of the only account of a subject.
  fileprivate func name(of subject: String) async throws -> String {
    let names = try await accounts().compactMap { $0["name"]?.stringValue }
    return try #require(names.first { $0.hasPrefix(subject) })
  }
}
