import AcctTestSupport
import Testing

/// `ACCT_KEYRING=auto`: which keyring is used is decided once, by the first `add`.
@Suite("Choosing a keyring")
struct KeyringChoiceTests {
  private func add(_ example: String, to home: AcctHome) async throws -> Int32 {
    try await home.acct("add", "--import", Product.source("Examples/\(example).json")).status
  }

  private func decision(of home: AcctHome) -> String? {
    home.contents(of: "data/keyring").map { String(decoding: $0, as: UTF8.self) }
  }

  @Test("The desktop's keyring is chosen if there is one, and a later outage does not lead to a vault")
  func secretService() async throws {
    let keyring = try GnomeKeyring()
    defer { keyring.stop() }
    let home = try AcctHome(with: keyring.environment.merging(["ACCT_KEYRING": "auto"]) { $1 }, hasVault: false)
    #expect(try await add("bob", to: home) == 0)
    #expect(decision(of: home) == "secret-service\n")

    keyring.kill()
    #expect(try await home.acct("token").status == 7)
    #expect(try await add("alice", to: home) == 7)
    #expect(decision(of: home) == "secret-service\n")
    #expect(try await !home.files().contains { $0.hasPrefix("data/vault") })
  }

  @Test("The vault is chosen without a desktop keyring, and stays chosen if one appears")
  func vault() async throws {
    let home = try AcctHome(with: ["ACCT_KEYRING": "auto"], hasVault: false)
    #expect(try await add("bob", to: home) == 0)
    #expect(decision(of: home) == "vault\n")

    let keyring = try GnomeKeyring()
    defer { keyring.stop() }
    let file = Product.source("Examples/alice.json")
    for arguments in [["token"], ["add", "--import", file], ["token"]] {
      var command = home.command(arguments)
      command.environment.merge(keyring.environment) { $1 }
      let run = try await command.run()
      #expect(run.status == 0, "\(run.errorText)")
    }
    #expect(decision(of: home) == "vault\n")
    let items = try await home.files().filter { $0.hasPrefix("data/vault/oauth.") }
    #expect(items.count { $0.hasSuffix(".accessToken") } == 2)
  }
}
