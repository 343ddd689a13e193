import Glibc

/// An `ACCT_HOME` without accounts, and the built `acct` to use it with.
package struct AcctHome: Sendable {
  private let folder: TemporaryFolder
  private let environment: [String: String]
  /// Where its commands run, if that is not this one.
  package var machine: SeparateMachine?

  /// Makes a home with accounts in a vault of its own.
  ///
  /// - Parameters:
  ///   - variables: More of the environment.
  ///   - hasVault: Whether the vault is there already, with a passphrase that is cheap to try. Without one
  ///     there is no home either: acct makes both, as on a new machine.
  /// - Throws: ``ProcessFailure`` if there is no place for it.
  package init(with variables: [String: String] = [:], hasVault: Bool = true) throws(ProcessFailure) {
    folder = try Self.folder()
    let passphrase = try folder.file("passphrase", containing: "\(Self.passphrase)\n")
    environment = ChildProcess.plainEnvironment.merging([
      "ACCT_HOME": "\(folder.path)/home", "ACCT_KEYRING": "vault",
      "ACCT_VAULT_PASSPHRASE_FILE": passphrase,
    ]) { $1 }.merging(variables) { $1 }
    guard hasVault else { return }
    for name in ["home", "home/data", "home/data/vault"] { _ = try folder.folder(name) }
    let header = try CheapVault.header(under: Self.passphrase)
    _ = try folder.file("home/data/vault/header", containing: header)
  }

  /// Makes a home with accounts in a desktop's keyring.
  ///
  /// - Parameters:
  ///   - keyring: The keyring.
  ///   - variables: More of the environment.
  ///   - place: The folder in which it is made, in place of that for temporary files.
  /// - Throws: ``ProcessFailure`` if there is no place for it.
  package init(
    in keyring: some DesktopKeyring,
    with variables: [String: String] = [:],
    at place: String? = nil
  ) throws(ProcessFailure) {
    folder = try Self.folder(in: place ?? "/tmp")
    environment = ChildProcess.plainEnvironment.merging(keyring.environment) { $1 }
      .merging(["ACCT_HOME": "\(folder.path)/home", "ACCT_KEYRING": "secret-service"]) { $1 }
      .merging(variables) { $1 }
  }

  /// Makes a home whose accounts are in a keyring that it shares with others; it has still to join that one.
  ///
  /// - Parameters:
  ///   - keyFile: The path of the file with the keyring's key.
  ///   - machine: Where its commands run, if that is not this machine.
  ///   - variables: More of the environment.
  /// - Throws: ``ProcessFailure`` if there is no place for it.
  package init(
    sharingUnder keyFile: String,
    on machine: SeparateMachine? = nil,
    with variables: [String: String] = [:]
  ) throws(ProcessFailure) {
    folder = try Self.folder()
    self.machine = machine
    environment = ChildProcess.plainEnvironment.merging([
      "ACCT_HOME": "\(folder.path)/home", "ACCT_VAULT_KEY_FILE": keyFile,
    ]) { $1 }.merging(variables) { $1 }
  }

  private static func folder(in place: String = "/tmp") throws(ProcessFailure) -> TemporaryFolder {
    let folder = try TemporaryFolder(in: place)
    let link = "\(try folder.folder("bin"))/acct"
    guard unsafe symlink(Product.executable("acct"), link) == 0 else {
      throw .system(call: "symlink \(link)", code: errno)
    }
    return folder
  }

  /// The passphrase of the vault.
  package static let passphrase = "made up for this test"

  /// Where acct keeps everything.
  package var path: String { "\(folder.path)/home" }

  /// A folder in which `acct` is the built one, whatever name its file has.
  package var commands: String { "\(folder.path)/bin" }

  /// A command line that is yet to be run.
  package func command(_ arguments: [String], input: String = "") -> ChildProcess {
    let command = ChildProcess(Product.executable("acct"), arguments, environment: environment, input: input)
    return machine?.running(command) ?? command
  }

  /// A shell script of the package's tree that finds the built `acct` on its `PATH`.
  package func script(_ path: String, _ arguments: String...) -> ChildProcess {
    var environment = environment
    environment["PATH"] = "\(commands):\(environment["PATH"] ?? "")"
    return ChildProcess("sh", ["-eu", Product.source(path)] + arguments, environment: environment)
  }

  /// Runs `acct` to its end.
  package func acct(_ arguments: String..., input: String = "") async throws(ProcessFailure) -> ChildProcess.Output {
    try await command(arguments, input: input).run()
  }

  /// Imports credentials, as a file rather than on standard input: the way that people will.
  package func importing(
    _ credentials: String,
    _ options: String...
  ) async throws(ProcessFailure) -> ChildProcess.Output {
    let file = try folder.file("credentials.json", containing: credentials)
    return try await command(["add", "--import", file] + options).run()
  }
}
