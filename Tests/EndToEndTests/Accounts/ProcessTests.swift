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
    func run(_ script: String) async throws -> ChildProcess.Output {
      try await ChildProcess("sh", ["-c", "ulimit -f 0; \(script)", acct.program], environment: acct.environment).run()
    }
    let allowed = try await run("exec \"$0\" allow bob.example.com https://more.example")
    #expect(allowed.status == 1)
    #expect(allowed.errorText.hasPrefix("acct: \(home.path)/data/accounts/"))
    #expect(allowed.errorText.hasSuffix(".json: file too large\n"))
    #expect(try await home.acct("token").status == 0)
    let command = try await run("\"$0\" exec -- sh -c 'echo x >\"$1\"' sh '\(home.path)/large'; test $? -gt 128")
    #expect(command.status == 0, "\(command.errorText)")
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

  /// SECURITY.md and the export's format state the cost; every other test is spared it.
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
