import AcctTestSupport
import Testing

/// The checks of `.ci` that look at files of the repository.
@Suite("The checks of the repository")
struct CheckTests {
  @Test(
    "A check that sees no files fails, and says so",
    arguments: ["check-rooms", "check-floors", "check-door", "check-words", "check-manual", "check-architecture"]
  )
  func nothing(check: String) async throws {
    let folder = try TemporaryFolder()
    let script = #"""
      set -eu
      cd "$1"
      git init -q .
      mkdir .ci man
      cp "$2/$3" "$2/rooms.allow" .ci
      exec ".ci/$3" </dev/null
      """#
    let ran = try await ChildProcess(
      "sh",
      ["-c", script, "sh", folder.path, Product.source(".ci"), check],
      environment: ChildProcess.plainEnvironment
    ).run()
    #expect(ran.status != 0)
    #expect(!(ran.text + ran.errorText).isEmpty)
  }
}
