package import AcctPorts
import Secrets

/// The source of the vault's passphrase: a file, a systemd credential, or a prompt.
package struct PassphraseSource: Sendable {
  /// A file that the user names; if it is named, nothing else is tried.
  package var file: String?
  /// The folder of systemd's credentials, with `acct.passphrase` in it or not.
  package var credentials: String?
  /// The terminal that is asked last.
  package var terminal: Terminal

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
  ///   - terminal: Asks for it; its timeout is the vault's promise of 2 minutes.
  package init(_ environment: ProcessEnvironment, terminal: Terminal) {
    self.init(
      file: environment.variable("ACCT_VAULT_PASSPHRASE_FILE"),
      credentials: environment.variable("CREDENTIALS_DIRECTORY"),
      terminal: terminal
    )
  }

  /// The passphrase of the file or credential, if there is one.
  ///
  /// - Throws: ``NoPassphrase`` if the file or credential is there and cannot be used.
  func given() throws(NoPassphrase) -> Passphrase? {
    if let file { return try named(file) }
    guard let credentials, credentials.hasPrefix("/") else { return nil }
    return try Passphrase.read("\(credentials)/acct.passphrase", .credential)
  }

  /// Asks for the passphrase of an existing vault.
  func asked(_ interaction: Interaction) throws(NoPassphrase) -> Passphrase {
    Passphrase(secret: try ask("Passphrase of the vault: ", interaction), source: "the passphrase")
  }

  /// Gets a passphrase to be used from now on, asking twice since the typed text is not shown.
  ///
  /// - Parameters:
  ///   - file: A file that the user names; else a person is asked.
  ///   - interaction: Decides if a person may be asked.
  /// - Returns: The passphrase.
  /// - Throws: ``NoPassphrase``.
  func new(file: String? = nil, _ interaction: Interaction) throws(NoPassphrase) -> Passphrase {
    if let file { return try named(file) }
    let first = try ask("New passphrase for the vault: ", interaction)
    let second = try ask("The same passphrase again: ", interaction)
    guard first == second else { throw NoPassphrase(reason: "the two passphrases differ") }
    return Passphrase(secret: first, source: "the passphrase")
  }

  private func named(_ file: String) throws(NoPassphrase) -> Passphrase {
    guard let passphrase = try Passphrase.read(file, .own) else {
      throw NoPassphrase(reason: "\(file): there is no such file")
    }
    return passphrase
  }

  private func ask(_ prompt: String, _ interaction: Interaction) throws(NoPassphrase) -> Secret {
    guard interaction == .allowed, terminal.canAsk() else {
      throw NoPassphrase(reason: "no passphrase was given, and acct can't prompt for it")
    }
    guard let secret = terminal.askSecret(prompt) else {
      throw NoPassphrase(reason: "the prompt was cancelled", isCancelled: true)
    }
    guard secret.count > 0 else { throw NoPassphrase(reason: "no passphrase was given") }
    return secret
  }
}
