import AcctTestSupport
import Testing

/// What only a real process has: descriptors, modes, the environment.
@Suite("The process and its files")
struct ProcessTests {
  @Test("Output that can't be written is an error")
  func fullDisk() async throws {
    let home = try AcctHome()
    #expect(try await home.acct("add", "--import", Product.source("Examples/bob.json")).status == 0)
    let token = home.command(["token"])
    let shell = ChildProcess("sh", ["-c", "\"$0\" token >/dev/full", token.program], environment: token.environment)
    let output = try await shell.run()
    #expect(output.status == 1)
    #expect(output.errorText.contains("can't write standard output"))
  }

  @Test("A file that grows beyond the limit of the process is an error and no signal, and a command has the signal")
  func fileSizeLimit() async throws {
    let home = try AcctHome()
    #expect(try await home.acct("add", "--import", Product.source("Examples/bob.json")).status == 0)
    let acct = home.command(["token"])
    // What it prints goes to a pipe, which has no limit.
    func run(_ words: String) async throws -> String {
      let script = #"(ulimit -f 0; "$0" \#(words); echo "status $?") 2>&1 | cat"#
      return try await ChildProcess("sh", ["-c", script, acct.program], environment: acct.environment).run().text
    }
    let allowed = try await run("allow bob@login.example https://more.example")
    #expect(allowed.hasPrefix("acct: \(home.path)/data/accounts/"), "\(allowed)")
    #expect(allowed.hasSuffix(".json: file too large\nstatus 1\n"), "\(allowed)")
    #expect(try await home.acct("token").status == 0)
    #expect(try await run("exec -- sh -c 'echo x >\(home.path)/large'").hasSuffix("status 153\n"))
  }

  @Test("Every file is accessible to the user alone")
  func modes() async throws {
    let home = try AcctHome(hasVault: false)
    #expect(
      try await home.acct("add", "--import", Product.source("Examples/alice.json")).status == 0
    )
    let open = try await ChildProcess("find", [home.path, "-perm", "/077"]).run()
    #expect(open.status == 0)
    #expect(open.text.isEmpty)
  }

  @Test("No file holds a secret except the vault's, which are encrypted")
  func secretsInFiles() async throws {
    let home = try AcctHome()
    let added = try await home.acct(
      "add",
      "--import",
      "-",
      input:
        #"{"access_token":"MARKER-access","refresh_token":"MARKER-refresh","handle":"a.example.com","issuer":"https://i.example"}"#
    )
    #expect(added.status == 0)
    let found = try await ChildProcess("grep", ["-rl", "MARKER", home.path]).run()
    #expect(found.status == 1)
    #expect(found.text.isEmpty)
  }

  /// Documentation/threat-model.md and the export's format state the cost; every other test is spared it.
  @Test("A guess at the passphrase of a vault or an export costs what the documentation says")
  func costs() async throws {
    let home = try AcctHome(hasVault: false)
    #expect(try await home.acct("add", "--import", Product.source("Examples/bob.json")).status == 0)
    let vault = String(decoding: try #require(home.contents(of: "data/vault/header")), as: UTF8.self)
    #expect(vault.contains(#""n":32768,"r":8,"p":3,"#), "\(vault)")
    let folder = try TemporaryFolder()
    let passphrase = try folder.file("passphrase", containing: "made up for this")
    let export = try await home.acct("export", "--all", "--passphrase-file", passphrase)
    #expect(export.text.contains(#""n":131072"#), "\(export.text.prefix(300))")
  }

  @Test("A wrong passphrase exits 6, even while the kernel holds the vault's key")
  func wrongPassphrase() async throws {
    let home = try AcctHome()
    #expect(try await home.acct("add", "--import", Product.source("Examples/bob.json")).status == 0)
    let folder = try TemporaryFolder()
    var command = home.command(["token"])
    command.environment["ACCT_VAULT_PASSPHRASE_FILE"] = try folder.file("wrong", containing: "wrong")
    let output = try await command.run()
    #expect(output.status == 6)
    #expect(output.text.isEmpty)
    #expect(try await home.acct("token").status == 0)
  }
}
