import AcctTestSupport
import StrictJSON
import Testing

/// The error that `acct` printed.
struct Refusal: Equatable {
  let code: String
  let status: Int32
  let message: String
}

extension AcctHome {
  /// Signs in, with a browser in some mood, and returns the `ACCOUNT` object.
  func signIn(_ arguments: [String], as mood: String = "approve") async throws -> JSON {
    let output = try await adding(arguments, mood).run()
    try #require(output.status == 0, "\(output.errorText)")
    return try #require(try JSON(parsing: output.standardOutput)["account"])
  }

  /// Tries to sign in, and returns the refusal.
  func refusal(_ arguments: [String], as mood: String = "approve") async throws -> Refusal {
    try refusal(in: try await adding(arguments, mood).run())
  }

  /// The refusal that a command with `--json` has ended with.
  func refusal(in output: ChildProcess.Output) throws -> Refusal {
    #expect(output.standardOutput.isEmpty)
    // Notices, such as that a browser has opened, come before it.
    let line = output.errorText.split(separator: "\n").last { $0.hasPrefix("{") }
    let error = try JSON(parsing: Array(try #require(line, "\(output.errorText)").utf8))["error"]
    #expect(error?["exit"] == .number(JSONNumber(Int64(output.status))))
    return Refusal(
      code: error?["code"]?.stringValue ?? "",
      status: output.status,
      message: error?["message"]?.stringValue ?? ""
    )
  }

  /// The only account, as `status` shows it.
  func account() async throws -> JSON {
    let output = try await acct("status", "--json")
    return try #require(try JSON(parsing: output.standardOutput)["account"], "\(output.errorText)")
  }

  /// The files that a stored account would leave.
  func traces() async throws -> [String] {
    let names = ["(", "-path", "*/accounts/*", "-o", "-name", "oauth.*", "-o", "-name", "dpop.*"]
    let found = try await ChildProcess("find", [path, "-type", "f"] + names + [")"]).run()
    try #require(found.status == 0, "\(found.errorText)")
    return found.text.split(separator: "\n").map(String.init)
  }

  private func adding(_ arguments: [String], _ mood: String) -> ChildProcess {
    var command = command(["add", "--json"] + arguments)
    command.environment["STRICT_BROWSER"] = mood
    return command
  }
}
