package import AcctPorts
import PrivateFiles
import Secrets

/// The source of a passphrase, the vault's or a shared keyring's: a file, a systemd credential, or a prompt.
package struct PassphraseSource: Sendable {
  /// The keyring that the passphrase opens, as a prompt names it.
  var keyring = "the vault"
  /// A file that the user names; if it is named, nothing else is tried.
  package var file: String?
  /// The folder of systemd's credentials, with `acct.passphrase` in it or not.
  package var credentials: String?
  /// The terminal that is asked last.
  package var terminal: Terminal
  /// A passphrase that a person has entered already; nothing else is tried then.
  var entered: Secret?

  package init(file: String? = nil, credentials: String? = nil, terminal: Terminal) {
    self.file = file
    self.credentials = credentials
    self.terminal = terminal
  }

  /// The sources that the environment names: `ACCT_VAULT_PASSPHRASE_FILE`, and
  /// `CREDENTIALS_DIRECTORY` as systemd sets it.
  ///
  /// - Parameters:
  ///   - environment: The environment.
  ///   - keyring: What the passphrase opens, as a prompt names it.
  ///   - terminal: Asks for it; its timeout is the vault's promise of 2 minutes.
  package init(_ environment: ProcessEnvironment, of keyring: String = "the vault", terminal: Terminal) {
    self.init(
      file: environment.variable("ACCT_VAULT_PASSPHRASE_FILE"),
      credentials: environment.variable("CREDENTIALS_DIRECTORY"),
      terminal: terminal
    )
    self.keyring = keyring
  }

  /// The passphrase of the file or credential, if there is one.
  ///
  /// - Throws: ``NoPassphrase`` if the file or credential is there and cannot be used.
  func given() throws(NoPassphrase) -> Passphrase? {
    if let entered { return Passphrase(secret: entered) }
    if let file { return try named(file) }
    guard let credentials, credentials.hasPrefix("/") else { return nil }
    return try Passphrase.read("\(credentials)/acct.passphrase", .credential)
  }

  /// The passphrase of the file or credential for a vault that is made now: a weak one is refused.
  func givenForNew() throws(NoPassphrase) -> Passphrase? {
    guard let passphrase = try given() else { return nil }
    return try strong(passphrase)
  }

  /// Asks for the passphrase of an existing keyring.
  ///
  /// - Parameters:
  ///   - interaction: Decides if a person may be asked.
  ///   - isRepeated: `true` after a wrong one.
  /// - Returns: The passphrase.
  /// - Throws: ``NoPassphrase``.
  func asked(_ interaction: Interaction, isRepeated: Bool = false) throws(NoPassphrase) -> Passphrase {
    let secret = try ask(
      "Passphrase of \(keyring): ",
      after: isRepeated ? ["That is not the passphrase."] : [],
      interaction
    )
    guard secret.count > 0 else { throw NoPassphrase(reason: KeyringFailure.noPassphraseReason) }
    return Passphrase(secret: secret)
  }

  /// Gets a passphrase to be used from now on, asking twice since the typed text is not shown.
  ///
  /// - Parameters:
  ///   - file: A file that the user names; else a person is asked.
  ///   - place: What the first one protects, and where it is, which a person is told; `nil` for a later one.
  ///   - entropy: Makes one for a person who enters none.
  ///   - interaction: Decides if a person may be asked.
  /// - Returns: The passphrase.
  /// - Throws: ``NoPassphrase``.
  func new(
    file: String? = nil,
    for place: String? = nil,
    _ entropy: Entropy,
    _ interaction: Interaction
  ) throws(NoPassphrase) -> Passphrase {
    if let file { return try strong(try named(file)) }
    var lines = place.map(introduction(for:)) ?? []
    while true {
      let question = "New passphrase for \(keyring) (empty: acct makes a strong one): "
      let first = try ask(question, after: lines, interaction)
      if first.count == 0 { return try shown(StrongPassphrase(entropy)) }
      guard first.isLongEnough else {
        lines = ["That is too short: it needs \(shortest) characters or more."]
        continue
      }
      let second = try ask("The same passphrase again: ", interaction)
      if first == second { return Passphrase(secret: first) }
      lines = ["The two passphrases differ."]
    }
  }

  /// Two lines: where it is and what it protects, and what follows if the passphrase is lost.
  private func introduction(for place: String) -> [String] {
    [
      "Tokens and keys will be in \(place), encrypted: only this passphrase opens it.",
      "A lost passphrase can't be had back; the accounts would have to be added again.",
    ]
  }

  /// Shows a passphrase that was made, once, until the person has it.
  private func shown(_ made: StrongPassphrase) throws(NoPassphrase) -> Passphrase {
    for line in ["The passphrase is", "", "  \(made.text)", ""] { terminal.tell(line) }
    guard terminal.ask("It is not shown again. Keep it, then press Enter: ") != nil else {
      throw NoPassphrase(reason: "the prompt was cancelled", isCancelled: true)
    }
    return Passphrase(secret: Secret(made.text))
  }

  private func strong(_ passphrase: Passphrase) throws(NoPassphrase) -> Passphrase {
    guard passphrase.secret.isLongEnough else {
      throw NoPassphrase(
        reason: "\(passphrase.source) is too short: a new one needs \(shortest) characters or more",
        file: passphrase.file
      )
    }
    return passphrase
  }

  private func named(_ file: String) throws(NoPassphrase) -> Passphrase {
    guard let passphrase = try Passphrase.read(file, .secret) else {
      throw NoPassphrase(reason: "\(file): there is no such file", file: file)
    }
    return passphrase
  }

  private func ask(
    _ prompt: String,
    after lines: [String] = [],
    _ interaction: Interaction
  ) throws(NoPassphrase) -> Secret {
    guard interaction == .allowed, terminal.canAsk() else {
      throw NoPassphrase(reason: "no passphrase was given, and acct can't prompt for it")
    }
    for line in lines { terminal.tell(line) }
    guard let secret = terminal.askSecret(prompt) else {
      throw NoPassphrase(reason: "the prompt was cancelled", isCancelled: true)
    }
    return secret
  }
}

/// In characters: fewer are found by trying, in spite of scrypt.
private let shortest = 8

extension Secret {
  /// `true` if it has the characters that a new passphrase needs; in UTF-8, each has one byte that begins it.
  fileprivate var isLongEnough: Bool {
    withBytes { bytes in
      var count = 0
      for index in bytes.indices where bytes[index] & 0xC0 != 0x80 { count += 1 }
      return count >= shortest
    }
  }
}

/// A passphrase that acct makes: 125 random bits, in letters and digits that are not mistaken for each other.
struct StrongPassphrase {
  /// As it is shown and entered: `k7m2p-…`, five groups of five.
  let text: String

  init(_ entropy: Entropy) {
    let letters = entropy.bytes(25).map { Self.alphabet[Int($0) % Self.alphabet.count] }
    text = stride(from: 0, to: letters.count, by: 5)
      .map { String(letters[$0..<$0 + 5]) }
      .joined(separator: "-")
  }

  /// 32 of them, so that each byte's remainder is as likely as any other; without i, l, o and u, as Crockford's.
  private static let alphabet = Array("0123456789abcdefghjkmnpqrstvwxyz")
}
