import AcctTestSupport
import Glibc
import StrictJSON
import Testing

/// Machines that lack something: `/proc`, or a library.
@Suite("acct on a machine that lacks something")
struct BareMachineTests {
  private static let mapped = geteuid() == 0 ? [] : ["--map-root-user"]

  /// Runs acct where `/proc` is empty.
  private func acct(_ home: AcctHome, _ arguments: [String], input: String = "") async throws -> ChildProcess.Output {
    let script = #"mount -t tmpfs none /proc && exec "$0" "$@""#
    return try await ChildProcess(
      "unshare",
      Self.mapped + ["--mount", "sh", "-euc", script, Product.executable("acct")] + arguments,
      environment: home.command([]).environment,
      input: input
    ).run()
  }

  @Test("Every command that needs no server works without /proc, and no mistake is answered by the home screen")
  func noProc() async throws {
    let home = try AcctHome()
    let url = "https://api.example/v1"
    let added = try await acct(
      home,
      ["add", "--token", "-", "--allow-origin", "https://api.example", "--name", "a"],
      input: "made-up"
    )
    #expect(added.status == 0, "\(added.errorText)")
    for line in [
      "list", "status", "header \(url)", "token", "limits", "refresh", "providers", "providers github", "switch a",
      "allow a https://more.example", "rename a b", "keyring", "keyring unlock", "keyring lock", "vault unlock",
      "vault lock", "complete accounts", "helper bazel get", "exec -- true",
      "add --from list --json", "--help", "add --help", "--version", "doctor --offline", "doctor",
      "key list --hardware", "remove b --local",
    ] {
      let input = line.hasPrefix("helper") ? #"{"uri":"\#(url)"}"# : ""
      let output = try await acct(home, line.split(separator: " ").map(String.init), input: input)
      let expected: Set<Int32> = line.hasPrefix("add --from") ? [0, 1] : [0]
      #expect(expected.contains(output.status), "\(line): \(output.errorText)")
    }
    for line in ["lst", "header", "list nonsense", "--nonsense"] {
      let output = try await acct(home, line.split(separator: " ").map(String.init))
      #expect([5, 64].contains(output.status), "\(line): \(output.status)")
      #expect(output.standardOutput.isEmpty)
    }
  }

  @Test("No command is ended by a signal without /proc, whatever else the processor has to do")
  func noSignal() async throws {
    let server = try await StrictServer(["rs_nonce": false])
    let home = try AcctHome()
    let added = try await home.signIn(at: server).run()
    try #require(added.status == 0, "\(added.errorText)")
    // On one core, which another process wants as well, threads wait for their turn: of `doctor` one run in ten was ended,
    // before workers were kept from libdispatch's monitor (Sources/CArguments/workers.c).
    let script = #"""
      mount -t tmpfs none /proc
      url=$1
      shift
      (while :; do :; done) & busy=$!
      trap 'kill $busy' EXIT
      for line in list status "header $url" "request $url" doctor "doctor --offline" "refresh --force" limits; do
        ended=0 done=0
        for run in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
          for again in 1 2; do
            "$0" $line >/dev/null 2>&1 && status=0 || status=$?
            done=$((done + 1))
            [ $status -le 128 ] || ended=$((ended + 1))
          done
        done
        echo "$line: $ended of $done"
      done
      """#
    let words = ["--mount", "taskset", "-c", "0", "sh", "-euc", script, Product.executable("acct")]
    let ran = try await ChildProcess(
      "unshare",
      Self.mapped + words + ["\(server.resource)/resource"],
      environment: home.command([]).environment
    ).run()
    let lines = ran.text.split(separator: "\n")
    #expect(lines.count == 8, "\(ran.text) \(ran.errorText)")
    #expect(lines.allSatisfy { $0.hasSuffix(": 0 of 40") }, "\(ran.text)")
  }

  @Test(
    "A library that is missing is named with the package that has it",
    arguments: [
      ("libcurl.so.4", "libcurl4", ["add", "--guest", "http://127.0.0.1:1"]),
      ("libpq.so.5", "libpq5", ["keyring", "create", "postgres", "host=localhost dbname=acct"]),
    ]
  )
  func library(name: String, package: String, arguments: [String]) async throws {
    let folder = try TemporaryFolder()
    // The loader looks here first, and a file that is no library is one that can't be loaded.
    _ = try folder.file(name, containing: "")
    let home = try AcctHome(with: ["LD_LIBRARY_PATH": folder.path])
    let output = try await home.command(arguments).run()
    #expect(output.status != 0)
    #expect(
      output.errorText.contains("\(name) is not installed: install the package \(package)"),
      "\(output.errorText)"
    )
  }
}
