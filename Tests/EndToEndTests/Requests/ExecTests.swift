import AcctTestSupport
import Glibc
import Testing

/// The built `acct` becoming another program.
@Suite("Running a command with the token")
struct ExecTests {
  private func home() async throws -> AcctHome {
    let home = try AcctHome()
    let added = try await home.acct("add", "--import", Product.source("Examples/bob.json"))
    try #require(added.status == 0, "\(added.errorText)")
    return home
  }

  @Test("A command of exec has the token in its environment beside every other variable")
  func environment() async throws {
    let home = try await home()
    let token = try await home.acct("token").text
    let run = try await home.acct("exec", "--", "printenv", "ACCT_TOKEN", "LANG", "ACCT_HOME")
    #expect(run.status == 0)
    #expect(run.text == "\(token)C.UTF-8\n\(home.path)\n")
    var again = home.command(["exec", "--env", "LANG", "--", "sh", "-c", "echo $LANG; env"])
    again.environment["LANGUAGE"] = "en"
    let lines = try await again.run().text.split(separator: "\n")
    #expect(lines.first.map { "\($0)\n" } == token)
    #expect(lines.count { $0.hasPrefix("LANG=") } == 1)
    #expect(lines.contains("LANGUAGE=en"))
    #expect(!lines.contains { $0.hasPrefix("ACCT_TOKEN=") })
  }

  @Test("A command of exec replaces acct: input, output, exit status and signals are its own")
  func replaced() async throws {
    let home = try await home()
    let cat = try await home.acct("exec", "--", "sh", "-c", "cat; exit 42", input: "typed")
    #expect(cat.status == 42)
    #expect(cat.text == "typed")
    #expect(cat.errorText.isEmpty)

    let sleeping = try RunningProcess(home.command(["exec", "--", "sh", "-c", "echo $$; exec sleep 60"]))
    #expect(try await sleeping.firstLine() == "\(sleeping.id)")
    sleeping.send(SIGTERM)
    #expect(await sleeping.ended() == 128 + SIGTERM)
  }

  /// A renewal has opened sockets, an event loop and threads of its own by then.
  @Test("A command of exec inherits nothing of acct, even after a renewal with a keyring on the bus")
  func inherits() async throws {
    let server = try await StrictServer()
    let keyring = try GnomeKeyring()
    defer { keyring.stop() }
    let home = try AcctHome(in: keyring)
    try await home.importExpired(from: server)
    // Of the signals the first 28: the C library keeps two of the others for itself.
    let script = #"""
      ls /proc/self/fd; sed -n 's/^Sig[BI].*\(.......\)$/\1/p' /proc/self/status; umask; ulimit -c
      """#
    let direct = try await ChildProcess("sh", ["-c", script], environment: home.command([]).environment).run()
    let run = try await home.acct("exec", "--", "sh", "-c", script)
    #expect(run.status == 0, "\(run.errorText)")
    #expect(run.text == direct.text)
  }

  @Test("A command of exec keeps the caller's open files and ignored signals")
  func keeps() async throws {
    let home = try await home()
    let acct = home.command([])
    let script = "trap '' PIPE; exec 7</etc/hostname; exec \"$@\""
    let looking = ["sh", "-c", "cat <&7; grep SigIgn /proc/self/status"]
    let run = { (command: [String]) in
      try await ChildProcess("sh", ["-c", script, "sh"] + command, environment: acct.environment).run().text
    }
    let direct = try await run(looking)
    #expect(direct.contains("1000\n"))
    #expect(try await run([acct.program, "exec", "--"] + looking) == direct)
  }

  @Test("A command of exec is found as sh finds it, and if it can't run the status is env's")
  func notRun() async throws {
    let home = try await home()
    let folder = try TemporaryFolder()
    let text = try folder.file("text", containing: "echo a script without a first line\n")
    for command in ["no-such-command", "/no/such/command", "", text, folder.path] {
      let ours = try await home.command(["exec", "--", command]).run()
      if command.isEmpty {
        #expect(ours.status == 64)
        continue
      }
      let env = try await ChildProcess("env", [command]).run()
      #expect(ours.status == env.status, "\(command)")
      #expect(ours.text.isEmpty)
      #expect(ours.errorText.hasPrefix("acct: \(command): "))
    }
    #expect(try await ChildProcess("chmod", ["700", text]).run().status == 0)
    #expect(try await home.acct("exec", "--", text).text == "a script without a first line\n")
    var elsewhere = home.command(["exec", "--", "text"])
    elsewhere.environment["PATH"] = "/nonexistent:\(folder.path)"
    #expect(try await elsewhere.run().text == "a script without a first line\n")
  }
}
