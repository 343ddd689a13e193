import AcctTestSupport

/// A FastMCP server with the OAuth provider that it brings: resource and authorization server at one origin.
///
/// It registers clients with a secret, and keeps all in memory.
final class FastMCPServer: Sendable {
  /// What the tool is behind.
  let resource: String
  private let server: PythonServer

  init() async throws {
    server = try await PythonServer("InteropTests/LongForm/Scripts/fastmcp_server.py")
    resource = try server.address("resource")
  }

  /// Signs in with nothing but the resource's address and a scope; a script is alice and her browser.
  func signIn(to home: AcctHome) async throws -> ChildProcess.Output {
    try await browsing(home.command(["add", "--name", "work", "--resource", resource, "--scope", "notes"]))
  }

  /// Runs a command with that browser.
  func browsing(_ command: ChildProcess) async throws -> ChildProcess.Output {
    var command = command
    command.environment["BROWSER"] = Product.source(person)
    return try await command.run()
  }

  /// Calls the tool as an account.
  func call(from home: AcctHome) async throws -> ChildProcess.Output {
    try await home.acct(
      "request",
      "POST",
      resource,
      "-H",
      "Content-Type: application/json",
      "-H",
      "Accept: application/json, text/event-stream",
      "-d",
      #"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"latest","arguments":{}}}"#
    )
  }

  /// Restarts it: it forgets its clients and sessions.
  func restart() async throws {
    let answer = try await curl("\(resource.dropLast("mcp".count))restart", "--request", "POST")
    guard answer.status == "200" else { throw HarnessFailure("it has not restarted: \(answer)") }
  }
}
