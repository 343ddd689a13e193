import AcctTestSupport
import Glibc
import StrictJSON
import Testing

extension AcctHome {
  /// A home whose `acct` has the names that other programs look for beside it, as `make install` makes them.
  static func withHelpers() throws -> AcctHome {
    let home = try AcctHome()
    for program in ["git", "docker", "cargo"] {
      let link = "\(home.commands)/\(program)-credential-acct"
      guard unsafe symlink(Product.executable("acct"), link) == 0 else {
        throw ProcessFailure.system(call: "symlink \(link)", code: errno)
      }
    }
    return home
  }

  /// A program that finds `acct`, its other names, and the recipes of `Examples/programs` on its `PATH`.
  func program(
    _ program: String,
    _ arguments: [String],
    with variables: [String: String] = [:],
    input: String = ""
  ) -> ChildProcess {
    var environment = command([]).environment.merging(variables) { $1 }
    environment["PATH"] =
      "\(commands):\(Product.source("Examples/programs")):\(environment["PATH"] ?? "")"
    // Some write below it.
    environment["HOME"] = "\(commands)/.."
    // `env` looks on that PATH; the test itself has another.
    return ChildProcess("env", [program] + arguments, environment: environment, input: input)
  }

  /// Adds an account with a bearer token, and makes it the active one.
  func addBearer(_ name: String, at origin: String, token: String) async throws {
    let credentials = """
      {"access_token": "\(token)", "token_type": "Bearer", "origins": ["\(origin)"]}
      """
    let added = try await acct("add", "--import", "-", "--name", name, input: credentials)
    try #require(added.status == 0, "\(added.errorText)")
  }

  /// Adds an account with a password, which is sent as Basic.
  func addPassword(
    _ name: String,
    of user: String,
    at origin: String,
    _ password: String
  ) async throws {
    let added = try await acct(
      "add",
      "--token",
      "-",
      "--basic",
      user,
      "--allow-origin",
      origin,
      "--name",
      name,
      input: "\(password)\n"
    )
    try #require(added.status == 0, "\(added.errorText)")
  }

  /// How many accounts there are.
  func accounts() async throws -> Int {
    let listed = try await acct("list", "--json")
    try #require(listed.status == 0, "\(listed.errorText)")
    return try JSON(parsing: listed.standardOutput)["accounts"]?.arrayValue?.count ?? -1
  }
}
