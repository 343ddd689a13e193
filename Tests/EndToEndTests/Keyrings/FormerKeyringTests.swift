import AcctTestSupport
import StrictJSON
import Testing

/// The built `acct` and a real GNOME Keyring of a desktop that has changed.
@Suite("A keyring of a desktop that has changed")
struct FormerKeyringTests {
  /// The password of `login` is lost, and another collection is the default one; two accounts are in `login`.
  private func withFormer(_ body: (AcctHome) async throws -> Void) async throws {
    let data = Product.source("Tests/SecretServices/former-keyring")
    let keyring = try GnomeKeyring(collections: data + "/keyrings")
    defer { keyring.stop() }
    let home = try AcctHome(in: keyring)
    try Daemon.run(["cp", "-r", data + "/acct-home", home.path], environment: [:])
    try Daemon.run(["chmod", "-R", "u=rwX,go=", home.path], environment: [:])
    try await body(home)
  }

  private static let url = "https://api.example.com/x"

  @Test("An account in a locked former collection is told with its name, and the collection is never said to be open")
  func named() async throws {
    try await withFormer { home in
      for words in [["header", Self.url], ["status", "weather"], ["keyring", "unlock"]] {
        let output = try await home.command(words).run()
        #expect(output.status == 6, "\(words): \(output.errorText)")
        #expect((output.text + output.errorText).contains("in its collection Login"), "\(words): \(output.errorText)")
        #expect(!output.errorText.contains("is unlocked"))
      }
      let status = try await home.acct("keyring", "status")
      #expect(status.text.contains("Login, which has the items of notes, weather"), "\(status.text)")
      let json = try JSON(parsing: try await home.acct("keyring", "status", "--json").standardOutput)
      #expect(json["keyring"]?["lockedParts"]?.arrayValue?.first?["name"] == "Login")
      let doctor = try await home.acct("doctor", "--offline")
      let finding = "the collection Login of the keyring is locked, which has the items of notes, weather"
      #expect(doctor.text.contains(finding), "\(doctor.text)")
      #expect(!doctor.text.contains("is not in the keyring"), "\(doctor.text)")
    }
  }

  @Test("A locked former collection hinders neither another account nor new credentials, nor a local removal")
  func passedBy() async throws {
    try await withFormer { home in
      let add = ["add", "--token", "-", "--no-input", "--name"]
      let fresh = add + ["fresh", "--allow-origin", "https://fresh.example"]
      #expect(try await home.command(fresh, input: "made-up-1").run().status == 0)
      #expect(try await home.acct("header", "https://fresh.example/").text == "Authorization: Bearer made-up-1\n")
      let anew = add + ["weather", "--allow-origin", "https://api.example.com"]
      #expect(try await home.command(anew, input: "made-up-2").run().status == 0)
      #expect(try await home.acct("header", Self.url).text == "Authorization: Bearer made-up-2\n")
      let login = ["login", "weather", "--token", "-"]
      #expect(try await home.command(login, input: "made-up-3").run().status == 0)
      #expect(try await home.acct("header", Self.url).text == "Authorization: Bearer made-up-3\n")
      let removed = try await home.acct("remove", "notes", "--local")
      #expect(removed.status == 0, "\(removed.errorText)")
      #expect(removed.errorText.contains("items of notes are still in the collection Login"))
      let names = try await home.accounts().compactMap { $0["name"]?.stringValue }
      #expect(names.sorted() == ["fresh", "weather"])
      let doctor = try await home.acct("doctor", "--offline")
      #expect(!doctor.text.contains("Login"), "\(doctor.text)")
    }
  }

  @Test("A bus of an earlier session is passed by for the user's own, and named where there is none")
  func staleBus() async throws {
    let keyring = try GnomeKeyring()
    defer { keyring.stop() }
    let home = try AcctHome(in: keyring, with: ["DBUS_SESSION_BUS_ADDRESS": "unix:path=/made-up/former"])
    let added = try await home.acct("add", "--import", Product.source("Examples/alice.json"))
    #expect(added.status == 0, "\(added.errorText)")
    #expect(try await home.acct("header", "https://pds.example/xrpc/method").status == 0)
    keyring.kill()
    keyring.bus.stop()
    let failed = try await home.acct("header", "https://pds.example/xrpc/method")
    #expect(failed.status == 7)
    let named = "at unix:path=/made-up/former, which DBUS_SESSION_BUS_ADDRESS names"
    #expect(failed.errorText.contains(named), "\(failed.errorText)")
  }

  @Test("The first account beside a bus that is gone goes to a vault, which is told with the reason")
  func vaultInstead() async throws {
    let bus = ["DBUS_SESSION_BUS_ADDRESS": "unix:path=/made-up/former", "ACCT_KEYRING": "auto"]
    let home = try AcctHome(with: bus)
    let added = try await home.acct("add", "--import", Product.source("Examples/alice.json"))
    #expect(added.status == 0)
    #expect(added.errorText.contains("accounts are kept in a vault, since the keyring is not available"))
    #expect(added.errorText.contains("unix:path=/made-up/former"), "\(added.errorText)")
    let again = try await home.acct("add", "--import", Product.source("Examples/bob.json"))
    #expect(again.status == 0)
    #expect(!again.errorText.contains("vault"), "\(again.errorText)")
  }

  @Test("A desktop without a keyring, where none can be made, leads to the vault")
  func noCollection() async throws {
    let keyring = try GnomeKeyring(withCollection: false)
    defer { keyring.stop() }
    let home = try AcctHome(in: keyring, with: ["ACCT_KEYRING": "auto"])
    let added = try await home.acct("add", "--import", Product.source("Examples/alice.json"))
    #expect(added.status == 6)
    #expect(added.errorText.contains("set ACCT_KEYRING=vault"), "\(added.errorText)")
  }

  @Test("A locked desktop's keyring leads to its desktop where no prompt can be shown")
  func noDesktop() async throws {
    let keyring = try GnomeKeyring()
    defer { keyring.stop() }
    let home = try AcctHome(in: keyring)
    let added = try await home.acct("add", "--import", Product.source("Examples/alice.json"))
    try #require(added.status == 0)
    try keyring.lock()
    let failed = try await home.acct("header", "https://pds.example/xrpc/method")
    #expect(failed.status == 6)
    #expect(failed.errorText.contains("unlock it on its desktop"), "\(failed.errorText)")
    #expect(!failed.errorText.contains("acct keyring unlock"), "\(failed.errorText)")
  }
}
