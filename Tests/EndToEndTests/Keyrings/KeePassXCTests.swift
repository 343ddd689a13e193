import Secrets
import AcctTestSupport
import Testing

/// The built `acct`, with its accounts in a real KeePassXC.
@Suite("KeePassXC as the keyring")
struct KeePassXCTests {
  private static let alice = (name: "alice.example.com", url: "https://pds.example/xrpc/method")
  private static let bob = (name: "bob@login.example", url: "https://notes.example/notes")

  @Test("KeePassXC keeps accounts from import to removal, and counts as the keyring while locked")
  func wholeLife() async throws {
    let keyring = try KeePassXC()
    defer { keyring.stop() }
    let home = try AcctHome(in: keyring)
    for file in ["alice", "bob"] {
      let added = try await home.acct("add", "--import", Product.source("Examples/\(file).json"))
      #expect(added.status == 0, "\(added.errorText)")
    }
    for account in [Self.alice, Self.bob] {
      let switched = try await home.acct("switch", account.name)
      #expect(switched.status == 0, "\(switched.errorText)")
      let header = try await home.acct("header", account.url)
      #expect(header.status == 0, "\(header.errorText)")
      #expect(header.text.hasPrefix("Authorization: "))
    }

    try keyring.lock()
    #expect(try await home.acct("header", Self.bob.url).status == 6)
    #expect(try await home.acct("remove", "--local", Self.bob.name).status == 6)
    try keyring.unlock()
    #expect(try await home.acct("header", Self.bob.url).status == 0)

    for account in [Self.bob, Self.alice] {
      let removed = try await home.acct("remove", "--local", "--no-input", account.name)
      #expect(removed.status == 0, "\(removed.errorText)")
    }
    let left = try keyring.call("org.freedesktop.Secret.Service.SearchItems", "{'xdg:schema': 'dev.acct.Credential'}")
    #expect(left == "(@ao [], @ao [])\n")
  }
}
