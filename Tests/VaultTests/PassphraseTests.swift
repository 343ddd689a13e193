import AcctCrypto
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
    let maker = Typist("a passphrase", "a passphrase")
    try await bench.store(typist: maker).keyring.prepare(.allowed)
    #expect(
      maker.prompts == [
        """
        Tokens and keys will be in the vault in \(bench.folder.path), encrypted: only this passphrase opens it.
        A lost passphrase can't be had back; the accounts would have to be added again.
        New passphrase for the vault (empty: acct makes a strong one):\u{20}
        """, "The same passphrase again: ",
      ]
    )
    let opener = Typist("a passphrase")
    try await bench.store(typist: opener).keyring.prepare(.allowed)
    #expect(opener.prompts == ["Passphrase of the vault: "])
  }

  @Test("A passphrase that is too short or entered differently is asked for again")
  func again() async throws {
    let maker = Typist("1234567", "a passphrase", "another one", "ääääääää", "ääääääää")
    try await bench.store(typist: maker).keyring.prepare(.allowed)
    let prompts = maker.prompts.map { $0.split(separator: "\n").first.map(String.init) ?? "" }
    #expect(prompts.count == 5)
    #expect(prompts[1] == "That is too short: it needs 8 characters or more.")
    #expect(prompts[3] == "The two passphrases differ.")
    try await bench.store(passphrase: "ääääääää").keyring.prepare(.forbidden)
  }

  @Test("An empty answer makes a strong passphrase, shows it once, and waits until the user has it")
  func strong() async throws {
    let maker = Typist("", "")
    try await bench.store(typist: maker).keyring.prepare(.allowed)
    let made = try #require(maker.prompts.last?.firstMatch(of: /[0-9a-z]{5}(-[0-9a-z]{5}){4}/)).output.0
    #expect(maker.asked == 2)
    try await bench.store(passphrase: String(made)).keyring.prepare(.forbidden)
    let second = try Workbench()
    let impatient = Typist("")
    await #expect(throws: KeyringFailure.self) { try await second.store(typist: impatient).keyring.prepare(.allowed) }
    #expect(second.mode(of: second.folder.path) == nil)
  }

  @Test("A passphrase ends before the CRLF of its file, and one that was used with its CR still opens its vault")
  func lineEnds() async throws {
    func store(_ contents: String) throws -> VaultStore {
      let file = try bench.passphraseFile(contents, name: "pass-\(contents.utf8.count)")
      return bench.store(PassphraseSource(file: file, terminal: .nobody))
    }
    try await store("a passphrase\r\n").keyring.prepare(.forbidden)
    for contents in ["a passphrase", "a passphrase\n", "a passphrase\r\n"] {
      #expect(try await store(contents).vault.unlock(.forbidden) == nil, "\(contents.utf8.count) bytes")
    }
    #expect(await bench.store(typist: Typist("a passphrase")).keyring.state() == .locked)
    let kdf = KDFParameters(n: 16, r: 1, p: 1) ?? .standard
    let entropy = Entropy { count in [UInt8](repeating: 7, count: count) }
    let key = Secret([UInt8](repeating: 1, count: 32))
    let old = try VaultHeader(wrapping: key, by: Secret("a passphrase\r"), kdf: kdf, entropy: entropy)
    try bench.put(old.serialized(), "header")
    _ = try await store("a passphrase\r\n").vault.unlock(.forbidden)
    await #expect(throws: KeyringFailure.self) { try await store("a passphrase\n").vault.unlock(.forbidden) }
  }

  @Test("A person may enter the passphrase three times")
  func threeTimes() async throws {
    try await bench.store(passphrase: "a passphrase").keyring.prepare(.forbidden)
    let typist = Typist("wrong one", "another", "a passphrase")
    try await bench.store(typist: typist).keyring.prepare(.allowed)
    #expect(typist.prompts.last == "That is not the passphrase.\nPassphrase of the vault: ")
    let forgetful = Typist("1", "2", "3", "a passphrase")
    await #expect(
      throws: KeyringFailure.locked(reason: "the passphrase is wrong", openedBy: .otherPassphrase(file: nil))
    ) {
      try await bench.store(typist: forgetful).keyring.prepare(.allowed)
    }
    #expect(forgetful.asked == 3)
  }

  @Test("A short passphrase in a file makes no vault, and opens one that has it")
  func shortInFile() async throws {
    let short = try bench.store(passphrase: "short")
    let place = bench.outside.path(of: "pass-short")
    await #expect(
      throws: KeyringFailure.locked(
        reason: "the passphrase in \(place) is too short: a new one needs 8 characters or more",
        openedBy: .file(place)
      )
    ) { try await short.keyring.prepare(.forbidden) }
    #expect(bench.mode(of: bench.folder.path) == nil)
    let kdf = KDFParameters(n: 16, r: 1, p: 1) ?? .standard
    let entropy = Entropy { count in [UInt8](repeating: 7, count: count) }
    let key = Secret([UInt8](repeating: 1, count: 32))
    let old = try VaultHeader(wrapping: key, by: Secret("short"), kdf: kdf, entropy: entropy)
    try bench.put(old.serialized(), "header")
    try await short.keyring.prepare(.forbidden)
  }

  @Test("A passphrase that is not entered, or only once, creates no vault")
  func notMade() async throws {
    for typist in [Typist(), Typist("one of them")] {
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
    try await bench.store(passphrase: "a passphrase\n\n").keyring.prepare(.forbidden)
    try await bench.store(typist: Typist("a passphrase\n")).keyring.prepare(.allowed)
    await #expect(throws: KeyringFailure.self) {
      try await bench.store(typist: Typist("a passphrase")).keyring.prepare(.allowed)
    }
  }

  @Test("A passphrase in a file that others can access is rejected", arguments: [0o640, 0o604, 0o620, 0o677])
  func readableByOthers(mode: mode_t) async throws {
    let file = try bench.passphraseFile("a passphrase", mode: mode)
    let reason = "\(file): its group or others can read or write it: run `chmod 600 \(file)`"
    await #expect(throws: KeyringFailure.locked(reason: reason, openedBy: .file(file))) {
      try await prepare(PassphraseSource(file: file, terminal: .nobody), .forbidden)
    }
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
      await #expect(throws: KeyringFailure.locked(reason: "\(file): \(reason)", openedBy: .file(file))) {
        try await prepare(PassphraseSource(file: file, terminal: typist.terminal), .allowed)
      }
    }
    #expect(typist.asked == 0)
  }

  @Test("A passphrase in systemd's credentials, which a group may read, precedes a prompt")
  func credential() async throws {
    _ = try bench.passphraseFile("a passphrase", name: "acct.passphrase", mode: 0o440)
    let typist = Typist()
    let source = PassphraseSource(credentials: bench.outside.path, terminal: typist.terminal)
    try await prepare(source, .allowed)
    #expect(typist.asked == 0)
    try await bench.store(passphrase: "a passphrase").keyring.prepare(.forbidden)
    try bench.setMode(0o444, of: "acct.passphrase")
    await #expect(throws: KeyringFailure.self) { try await prepare(source, .allowed) }
  }

  @Test("A passphrase is asked for if the credentials hold none")
  func noCredential() async throws {
    let typist = Typist("a passphrase", "a passphrase")
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
    let old = try bench.store(passphrase: "the old one")
    try await old.keyring.write(account, [.init(.accessToken, Secret("a"))], .forbidden)
    let name = ItemKind.accessToken.key(for: account)
    let before = try bench.contents(name)
    // Another process that has the vault open meanwhile.
    let bystander = try bench.store(passphrase: "the old one").keyring
    #expect(try await bystander.read(account, [.accessToken], .forbidden).count == 1)

    try await old.vault.changePassphrase(try bench.passphraseFile("the new one\n"), .forbidden)
    #expect(try bench.contents(name) == before)
    let new = try bench.store(passphrase: "the new one").keyring
    #expect(try await new.read(account, [.accessToken], .forbidden) == [.accessToken: Secret("a")])
    for keyring in [bystander, old.keyring] {
      await #expect(throws: KeyringFailure.self) { try await keyring.read(account, [.accessToken], .forbidden) }
    }
  }

  @Test("A new passphrase is entered twice, and the old one stays if it is not")
  func changeByTyping() async throws {
    try await bench.store(passphrase: "the old one").keyring.prepare(.forbidden)
    let header = try bench.contents("header")
    let hesitant = bench.store(typist: Typist("the old one", "the new one")).vault
    await #expect(
      throws: KeyringFailure.failed(reason: "the passphrase stays as it is: the prompt was cancelled")
    ) { try await hesitant.changePassphrase(nil, .allowed) }
    #expect(try bench.contents("header") == header)
    let typist = Typist("the old one", "the new one", "the new one")
    try await bench.store(typist: typist).vault.changePassphrase(nil, .allowed)
    #expect(typist.prompts[1] == "New passphrase for the vault (empty: acct makes a strong one): ")
    try await bench.store(passphrase: "the new one").keyring.prepare(.forbidden)
  }
}
