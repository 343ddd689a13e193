/// An empty `ACCT_HOME`, and the built `acct` to use it with.
package struct AcctHome: Sendable {
  private let folder: TemporaryFolder
  private let environment: [String: String]

  /// Makes a home with accounts in a vault of its own.
  ///
  /// - Parameter variables: More of the environment.
  /// - Throws: ``ProcessFailure`` if there is no place for it.
  package init(with variables: [String: String] = [:]) throws(ProcessFailure) {
    folder = try TemporaryFolder()
    let passphrase = try folder.file("passphrase", containing: "\(Self.passphrase)\n")
    environment = ChildProcess.plainEnvironment.merging([
      "ACCT_HOME": "\(folder.path)/home", "ACCT_KEYRING": "vault",
      "ACCT_VAULT_PASSPHRASE_FILE": passphrase,
    ]) { $1 }.merging(variables) { $1 }
  }

  /// Makes a home with accounts in a desktop's keyring.
  package init(
    in keyring: some DesktopKeyring,
    with variables: [String: String] = [:]
  ) throws(ProcessFailure) {
    folder = try TemporaryFolder()
    environment = ChildProcess.plainEnvironment.merging(keyring.environment) { $1 }
      .merging(["ACCT_HOME": "\(folder.path)/home", "ACCT_KEYRING": "secret-service"]) { $1 }
      .merging(variables) { $1 }
  }

  /// The passphrase of the vault.
  package static let passphrase = "made up for this test"

  /// Where acct keeps everything.
  package var path: String { "\(folder.path)/home" }

  /// A command line that is yet to be run.
  package func command(_ arguments: [String], input: String = "") -> ChildProcess {
    ChildProcess(
      Product.executable("acct"),
      arguments,
      environment: environment,
      input: input
    )
  }

  /// A shell script of the package's tree that finds the built `acct` on its `PATH`.
  package func script(_ path: String, _ arguments: String...) -> ChildProcess {
    var environment = environment
    let folder = Product.executable("acct").dropLast("/acct".utf8.count)
    environment["PATH"] = "\(folder):\(environment["PATH"] ?? "")"
    return ChildProcess("sh", ["-eu", Product.source(path)] + arguments, environment: environment)
  }

  /// Runs `acct` to its end.
  package func acct(
    _ arguments: String...,
    input: String = ""
  ) async throws(ProcessFailure) -> ChildProcess.Output {
    try await command(arguments, input: input).run()
  }

  /// Imports credentials, as a file rather than on standard input: the way that people will.
  package func importing(_ credentials: String) async throws(ProcessFailure) -> ChildProcess.Output
  {
    let file = try folder.file("credentials.json", containing: credentials)
    return try await acct("add", "--import", file)
  }
}
