import AcctCLI
import AcctPorts
import AcctTestSupport
import StrictJSON
import Testing

@Suite("acct vault reset")
struct VaultResetTests {
  let machine = SharingMachine()

  /// Two accounts in the vault, of which one has a static token.
  private func fill() async {
    await machine.keep(Handoffs.dpop())
    machine.record.provide("-", "tok")
    #expect(await machine.acct("add", "--token", "-", "--allow-origin", "https://api.example", "--name", "work") == 0)
  }

  /// Runs a command with a vault that a reset empties.
  private func acct(_ words: String...) async -> Int32 { await run(words) }

  private func run(_ words: [String]) async -> Int32 {
    machine.record.clear()
    var world = machine.world
    let keyring = world.vaultKeyring
    world.vault.sealedIn = { () throws(KeyringFailure) in nil }
    world.vault.reset = { () throws(KeyringFailure) in
      for (account, kinds) in try await keyring.list() { try await keyring.remove(account, Array(kinds), .forbidden) }
    }
    return await Acct.run(words, in: world)
  }

  @Test("Without a confirmation nothing is deleted")
  func unconfirmed() async {
    await fill()
    let before = machine.vault.count
    #expect(await acct("vault", "reset") == 64)
    #expect(
      machine.record.err == [
        "acct: the secrets of alice.example.com, work would be deleted; nothing was changed",
        "acct: hint: confirm it at a terminal, or with --yes",
      ]
    )
    machine.record.answer("n")
    #expect(await acct("vault", "reset") != 0)
    #expect(machine.vault.count == before)
    #expect(await acct("header", "https://api.example/") == 0)
  }

  @Test(
    "The accounts stay, and every command says by which login each gets its secrets again",
    arguments: [true, false]
  )
  func reset(isAsked: Bool) async {
    await fill()
    if isAsked { machine.record.answer("y") }
    #expect(await (isAsked ? acct("vault", "reset") : acct("vault", "reset", "--yes")) == 0, "\(machine.record.err)")
    #expect(
      machine.record.err.suffix(3) == [
        "acct: the vault is deleted; the next `acct add` or `acct login` makes another one",
        "acct: alice.example.com: `acct login alice.example.com`", "acct: work: `acct login work --token -`",
      ]
    )
    #expect(machine.vault.count == 0)
    #expect(machine.record.accountFiles == 2)
    for name in ["alice.example.com", "work"] {
      for words in [["token", "-a", name], ["status", name]] {
        #expect(await run(words) == 4, "\(words)")
        #expect((machine.record.out + (machine.record.err.last ?? "")).contains("`acct login \(name)`"), "\(words)")
      }
    }
    #expect(await machine.acct("list", "--json") == 0)
    let accounts = machine.record.json?.objectValue?["accounts"]?.arrayValue ?? []
    #expect(accounts.compactMap { $0["state"]?.stringValue } == ["signedOut", "signedOut"])
    machine.record.provide("-", "new")
    #expect(await machine.acct("login", "work", "--token", "-") == 0, "\(machine.record.err)")
    #expect(await machine.acct("header", "https://api.example/") == 0)
    #expect(machine.record.out == "Authorization: Bearer new\n")
  }

  @Test("An account whose secrets are in another keyring keeps them")
  func otherKeyring() async {
    await machine.share()
    machine.record.provide("-", Handoffs.dpop())
    #expect(await machine.acct("add", "--import", "-") == 0)
    machine.record.set("ACCT_KEYRING", to: "vault")
    machine.record.provide("-", Handoffs.bearer())
    #expect(await machine.acct("add", "--import", "-") == 0, "\(machine.record.err)")
    machine.record.set("ACCT_KEYRING", to: "auto")
    #expect(await acct("vault", "reset", "--yes", "--json") == 0)
    #expect(machine.record.json?.objectValue?["accounts"] == ["bob.example.com"])
    #expect(await machine.token("alice") != nil)
    #expect(await machine.acct("token", "-a", "bob.example.com") == 4)
  }
}
