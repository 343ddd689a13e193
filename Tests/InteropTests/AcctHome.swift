import AcctTestSupport

/// An empty `ACCT_HOME` with a vault, and the built `acct` to use it with.
struct AcctHome {
  private let folder: TemporaryFolder
  private let environment: [String: String]

  init() throws(ProcessFailure) {
    folder = try TemporaryFolder()
    let passphrase = try folder.file("passphrase", holding: "made up for this test\n")
    environment = ChildProcess.plainEnvironment.merging([
      "ACCT_HOME": "\(folder.path)/home", "ACCT_KEYRING": "vault",
      "ACCT_VAULT_PASSPHRASE_FILE": passphrase,
    ]) { $1 }
  }

  /// Runs `acct` to its end.
  func acct(
    _ arguments: String...,
    input: String = ""
  ) async throws(ProcessFailure) -> ChildProcess.Output {
    try await ChildProcess(
      Product.executable("acct"),
      arguments,
      environment: environment,
      input: input
    ).run()
  }

  /// Imports credentials, as a file rather than on standard input: the way that people will.
  func importing(_ credentials: String) async throws(ProcessFailure) -> ChildProcess.Output {
    let file = try folder.file("credentials.json", holding: credentials)
    return try await acct("add", "--import", file)
  }
}
