import AcctTestSupport
import Testing

@Suite("The recipe for header lines from another machine")
struct RemoteHeaderTests {
  private let home: AcctHome

  init() throws { home = try AcctHome() }

  /// The recipe, with an ssh that runs its command here, in a shell as sshd does, and notes its options.
  private func run(_ arguments: String...) async throws -> ChildProcess.Output {
    let script = """
      #!/bin/sh
      test "$1 $2 $3" = '-o BatchMode=yes home.example' && shift 3 && test $# = 1 || exit 99
      exec sh -c "$1"

      """
    let spy = "\(home.commands)/ssh"
    let made = ChildProcess("sh", ["-c", "cat >\"$0\" && chmod +x \"$0\"", spy], input: script)
    try #require(try await made.run().status == 0)
    return try await home.program("remote-header.sh", arguments).run()
  }

  @Test("The lines are those of acct header there, for a server of the account alone")
  func lines() async throws {
    try await home.addBearer("work", at: "https://own.example", token: "made-up")
    let ran = try await run("home.example", "GET", "https://own.example/v1?a=b&c=$(x)")
    #expect(ran.status == 0, "\(ran.errorText)")
    #expect(ran.text == "Authorization: Bearer made-up\n")
    #expect(try await run("home.example", "https://other.example/").status == 8)
  }

  @Test("What a shell would interpret reaches acct as it was typed")
  func quoted() async throws {
    try await home.addBearer("it's", at: "https://own.example", token: "made-up")
    let ran = try await run("home.example", "https://own.example/'a'?b=$(c)&d", "-a", "it's")
    #expect(ran.status == 0, "\(ran.errorText)")
    let other = try await run("home.example", "https://own.example/", "-a", "$(echo it)")
    #expect(other.errorText.contains("$(echo it)"))
    #expect(other.status == 5)
  }
}
