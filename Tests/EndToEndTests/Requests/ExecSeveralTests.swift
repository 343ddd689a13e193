import AcctTestSupport
import Testing

/// The built `acct` becoming another program with the tokens of several accounts.
@Suite("Running a command with several tokens")
struct ExecSeveralTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func addKey(_ name: String, to home: AcctHome) async throws {
    let file = try folder.file("key-\(name)", containing: "made-up-key-of-\(name)\n")
    let line = ["add", "--token", file, "--allow-origin", "https://\(name).example", "--name", name, "--no-switch"]
    let added = try await home.command(line).run()
    try #require(added.status == 0, "\(added.errorText)")
  }

  @Test("Tokens of several accounts in a real keyring are in the environment, renewed where that is due")
  func keyring() async throws {
    let server = try await StrictServer()
    let keyring = try GnomeKeyring()
    defer { keyring.stop() }
    let home = try AcctHome(in: keyring)
    for name in ["one", "two"] { try await addKey(name, to: home) }
    try await home.importExpired(from: server)
    let env = try folder.file(".env", containing: "export ONE=\"acct://one\"\nPORT=3000\nHEADER=acct://two/header\n")
    let run = try await home.acct(
      "exec",
      "--env-file",
      env,
      "--env",
      "TOKEN",
      "--env",
      "TWO=two",
      "--",
      "sh",
      "-c",
      "echo $ONE $TWO $PORT $HEADER; test -n \"$TOKEN\" && echo $TOKEN"
    )
    #expect(run.status == 0, "\(run.errorText)")
    let lines = run.text.split(separator: "\n")
    #expect(lines.first == "made-up-key-of-one made-up-key-of-two 3000 Bearer made-up-key-of-two")
    #expect(try await home.acct("token").text == "\(lines.last ?? "")\n")
    let piped = try await home.command(
      ["exec", "--env-file", "-", "--", "printenv", "A"],
      input: "A=acct://one\n"
    ).run()
    #expect(piped.text == "made-up-key-of-one\n")
  }

  @Test("A command is not run where one of its tokens is missing")
  func wholly() async throws {
    let home = try AcctHome()
    try await addKey("one", to: home)
    let marker = "\(folder.path)/marker"
    for (options, status) in [
      (["--env", "A=one", "--env", "B=nope"], 5),
      (["--env-file", try folder.file("a", containing: "A=acct://nope\n")], 5),
      (["--env-file", try folder.file("b", containing: "A=acct://one\nB\n")], 65),
      (["--env-file", "\(folder.path)/none"], 65), (["--env", "A=one", "--env", "A=one"], 64),
    ] as [([String], Int32)] {
      let run = try await home.command(["exec"] + options + ["--", "touch", marker]).run()
      #expect(run.status == status, "\(run.errorText)")
      #expect(try await ChildProcess("test", ["-e", marker]).run().status == 1, "\(options)")
    }
    let run = try await home.acct("exec", "--env", "A=one", "--", "touch", marker)
    #expect(run.status == 0, "\(run.errorText)")
    #expect(try await ChildProcess("test", ["-e", marker]).run().status == 0)
  }

  @Test(
    "A .env file of eight keys becomes a running program in two commands, and the undoing restores each byte and the mode"
  )
  func eightKeys() async throws {
    let home = try AcctHome()
    let text = """
      # keys
      export OPENAI_API_KEY="sk-made-up-1" # work
      ANTHROPIC_API_KEY=sk-ant-made-up-2
      STRIPE_SECRET_KEY='sk_test_made_up_3'\r
      GITHUB_TOKEN = ghp_madeup4
      MISTRAL_API_KEY=`made-up-5`
      REPLICATE_API_TOKEN=r8_made_up_6
      ELEVENLABS_API_KEY: made-up-7
      DEEPL_AUTH_KEY="made-up-\\$8"
      PORT=3000

      """
    let env = try folder.file(".env", containing: text)
    #expect(try await ChildProcess("chmod", ["640", env]).run().status == 0)
    let written = try await home.acct("add", "--from", "env", env, "--rewrite", "--yes")
    #expect(written.status == 0, "\(written.errorText)")
    let contents = try await ChildProcess("cat", [env]).run().text
    #expect(contents.split(separator: "acct://").count == 9, "\(contents)")
    #expect(!(contents + written.text + written.errorText).contains("made"), "\(written.errorText)")
    let run = try await home.acct("exec", "--env-file", env, "--", "env")
    #expect(run.status == 0, "\(run.errorText)")
    for line in [
      "OPENAI_API_KEY=sk-made-up-1", "ANTHROPIC_API_KEY=sk-ant-made-up-2", "STRIPE_SECRET_KEY=sk_test_made_up_3",
      "GITHUB_TOKEN=ghp_madeup4", "MISTRAL_API_KEY=made-up-5", "REPLICATE_API_TOKEN=r8_made_up_6",
      "ELEVENLABS_API_KEY=made-up-7", "DEEPL_AUTH_KEY=made-up-$8", "PORT=3000",
    ] { #expect(run.text.contains("\(line)\n"), "\(line)") }
    let undone = try await home.acct("add", "--from", "env", env, "--undo", "--yes")
    #expect(undone.status == 0, "\(undone.errorText)")
    #expect(undone.errorText.hasSuffix("is as it was before; the accounts stay\n"))
    #expect(try await ChildProcess("cat", [env]).run().text == text)
    #expect(try await ChildProcess("stat", ["-c", "%a", env]).run().text == "640\n")
  }

  @Test("An account without an origin is exported and imported, and is no flaw")
  func noOrigin() async throws {
    let home = try AcctHome()
    let env = try folder.file(".env", containing: "APP_SECRET=made-up-secret\n")
    let terminal = try ControllingTerminal()
    let adding = try RunningProcess(terminal.controlling(home.command(["add", "--from", "env", env])))
    try await adding.ready { terminal.screen.contains("leave it") }
    terminal.press("v\n")
    #expect(await adding.ended() == 0, "\(terminal.screen)")
    let (file, passphrase) = ("\(folder.path)/export", try folder.file("passphrase", containing: "made up\n"))
    let exported = try await home.acct("export", "app-secret", "-o", file, "--passphrase-file", passphrase)
    #expect(exported.status == 0, "\(exported.errorText)")
    let other = try AcctHome()
    let imported = try await other.acct("add", "--import", file, "--passphrase-file", passphrase)
    #expect(imported.status == 0, "\(imported.errorText)")
    for home in [home, other] {
      #expect(try await home.acct("exec", "--env", "A=app-secret", "--", "printenv", "A").text == "made-up-secret\n")
      let doctor = try await home.acct("doctor", "--offline")
      #expect(!(doctor.text + doctor.errorText).contains("app-secret"), "\(doctor.text)")
    }
  }
}
