import AcctModel
import Secrets
import AcctPorts
import Glibc
import PrivateFiles
import Testing
import Vault

@Suite("The vault's passphrase")
struct PassphraseTests {
  let bench: Workbench
  let account: AccountID

  init() throws {
    bench = try Workbench()
    account = try Accounts.first()
  }

  private func prepare(_ source: PassphraseSource, _ interaction: Interaction) async throws {
    try await bench.store(source).keyring.prepare(interaction)
  }

  @Test("The passphrase is asked for twice when the vault is created, and once when it is opened")
  func asking() async throws {
    let maker = Typist("pass", "pass")
    try await bench.store(typist: maker).keyring.prepare(.allowed)
    #expect(maker.asked == 2)
    let opener = Typist("pass")
    try await bench.store(typist: opener).keyring.prepare(.allowed)
    #expect(opener.asked == 1)
  }

  @Test("A passphrase that is entered differently, empty or only once creates no vault")
  func notMade() async throws {
    for typist in [Typist("one", "two"), Typist(""), Typist(), Typist("one")] {
      await #expect(throws: KeyringFailure.self) { try await bench.store(typist: typist).keyring.prepare(.allowed) }
    }
    #expect(bench.mode(of: bench.folder.path) == nil)
  }

  @Test("A passphrase is not asked for if prompts are forbidden or there is no terminal")
  func nobody() async throws {
    let locked = KeyringFailure.locked(reason: "no passphrase was given, and acct can't prompt for it")
    let typist = Typist("p", "p")
    await #expect(throws: locked) { try await bench.store(typist: typist).keyring.prepare(.forbidden) }
    #expect(typist.asked == 0)
    await #expect(throws: locked) { try await prepare(PassphraseSource(terminal: .nobody), .allowed) }
  }

  @Test("A passphrase in a file ends before one newline at its end")
  func newline() async throws {
    try await bench.store(passphrase: "pass\n\n").keyring.prepare(.forbidden)
    try await bench.store(typist: Typist("pass\n")).keyring.prepare(.allowed)
    await #expect(throws: KeyringFailure.self) {
      try await bench.store(typist: Typist("pass")).keyring.prepare(.allowed)
    }
  }

  @Test("A passphrase in a file that others can access is rejected", arguments: [0o640, 0o604, 0o620, 0o677])
  func readableByOthers(mode: mode_t) async throws {
    let file = try bench.passphraseFile("pass", mode: mode)
    await #expect(
      throws: KeyringFailure.locked(reason: "\(file): its group or others can read or write it")
    ) { try await prepare(PassphraseSource(file: file, terminal: .nobody), .forbidden) }
  }

  @Test("A passphrase file that is empty, missing or not regular is rejected without a prompt")
  func unusableFile() async throws {
    let typist = Typist("p", "p")
    let empty = try bench.passphraseFile("\n")
    let fifo = bench.outside.path(of: "fifo")
    let made = unsafe mkfifo(fifo, 0o600) == 0
    try #require(made)
    let missing = bench.outside.path(of: "missing")
    for (file, reason) in [
      (empty, "it is empty"), (missing, "there is no such file"),
      (fifo, "it is not a regular file"), (bench.outside.path, "it is not a regular file"),
    ] {
      await #expect(throws: KeyringFailure.locked(reason: "\(file): \(reason)")) {
        try await prepare(PassphraseSource(file: file, terminal: typist.terminal), .allowed)
      }
    }
    #expect(typist.asked == 0)
  }

  @Test("A passphrase in systemd's credentials, which a group may read, precedes a prompt")
  func credential() async throws {
    _ = try bench.passphraseFile("pass", name: "acct.passphrase", mode: 0o440)
    let typist = Typist()
    let source = PassphraseSource(credentials: bench.outside.path, terminal: typist.terminal)
    try await prepare(source, .allowed)
    #expect(typist.asked == 0)
    try await bench.store(passphrase: "pass").keyring.prepare(.forbidden)
    try bench.setMode(0o444, of: "acct.passphrase")
    await #expect(throws: KeyringFailure.self) { try await prepare(source, .allowed) }
  }

  @Test("A passphrase is asked for if the credentials hold none")
  func noCredential() async throws {
    let typist = Typist("pass", "pass")
    let source = PassphraseSource(credentials: bench.outside.path, terminal: typist.terminal)
    try await prepare(source, .allowed)
    #expect(typist.asked == 2)
  }

  @Test("A passphrase is read from the place that the environment names")
  func environment() {
    let environment = ProcessEnvironment(
      variable: { ["ACCT_VAULT_PASSPHRASE_FILE": "/a/pass", "CREDENTIALS_DIRECTORY": "/run/cred"][$0] },
      directoryFiles: { [] }
    )
    let source = PassphraseSource(environment, terminal: .nobody)
    #expect(source.file == "/a/pass")
    #expect(source.credentials == "/run/cred")
  }

  @Test("A changed passphrase leaves every item as it is, byte for byte")
  func change() async throws {
    let old = try bench.store(passphrase: "old")
    try await old.keyring.write(account, [.init(.accessToken, Secret("a"))], .forbidden)
    let name = ItemKind.accessToken.key(for: account)
    let before = try bench.contents(name)
    // Another process that has the vault open meanwhile.
    let bystander = try bench.store(passphrase: "old").keyring
    #expect(try await bystander.read(account, [.accessToken], .forbidden).count == 1)

    try await old.vault.changePassphrase(try bench.passphraseFile("new\n"), .forbidden)
    #expect(try bench.contents(name) == before)
    let new = try bench.store(passphrase: "new").keyring
    #expect(try await new.read(account, [.accessToken], .forbidden) == [.accessToken: Secret("a")])
    for keyring in [bystander, old.keyring] {
      await #expect(throws: KeyringFailure.self) { try await keyring.read(account, [.accessToken], .forbidden) }
    }
  }

  @Test("A new passphrase is entered twice, and the old one stays if the entries differ")
  func changeByTyping() async throws {
    try await bench.store(passphrase: "old").keyring.prepare(.forbidden)
    let header = try bench.contents("header")
    let clumsy = bench.store(typist: Typist("old", "new", "nwe")).vault
    await #expect(
      throws: KeyringFailure.failed(reason: "the passphrase stays as it is: the two passphrases differ")
    ) { try await clumsy.changePassphrase(nil, .allowed) }
    #expect(try bench.contents("header") == header)
    try await bench.store(typist: Typist("old", "new", "new")).vault.changePassphrase(nil, .allowed)
    try await bench.store(passphrase: "new").keyring.prepare(.forbidden)
  }
}
