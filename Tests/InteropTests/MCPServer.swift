import AcctTestSupport
import StrictJSON

/// A server of the Model Context Protocol, and its authorization server, both of its own SDK.
final class MCPServer: Sendable {
  /// The one of a whole suite, which ends with this process.
  static let shared = Task { try await MCPServer() }

  /// What the tools are behind; takes only tokens that were asked for with this very address.
  let resource: String
  /// The same with one more scope.
  let admin: String
  private let authorization: String
  private let server: PythonServer

  init() async throws {
    server = try await PythonServer("InteropTests/MCP/serve.py")
    authorization = try server.address("authorization")
    resource = try server.address("resource")
    admin = try server.address("admin")
  }

  /// Signs in with nothing but the resource's address; a script is alice and her browser.
  func signIn(to home: AcctHome, _ options: String...) async throws -> ChildProcess.Output {
    try await browsing(home.command(["add", "--resource", resource] + options))
  }

  /// Runs a command with that browser.
  func browsing(_ command: ChildProcess) async throws -> ChildProcess.Output {
    var command = command
    command.environment["BROWSER"] = Product.source("Tests/InteropTests/MCP/browser.py")
    return try await command.run()
  }

  /// Calls the tool as an account, with `acct request`.
  func call(_ address: String, from home: AcctHome) async throws -> ChildProcess.Output {
    try await home.acct(
      "request",
      "POST",
      address,
      "-H",
      "Content-Type: application/json",
      "-H",
      "Accept: application/json, text/event-stream",
      "-d",
      #"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"latest","arguments":{}}}"#
    )
  }

  /// Restarts the authorization server, which forgets its clients and sessions.
  func restart() async throws { _ = try await curl("\(authorization)/restart", "--request", "POST") }

  /// How often something has happened, such as `refreshes`.
  func count(_ name: String) async throws -> Int64 {
    let answer = try await curl("\(authorization)/counts")
    return try JSON(parsing: Array(answer.body.utf8))[name]?.numberValue?.integer ?? -1
  }
}
