import AcctTestSupport
import Testing

/// The built `acct` and a real GNOME Keyring that is locked, frozen and killed under it.
@Suite("A real keyring that fails")
struct LockedKeyringTests {
  private static let url = "https://pds.example/xrpc/method"

  /// A keyring with an account in it.
  private func withAccount(_ body: (AcctHome, GnomeKeyring) async throws -> Void) async throws {
    let keyring = try GnomeKeyring()
    defer { keyring.stop() }
    let home = try AcctHome(in: keyring)
    let added = try await home.acct("add", "--import", Product.source("Examples/alice.json"))
    try #require(added.status == 0, "\(added.errorText)")
    try await body(home, keyring)
  }

  @Test("A locked keyring leaves list working, header exits 6, and nothing is lost once it is unlocked")
  func locked() async throws {
    try await withAccount { home, keyring in
      let before = try await home.acct("list", "--json").text
      try keyring.lock()
      #expect(try await home.acct("list", "--json").text == before)
      let header = try await home.acct("header", Self.url)
      #expect(header.status == 6)
      #expect(header.text.isEmpty)
      #expect(try await home.acct("status").status == 6)
      #expect(try await home.acct("remove", "--local", "alice.example.com").status == 6)
      #expect(
        try await home.acct("add", "--import", Product.source("Examples/bob.json")).status == 6
      )
      #expect(try await home.acct("list", "--json").text == before)
      try keyring.unlock()
      #expect(try await home.acct("header", Self.url).status == 0)
    }
  }

  @Test("A frozen keyring makes header exit 7, which works again when the keyring does")
  func frozen() async throws {
    try await withAccount { home, keyring in
      keyring.freeze()
      // One deadline of 5 seconds, and time for the rest on a busy machine. A child that waits for two
      // is killed, and has another status.
      let header = try await home.command(["header", Self.url]).run(limit: .seconds(9))
      keyring.thaw()
      #expect(header.status == 7)
      #expect(header.errorText.contains("does not answer"))
      #expect(try await home.acct("header", Self.url).status == 0)
    }
  }

  @Test("A killed keyring makes header exit 7 or 6 and never say signed out")
  func killed() async throws {
    try await withAccount { home, keyring in
      keyring.kill()
      let header = try await home.acct("header", Self.url)
      #expect(header.status == 7)
      #expect(!header.errorText.contains("signed out"))
      try keyring.startLocked()
      #expect(try await home.acct("header", Self.url).status == 6)
      try keyring.unlock()
      #expect(try await home.acct("header", Self.url).status == 0)
    }
  }
}
