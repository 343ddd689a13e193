import AcctTestSupport
import Glibc
import Testing

/// `Examples/systemd/acct-metrics` in folders that another user writes to, who swaps paths in between its steps.
@Suite("The recipe for metrics beside a hostile user")
struct RecipeMetricsRaceTests {
  /// Puts a link to a file in place of each file that is being written, as fast as it can.
  private static let swapper = """
    import os, sys
    folder, target = sys.argv[1:]
    print("ready", flush=True)
    while True:
        for name in os.listdir(folder):
            if not name.startswith(".swap"):
                try:
                    os.symlink(target, folder + "/.swap")
                    os.rename(folder + "/.swap", folder + "/" + name)
                except OSError:
                    try: os.unlink(folder + "/.swap")
                    except OSError: pass
    """

  /// The steps of this recipe as they were: each by a path.
  private static let stepsByPath = """
    #!/bin/sh
    set -eu
    folder=$1
    shift
    new=$(mktemp "$folder/.acct.XXXXXX")
    trap 'rm -f -- "$new"' EXIT
    acct metrics --no-input --quiet "$@" >"$new"
    chmod 644 "$new"
    mv -f -- "$new" "$folder/acct-$(id -un).prom"
    trap - EXIT
    """

  /// Runs a recipe again and again, up to `rounds` times, until the key of this user's is not as it was.
  ///
  /// - Returns: The number of rounds, and of those that succeeded.
  private func run(
    _ script: String,
    rounds: Int,
    in folder: String,
    beside key: String,
    of home: AcctHome
  ) async throws -> (rounds: Int, done: Int, isKeyIntact: Bool) {
    let rights = try await ChildProcess.rootRights()
    let other = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]
    let hostile = try RunningProcess(
      ChildProcess("env", rights + other + ["python3", "-c", Self.swapper, folder, key])
    )
    _ = try await hostile.firstLine()
    let loop = """
      round=0 done=0
      intact() { [ "$(stat -c %a "$key")" = 600 ] && [ "$(cat "$key")" = 'a private key' ]; }
      while [ $round -lt \(rounds) ] && intact; do
        round=$((round + 1))
        "$script" "$folder" 2>"$key.log" && done=$((done + 1))
      done
      intact && echo "$round $done intact" || echo "$round $done lost"
      """
    let variables = ["key": key, "script": script, "folder": folder]
    let output = try await home.recipe("sh", ["-c", loop], with: variables).run(limit: .seconds(600))
    hostile.send(SIGKILL)
    _ = await hostile.ended()
    let words = output.text.split(whereSeparator: \.isWhitespace)
    try #require(words.count == 3, "\(output.text)\(output.errorText)")
    return (Int(words[0]) ?? 0, Int(words[1]) ?? 0, words[2] == "intact")
  }

  @Test("In 1,000 rounds, 200 in the short form, no private key is changed, which the steps by path do not survive")
  func race() async throws {
    _ = try await ChildProcess.rootRights()
    // The other user can pass through to the shared folders, and can read nothing of this user's.
    let top = try TemporaryFolder()
    try #require(unsafe chmod(top.path, 0o711) == 0)
    let secrets = try top.folder("secrets")
    let key = try top.file("secrets/key", containing: "a private key")
    let shared = try top.folder("shared")
    try #require(unsafe chmod(shared, 0o777) == 0)
    let sticky = try top.folder("sticky")
    try #require(unsafe chmod(sticky, 0o1777) == 0)
    let old = try top.file("old", containing: Self.stepsByPath)
    try #require(unsafe chmod(old, 0o700) == 0)
    let home = try AcctHome(hasVault: false)
    let script = Product.source("Examples/systemd/acct-metrics")

    let rounds = TestExtent.count(100, full: 500)
    async let refused = run(script, rounds: rounds, in: shared, beside: key, of: home)
    async let replaced = run(script, rounds: rounds, in: sticky, beside: key, of: home)
    let (open, safe) = try await (refused, replaced)
    #expect(open == (rounds, 0, true), "\(open)")
    #expect(safe == (rounds, rounds, true), "\(safe)")
    #expect(try await ChildProcess("ls", ["-A", secrets]).run().text == "key\nkey.log\n")
    let files = try await ChildProcess("stat", ["-c", "%a %u %F", "\(sticky)/acct-\(try await Self.user()).prom"]).run()
    #expect(files.text == "644 \(geteuid()) regular file\n", "\(files.errorText)")

    // The same race against the same user does find the steps by path.
    let lost = try await run(old, rounds: 1000, in: shared, beside: key, of: home)
    #expect(!lost.isKeyIntact, "\(lost)")
  }

  private static func user() async throws -> String {
    String(try await ChildProcess("id", ["-un"]).run().text.dropLast())
  }
}
