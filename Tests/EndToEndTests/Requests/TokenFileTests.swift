import AcctTestSupport
import Glibc
import Testing

/// Every signal that ends a process and can be caught, but for SIGPIPE and SIGXFSZ, which acct ignores.
private let endingSignals: [Int32] = [
  SIGHUP, SIGINT, SIGQUIT, SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGUSR1, SIGSEGV, SIGUSR2, SIGALRM, SIGTERM,
  SIGSTKFLT, SIGXCPU, SIGVTALRM, SIGPROF, SIGIO, SIGPWR, SIGSYS, 34, 64,
]

/// The built `acct` beside a command that reads tokens from files.
@Suite("Running a command with token files")
struct TokenFileTests {
  /// In memory, and of this test's own: what other processes leave or sweep lies elsewhere.
  private let runtime: TemporaryFolder

  init() throws { runtime = try TemporaryFolder(in: "/dev/shm") }

  /// A home with an account whose ID token ends in the year 2100.
  private func home(with variables: [String: String] = [:]) async throws -> AcctHome {
    let home = try AcctHome(with: ["XDG_RUNTIME_DIR": runtime.path].merging(variables) { $1 })
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
    #expect(folder.hasPrefix("\(runtime.path)/acct-secrets-"))
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

  @Test("Every signal is passed on, acct ends as the command does, and no file is left", arguments: endingSignals)
  func signals(number: Int32) async throws {
    let home = try await home()
    let command = ["exec", "--token-file", "F", "--", "sh", "-c", "echo \"$F\"; exec sleep 60"]
    let sleeping = try RunningProcess(home.command(command))
    let path = try await sleeping.firstLine()
    #expect(isThere(path))
    // To acct alone.
    kill(sleeping.id, number)
    #expect(await sleeping.ended() == 128 + number)
    #expect(!isThere(path))
    #expect(try await ChildProcess("ls", ["-A", runtime.path]).run().text.isEmpty)
  }

  @Test(
    "A command that handles a signal goes on until it ends by itself",
    arguments: [SIGTERM, SIGHUP, SIGINT, SIGUSR1]
  )
  func handled(number: Int32) async throws {
    let home = try await home()
    let trap = "trap 'exit 7' TERM HUP INT USR1; echo \"$F\"; while :; do sleep 0.05; done"
    let trapping = try RunningProcess(home.command(["exec", "--token-file", "F", "--", "sh", "-c", trap]))
    let path = try await trapping.firstLine()
    kill(trapping.id, number)
    #expect(await trapping.ended() == 7)
    #expect(!isThere(path))
  }

  @Test(
    "What SIGKILL leaves is deleted by the next exec, doctor or remove, and files of a living process are not",
    arguments: [
      ["exec", "--token-file", "F", "--", "true"], ["doctor", "--offline"], ["remove", "kept", "--local"],
    ]
  )
  func leftovers(command: [String]) async throws {
    let home = try await home()
    try await home.addBearer("kept", at: "https://kept.example")
    let exec = ["exec", "--token-file", "F", "--", "sh", "-c", "echo \"$F\"; exec sleep 60"]
    let killed = try RunningProcess(home.command(exec))
    let left = try await killed.firstLine()
    let living = try RunningProcess(home.command(exec))
    let used = try await living.firstLine()
    kill(killed.id, SIGKILL)
    #expect(await killed.ended() == 137)
    #expect(isThere(left))
    let run = try await home.command(command).run()
    #expect(run.status == 0, "\(run.text)\(run.errorText)")
    #expect(run.text.contains("repaired  1 folder with secrets") == (command.first == "doctor"), "\(run.text)")
    #expect(!isThere(left))
    #expect(isThere(used))
    kill(living.id, SIGTERM)
    #expect(await living.ended() == 143)
    // Its command, which nothing waits for any more.
    kill(-killed.id, SIGKILL)
  }

  @Test("A runtime folder on a disk, or one that others own or can write to, is not used")
  func runtimeFolders() async throws {
    let open = try runtime.folder("open")
    try #require(unsafe chmod(open, 0o777) == 0)
    var places = ["/proc", "relative", open]
    if geteuid() == 0 {
      let theirs = try runtime.folder("theirs")
      try #require(unsafe chown(theirs, 65_534, 65_534) == 0)
      places.append(theirs)
    }
    for place in places {
      for variables in [["XDG_RUNTIME_DIR": place], ["XDG_RUNTIME_DIR": "", "TMPDIR": place]] {
        let home = try await home(with: variables)
        let run = try await home.acct("exec", "--token-file", "F", "--", "sh", "-c", "echo \"$F\"")
        #expect(run.status == 0, "\(run.errorText)")
        #expect(run.text.hasPrefix("/dev/shm/acct-secrets-"), "\(place): \(run.text)")
      }
    }
    // And where there is no other place, nothing is written at all.
    let home = try await home(with: ["XDG_RUNTIME_DIR": "/proc", "TMPDIR": open])
    let rights = geteuid() == 0 ? [] : ["--map-root-user"]
    var command = home.command(["exec", "--token-file", "F", "--", "true"])
    command.arguments =
      rights + ["--mount", "sh", "-euc", "mount --bind /proc /dev/shm; exec \"$@\"", "sh", command.program]
      + command.arguments
    command.program = "unshare"
    let run = try await command.run()
    #expect(run.status == 1)
    #expect(run.errorText.contains("there is no place in memory for a file with a token: /"))
    #expect(run.errorText.contains("hint: set XDG_RUNTIME_DIR"))
    #expect(try await ChildProcess("ls", ["-A", open]).run().text.isEmpty)
  }

  @Test("A signal during `helper setup` deletes the copy of the settings", arguments: [SIGTERM, SIGALRM, SIGKILL])
  func setup(number: Int32) async throws {
    let home = try await home()
    let folder = try TemporaryFolder()
    let settings = try folder.file("gitconfig", containing: "[user]\n\tname = a secret\n")
    let git = try folder.file(
      "git",
      containing: """
        #!/bin/sh
        for word; do [ ! -f "$word" ] || { printf '%s\n' "$word"; cat "$word"; } >'\(folder.path)/seen'; done
        [ -s '\(folder.path)/seen' ] || exit 1
        kill -\(number) $PPID
        sleep 60
        """
    )
    let linked = unsafe chmod(git, 0o700) == 0 && symlink(git, "\(folder.path)/git-credential-acct") == 0
    try #require(linked)
    var setup = home.command(["helper", "setup", "git"])
    setup.environment["GIT_CONFIG_GLOBAL"] = settings
    setup.environment["PATH"] = "\(folder.path):/usr/bin:/bin"
    let run = try await setup.run()
    #expect(run.status == 128 + number, "\(run.errorText)")
    let seen = try await ChildProcess("cat", ["\(folder.path)/seen"]).run().text.split(separator: "\n")
    let copy = try #require(seen.first.map(String.init))
    #expect(copy.hasPrefix("\(runtime.path)/acct-secrets-") && seen.last == "\tname = a secret")
    #expect(isThere(copy) == (number == SIGKILL))
    // What a process that was killed left is for the next one.
    let swept = try await home.acct("doctor", "--offline")
    #expect(swept.status == 0, "\(swept.text)")
    #expect(!isThere(copy))
  }

  @Test("A command that is not there is 127, and leaves no folder")
  func notFound() async throws {
    let home = try await home()
    #expect(try await home.acct("exec", "--token-file", "F", "--", "no-such-program-here").status == 127)
  }
}
