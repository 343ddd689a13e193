import AcctTestSupport
import Glibc
import Testing

/// The built `acct` beside a command that reads tokens from files.
@Suite("Running a command with token files")
struct TokenFileTests {
  /// A home with an account whose ID token ends in the year 2100.
  private func home(with variables: [String: String] = [:]) async throws -> AcctHome {
    let home = try AcctHome(with: variables)
    let added = try await home.importing(
      """
      {"access_token":"made-up-access-token","token_type":"Bearer","expiresAt":"2100-01-01T00:00:00Z",
       "issuer":"https://as.example","clientId":"client","id_token":"\(Self.idToken)"}
      """
    )
    try #require(added.status == 0, "\(added.errorText)")
    return home
  }

  /// Of alice for the client "client" at as.example.
  static let idToken = """
    eyJhbGciOiJSUzI1NiJ9.eyJpc3MiOiJodHRwczovL2FzLmV4YW1wbGUiLCJhdWQiOiJjbGllbnQiLCJzdWIiOiJhbGljZSIsImlhdCI6MTcwMDAwMDA\
    wMCwiZXhwIjo0MTAyNDQ0ODAwfQ.c2lnbmF0dXJl
    """

  private func isThere(_ path: String) -> Bool { unsafe access(path, F_OK) == 0 }

  @Test("The files are of mode 0600 in a folder of mode 0700, gone afterwards, and the environment has no token")
  func files() async throws {
    let home = try await home()
    let script = #"""
      cat "$ID"; echo; cat "$TOKEN"; echo; stat -c %a "$ID" "$TOKEN" "$(dirname "$ID")"; env | grep -c made-up
      dirname "$ID"; exit 42
      """#
    let run = try await home.acct("exec", "--id-token-file", "ID", "--token-file", "TOKEN", "--", "sh", "-c", script)
    #expect(run.status == 42, "\(run.errorText)")
    var lines = run.text.split(separator: "\n").map(String.init)
    let folder = lines.popLast() ?? ""
    #expect(lines == [Self.idToken, "made-up-access-token", "600", "600", "700", "0"])
    #expect(folder.hasPrefix(home.path))
    #expect(!isThere(folder), "the folder is left behind")
    #expect(run.errorText.isEmpty)
  }

  @Test("After SIGKILL of the command the files are gone, and the status is 137")
  func killed() async throws {
    let home = try await home()
    let run = try await home.acct("exec", "--token-file", "F", "--", "sh", "-c", #"echo "$F"; kill -9 $$"#)
    #expect(run.status == 137)
    #expect(!isThere(String(run.text.dropLast())))
  }

  @Test("Signals are passed on, and acct ends as the command does", arguments: [SIGTERM, SIGHUP, SIGINT])
  func signals(number: Int32) async throws {
    let home = try await home()
    let trap = "trap 'exit 7' TERM HUP INT; echo \"$F\"; while :; do sleep 0.05; done"
    let trapping = try RunningProcess(home.command(["exec", "--token-file", "F", "--", "sh", "-c", trap]))
    let path = try await trapping.firstLine()
    trapping.send(number)
    #expect(await trapping.ended() == 7)
    #expect(!isThere(path))
    let plain = ["exec", "--token-file", "F", "--", "sh", "-c", "echo \"$F\"; exec sleep 60"]
    let sleeping = try RunningProcess(home.command(plain))
    _ = try await sleeping.firstLine()
    sleeping.send(number)
    #expect(await sleeping.ended() == 128 + number)
  }

  @Test("A command that is not there is 127, and leaves no folder")
  func notFound() async throws {
    let home = try await home()
    #expect(try await home.acct("exec", "--token-file", "F", "--", "no-such-program-here").status == 127)
  }
}
