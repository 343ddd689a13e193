import Testing

/// Other programs, which use acct.
extension AcctHome {
  /// A program that finds the built `acct`, what lies beside it, and a folder of the package's tree on its `PATH`.
  ///
  /// - Parameters:
  ///   - program: Its name.
  ///   - arguments: Its arguments.
  ///   - folder: The folder, such as `Examples`.
  ///   - variables: More of its environment.
  ///   - input: What it reads.
  /// - Returns: It, yet to be run.
  package func program(
    _ program: String,
    _ arguments: [String],
    beside folder: String,
    with variables: [String: String] = [:],
    input: String = ""
  ) -> ChildProcess {
    var environment = command([]).environment.merging(variables) { $1 }
    environment["PATH"] = "\(commands):\(Product.source(folder)):\(environment["PATH"] ?? "")"
    // `env` looks on that PATH; the test itself has another.
    return ChildProcess("env", [program] + arguments, environment: environment, input: input)
  }

  /// Adds an account with a bearer token, and makes it the active one.
  ///
  /// - Parameters:
  ///   - name: The account's name.
  ///   - origin: The one origin that gets the token.
  ///   - token: The token.
  /// - Throws: What starting acct throws, and if it does not add it.
  package func addBearer(_ name: String, at origin: String, token: String = "made-up") async throws {
    let credentials = """
      {"access_token": "\(token)", "token_type": "Bearer", "origins": ["\(origin)"]}
      """
    let added = try await acct("add", "--import", "-", "--name", name, input: credentials)
    try #require(added.status == 0, "\(added.errorText)")
  }
}
