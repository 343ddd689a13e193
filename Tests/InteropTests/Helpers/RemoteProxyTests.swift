import AcctTestSupport
import Testing

@Suite("The recipe for a proxy's socket on another machine")
struct RemoteProxyTests {
  private let folder: TemporaryFolder
  private let home: AcctHome

  init() throws {
    folder = try TemporaryFolder()
    home = try AcctHome()
  }

  /// The recipe, with an ssh that only says what it would do.
  private func run(_ arguments: String...) async throws -> ChildProcess.Output {
    // The real one's -G parses everything, and connects to nothing.
    let script = "#!/bin/sh\nexec /usr/bin/ssh -G -F none \"$@\"\n"
    let spy = "\(home.commands)/ssh"
    let made = ChildProcess("sh", ["-c", "cat >\"$0\" && chmod +x \"$0\"", spy], input: script)
    try #require(try await made.run().status == 0)
    return try await home.program("remote-proxy.sh", arguments, with: ["XDG_RUNTIME_DIR": folder.path]).run()
  }

  @Test("ssh takes the socket of a running proxy along, to the path that is named")
  func forwarded() async throws {
    try await home.addBearer("work", at: "https://own.example", token: "made-up")
    let socket = "\(try folder.folder("acct"))/proxy"
    let proxy = try RunningProcess(home.command(["proxy", "--socket", socket]))
    _ = try await proxy.firstLine()
    let ran = try await run("other.example", "/home/alice/.acct-proxy")
    #expect(ran.status == 0, "\(ran.errorText)")
    #expect(ran.text.contains("remoteforward /home/alice/.acct-proxy \(socket)\n"))
    #expect(ran.text.contains("exitonforwardfailure yes\n"))
    for path in ["relative", "/home/a b", "/home/$(x)", "/home/a:b"] {
      #expect(try await run("other.example", path).status == 64, "\(path)")
    }
    await proxy.stop()
  }

  @Test("Without a proxy the recipe says which command starts one")
  func none() async throws {
    let ran = try await run("other.example", "/home/alice/.acct-proxy")
    #expect(ran.status == 1)
    #expect(ran.errorText.contains("acct proxy"))
  }
}
