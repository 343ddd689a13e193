import AcctTestSupport
import Testing

extension AcctHome {
  /// A program that finds the built `acct` and the recipes of `Examples/` on its `PATH`.
  func recipe(
    _ program: String,
    _ arguments: [String],
    with variables: [String: String] = [:],
    input: String = ""
  ) -> ChildProcess {
    var environment = command([]).environment.merging(variables) { $1 }
    environment["PATH"] = "\(commands):\(Product.source("Examples")):\(environment["PATH"] ?? "")"
    // `env` looks on that PATH; the test itself has another.
    return ChildProcess("env", [program] + arguments, environment: environment, input: input)
  }

  /// Adds an account with a bearer token, and makes it the active one.
  func addBearer(_ name: String, at origin: String, token: String = "made-up") async throws {
    let credentials = """
      {"access_token": "\(token)", "token_type": "Bearer", "origins": ["\(origin)"]}
      """
    let added = try await acct("add", "--import", "-", "--name", name, input: credentials)
    try #require(added.status == 0, "\(added.errorText)")
  }
}
