import AcctModel
import AcctPorts
import Glibc
import PrivateFiles
import Testing
import VaultKeyring

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

  @Test("is asked for twice when the vault is made, and once when it is opened")
  func asking() async throws {
    let maker = Typist("pass", "pass")
    try await bench.store(typist: maker).keyring.prepare(.allowed)
    #expect(maker.asked == 2)
    let opener = Typist("pass")
    try await bench.store(typist: opener).keyring.prepare(.allowed)
    #expect(opener.asked == 1)
  }

  @Test("makes no vault if it is typed in two ways, not at all, or only once")
  func notMade() async throws {
    for typist in [Typist("one", "two"), Typist(""), Typist(), Typist("one")] {
      await #expect(throws: KeyringFailure.self) {
        try await bench.store(typist: typist).keyring.prepare(.allowed)
      }
    }
    #expect(bench.mode(of: bench.folder.path) == nil)
  }

  @Test("is asked of nobody where that is forbidden, or nobody is there")
  func nobody() async throws {
    let locked = KeyringFailure.locked(
      reason: "no passphrase was given, and acct can't prompt for it"
    )
    let typist = Typist("p", "p")
    await #expect(throws: locked) {
      try await bench.store(typist: typist).keyring.prepare(.forbidden)
    }
    #expect(typist.asked == 0)
    await #expect(throws: locked) {
      try await prepare(PassphraseSource(terminal: .nobody), .allowed)
    }
  }

  @Test("in a file ends before one newline at its end")
  func newline() async throws {
    try await bench.store(passphrase: "pass\n\n").keyring.prepare(.forbidden)
    try await bench.store(typist: Typist("pass\n")).keyring.prepare(.allowed)
    await #expect(throws: KeyringFailure.self) {
      try await bench.store(typist: Typist("pass")).keyring.prepare(.allowed)
    }
  }

  @Test("in a file is refused where others could know it", arguments: [0o640, 0o604, 0o620, 0o677])
  func readableByOthers(mode: mode_t) async throws {
    let file = try bench.passphraseFile("pass", mode: mode)
    await #expect(
      throws: KeyringFailure.locked(reason: "\(file): its group or others can read or write it")
    ) { try await prepare(PassphraseSource(file: file, terminal: .nobody), .forbidden) }
  }

  @Test("in a file that is empty, missing or no regular file is refused, and nobody is asked")
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

  @Test("comes from systemd's credentials, which a group may read, before a person is asked")
  func credential() async throws {
    _ = try bench.passphraseFile("pass", name: "acct.passphrase", mode: 0o440)
    let typist = Typist()
    let source = PassphraseSource(
      credentials: bench.outside.path,
      terminal: typist.terminal
    )
    try await prepare(source, .allowed)
    #expect(typist.asked == 0)
    try await bench.store(passphrase: "pass").keyring.prepare(.forbidden)
    try bench.setMode(0o444, of: "acct.passphrase")
    await #expect(throws: KeyringFailure.self) { try await prepare(source, .allowed) }
  }

  @Test("is asked for where the credentials hold none")
  func noCredential() async throws {
    let typist = Typist("pass", "pass")
    let source = PassphraseSource(credentials: bench.outside.path, terminal: typist.terminal)
    try await prepare(source, .allowed)
    #expect(typist.asked == 2)
  }

  @Test("is taken from where the environment says")
  func environment() {
    let environment = ProcessEnvironment(
      variable: {
        ["ACCT_VAULT_PASSPHRASE_FILE": "/a/pass", "CREDENTIALS_DIRECTORY": "/run/cred"][$0]
      },
      directoryFiles: { [] }
    )
    let source = PassphraseSource(environment, terminal: .nobody)
    #expect(source.file == "/a/pass")
    #expect(source.credentials == "/run/cred")
  }

  @Test("can be changed, and every item stays byte for byte as it is")
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
      await #expect(throws: KeyringFailure.self) {
        try await keyring.read(account, [.accessToken], .forbidden)
      }
    }
  }

  @Test("can be changed by typing the new one twice, and stays if that goes wrong")
  func changeByTyping() async throws {
    try await bench.store(passphrase: "old").keyring.prepare(.forbidden)
    let header = try bench.contents("header")
    let clumsy = bench.store(typist: Typist("old", "new", "nwe")).vault
    await #expect(
      throws: KeyringFailure.failed(
        reason: "the passphrase stays as it is: the two passphrases differ"
      )
    ) { try await clumsy.changePassphrase(nil, .allowed) }
    #expect(try bench.contents("header") == header)
    try await bench.store(typist: Typist("old", "new", "new")).vault.changePassphrase(nil, .allowed)
    try await bench.store(passphrase: "new").keyring.prepare(.forbidden)
  }
}
