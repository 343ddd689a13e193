import AcctTestSupport
import Testing

/// The built `acct` moving accounts between real keyrings.
@Suite("Moving accounts by export")
struct ExportTests {
  private static let url = "https://pds.example/xrpc/method"
  private let folder: TemporaryFolder
  private let passphrase: String

  init() throws {
    folder = try TemporaryFolder()
    passphrase = try folder.file("passphrase", containing: "made up\n")
  }

  private var file: String { "\(folder.path)/export" }

  /// A home with the two accounts of the demo in it.
  private func fill(_ home: AcctHome) async throws {
    for example in ["bob", "alice"] {
      let added = try await home.acct("add", "--import", Product.source("Examples/\(example).json"))
      try #require(added.status == 0, "\(added.errorText)")
    }
  }

  private func export(_ home: AcctHome, _ options: String...) async throws -> ChildProcess.Output {
    try await home.command(["export", "--all", "-o", file, "--passphrase-file", passphrase] + options).run()
  }

  @Test("Accounts that move from the vault to a GNOME Keyring and back work the same")
  func bothKeyrings() async throws {
    let vault = try AcctHome()
    try await fill(vault)
    #expect(try await export(vault).status == 0)

    let gnome = try GnomeKeyring()
    defer { gnome.stop() }
    let home = try AcctHome(in: gnome)
    let taken = try await home.acct("add", "--import", file, "--passphrase-file", passphrase)
    #expect(taken.status == 0, "\(taken.errorText)")
    for account in ["alice.example.com", "bob@login.example"] {
      let token = try await home.acct("token", "-a", account)
      #expect(token.status == 0)
      #expect(token.text == (try await vault.acct("token", "-a", account).text))
    }
    #expect(try await home.acct("header", Self.url).status == 0)

    #expect(try await export(home, "--force").status == 0)
    let back = try AcctHome()
    let input = try await ChildProcess("cat", [file]).run().text
    let again = try await back.acct("add", "--import", "-", "--passphrase-file", passphrase, input: input)
    #expect(again.status == 0, "\(again.errorText)")
    #expect(try await back.acct("header", Self.url).status == 0)
    #expect(try await back.accounts().count == 2)
  }

  @Test("An export file is its owner's alone, holds no readable secret and is not overwritten")
  func file() async throws {
    let home = try AcctHome()
    try await fill(home)
    #expect(try await export(home).status == 0)
    let mode = try await ChildProcess("stat", ["-c", "%a", file]).run().text
    #expect(mode == "600\n")
    let found = try await ChildProcess("grep", ["-cE", secretForms, file]).run().text
    #expect(found == "0\n")
    #expect(try await export(home).status == 1)
    let left = try await ChildProcess("ls", ["-A", folder.path]).run().text
    #expect(left == "export\npassphrase\n")
  }

  @Test("A passphrase file that others can read is not used")
  func openPassphrase() async throws {
    let home = try AcctHome()
    try await fill(home)
    #expect(try await ChildProcess("chmod", ["640", passphrase]).run().status == 0)
    let refused = try await export(home)
    #expect(refused.status == 1)
    #expect(refused.errorText.contains("its group or others can read"))
    #expect(try await ChildProcess("test", ["-e", file]).run().status == 1)
  }

  @Test("The passphrase is read without echo, and a terminal gets no export")
  func prompt() async throws {
    let home = try AcctHome()
    try await fill(home)
    let terminal = try ControllingTerminal()
    let asking = try RunningProcess(terminal.controlling(home.command(["export", "--all", "-o", file])))
    // Each question throws away what was typed ahead of it, so the line is typed until both have
    // been answered.
    while asking.exitStatus == nil {
      terminal.press("typed\n")
      try await Task.sleep(for: .milliseconds(5))
    }
    #expect(asking.exitStatus == 0, "\(asking.standardError.contents())")
    let text = try folder.file("typed", containing: "typed")
    let other = try AcctHome()
    let taken = try await other.acct("add", "--import", file, "--passphrase-file", text)
    #expect(taken.status == 0, "\(taken.errorText)")
  }
}
