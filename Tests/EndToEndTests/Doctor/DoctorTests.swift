import AcctTestSupport
import StrictJSON
import Testing

/// The built `acct doctor` on real folders and real keyrings.
@Suite("The doctor on real keyrings")
struct DoctorTests {
  private func fill(_ home: AcctHome) async throws {
    for example in ["bob", "alice"] {
      let added = try await home.acct("add", "--import", Product.source("Examples/\(example).json"))
      try #require(added.status == 0, "\(added.errorText)")
    }
  }

  /// The status, and the codes of what is not ok; `!` where it was repaired.
  private func diagnose(_ home: AcctHome, _ options: String...) async throws -> (Int32, [String]) {
    let run = try await home.command(["doctor", "--json", "--offline"] + options).run()
    let json = try JSON(parsing: run.standardOutput).objectValue
    let findings = try #require(json?["findings"]?.arrayValue).compactMap(\.objectValue)
    let codes = findings.filter { $0["severity"] != "ok" }.map {
      ($0["code"]?.stringValue ?? "?") + ($0["repaired"] == true ? "!" : "")
    }
    return (run.status, codes)
  }

  @Test("The doctor rebuilds accounts from either keyring alone", arguments: ["vault", "gnome"])
  func rebuilds(keyring: String) async throws {
    let gnome = keyring == "gnome" ? try GnomeKeyring() : nil
    defer { gnome?.stop() }
    let home = if let gnome { try AcctHome(in: gnome) } else { try AcctHome() }
    try await fill(home)
    #expect(try await diagnose(home) == (0, []))
    let before = try await home.acct("token", "-a", "alice.example.com").text
    #expect(try await ChildProcess("rm", ["-r", "\(home.path)/data/accounts"]).run().status == 0)

    #expect(try await diagnose(home) == (1, ["orphanedItems", "orphanedItems", "activeGone"]))
    #expect(try await diagnose(home, "--repair") == (0, ["orphanedItems!", "orphanedItems!"]))
    #expect(try await diagnose(home) == (0, []))
    #expect(try await home.acct("token", "-a", "alice.example.com").text == before)
    #expect(try await home.acct("header", "https://pds.example/xrpc/a").status == 0)
    #expect(try await home.accounts().count == 2)
  }

  @Test("The doctor tells a locked keyring (6) from a dead one (7) at once and without a prompt")
  func keyring() async throws {
    let gnome = try GnomeKeyring()
    defer { gnome.stop() }
    let home = try AcctHome(in: gnome)
    try await fill(home)
    try gnome.lock()
    let (locked, codes) = try await diagnose(home, "--repair")
    #expect(locked == 6)
    #expect(codes.contains("keyringLocked"))
    gnome.kill()
    #expect(try await diagnose(home).0 == 7)
    #expect(try await home.accounts().count == 2)
  }

  @Test("The doctor names a damaged vault and repairs nothing in it")
  func vault() async throws {
    let home = try AcctHome()
    try await fill(home)
    let header = "\(home.path)/data/vault/header"
    #expect(try await ChildProcess("sed", ["-i", "s/scrypt/skrypt/", header]).run().status == 0)
    let run = try await home.acct("doctor", "--offline", "--repair")
    #expect(run.status == 1)
    #expect(run.text.contains("the header is of a kind"))
    #expect(home.contents(of: "data/vault/header") != nil)
  }

  @Test("The doctor names each damaged item of the vault and how to replace it")
  func vaultItem() async throws {
    let home = try AcctHome()
    try await fill(home)
    #expect(try await diagnose(home) == (0, []))
    let script = #"for file in "$0"/data/vault/*.refreshToken; do printf x >>"$file"; done"#
    #expect(try await ChildProcess("sh", ["-c", script, home.path]).run().status == 0)
    let run = try await home.acct("doctor", "--offline")
    #expect(run.status == 1)
    #expect(run.text.contains("problem   the refresh token of alice.example.com can't be read: "))
    #expect(run.text.contains("is damaged: oauth."))
    #expect(run.text.contains("fix: restore it from a backup; or sign in again with `acct login alice"))
    #expect(try await diagnose(home, "--repair") == (1, ["damagedItem"]))
    #expect(try await home.acct("remove", "--local", "alice.example.com").status == 0)
    #expect(try await diagnose(home) == (0, []))
  }

  @Test("The doctor closes readable files, deletes old ones and warns of those that others can write")
  func folders() async throws {
    let home = try AcctHome()
    try await fill(home)
    let script = """
      cd "$0" && chmod 755 data && chmod 644 data/active && chmod 666 data/keyring &&
      ln -s /etc/hostname data/device-id &&
      touch -d '2 minutes ago' data/accounts/.tmp-1 && touch data/accounts/.tmp-2 &&
      mkdir -p run/nonces state/locks && chmod 700 run run/nonces state state/locks &&
      touch -d '1 hour ago' run/nonces/x state/locks/book &&
      chmod 600 data/accounts/.tmp-* run/nonces/x state/locks/book
      """
    let prepared = try await ChildProcess("sh", ["-c", script, home.path]).run()
    try #require(prepared.status == 0, "\(prepared.errorText)")

    let wrong = ["readable", "link", "writable", "temporaryFiles", "locks"]
    let (_, first) = try await diagnose(home)
    #expect(first.filter(wrong.contains).sorted() == wrong.sorted())
    let (status, second) = try await diagnose(home, "--repair")
    #expect(status == 1)
    for code in ["readable!", "temporaryFiles!", "locks!", "link", "writable"] {
      #expect(second.contains(code), "\(code)")
    }
    let modes = try await ChildProcess(
      "stat",
      ["-c", "%a", "\(home.path)/data", "\(home.path)/data/active", "\(home.path)/data/keyring"]
    ).run().text
    #expect(modes == "700\n600\n666\n")
    let left = try await home.files()
    #expect(left.contains("data/accounts/.tmp-2"))
    for name in ["data/accounts/.tmp-1", "run/nonces/x", "state/locks/book"] {
      #expect(!left.contains(name), "\(name)")
    }
  }

  @Test("The doctor asks the accounts' servers for the time")
  func clock() async throws {
    let server = try await StrictServer()
    let home = try AcctHome()
    try await home.importExpired(from: server)
    let run = try await home.acct("doctor")
    #expect(run.status == 0, "\(run.text)")
    #expect(run.text.contains("the clock agrees with that of http://127.0.0.1:"))
    try await server.expectNothingWrong()
  }
}
