import AcctTestSupport

extension AcctHome {
  /// A program that finds the built `acct` and the recipes of `Examples/` on its `PATH`.
  func recipe(
    _ name: String,
    _ arguments: [String],
    with variables: [String: String] = [:],
    input: String = ""
  ) -> ChildProcess { program(name, arguments, beside: "Examples", with: variables, input: input) }
}
