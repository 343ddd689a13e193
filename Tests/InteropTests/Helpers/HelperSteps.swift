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
    // Some write below their home.
    let home = ["HOME": "\(commands)/.."]
    return self.program(
      program,
      arguments,
      beside: "Examples/programs",
      with: variables.merging(home) { $1 },
      input: input
    )
  }

  /// Adds an account with a password, which is sent as Basic.
  func addPassword(_ name: String, of user: String, at origin: String, _ password: String) async throws {
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
