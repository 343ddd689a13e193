import AcctTestSupport

/// A JupyterHub, which is an OAuth 2 provider to its services.
///
/// It has no metadata, no refresh tokens and no revocation, compares the port of a redirect address, wants a client's
/// secret in the form, and answers 403 for a token that has ended.
final class HubServer: Sendable {
  /// The one of a whole suite, since it takes three seconds of a processor to start; it ends with this process.
  static let shared = Task { try await HubServer() }

  let hub: String
  private let server: PythonServer
  private let folder: TemporaryFolder
  private let callback: FreePort

  init() async throws {
    folder = try TemporaryFolder()
    callback = try FreePort()
    server = try await PythonServer(
      "InteropTests/LongForm/Scripts/jupyterhub_server.py",
      [folder.path, "\(FreePort().number)", "\(callback.number)"]
    )
    hub = try server.address("hub")
  }

  /// Tells who the token's owner is.
  var user: String { "\(hub)/api/user" }

  /// Signs alice in; a script is alice and her browser.
  func signIn(to home: AcctHome, _ options: String...) async throws -> ChildProcess.Output {
    let secret = try folder.file("secret", containing: "made-up-secret\n")
    var adding = home.command(
      [
        "add", "--name", "work", "--client-id", "service-notes", "--client-secret-file", secret,
        "--authorize-url", "\(hub)/api/oauth2/authorize", "--token-url", "\(hub)/api/oauth2/token",
        "--userinfo-url", user, "--redirect-port", "\(callback.number)",
      ] + options
    )
    adding.environment["BROWSER"] = Product.source(person)
    return try await adding.run()
  }

  /// Deletes alice, and with her every token of hers.
  func deleteUser() async throws {
    let answer = try await curl(
      "\(hub)/api/users/alice",
      headers: "Authorization: token another-made-up-secret\n",
      "--request",
      "DELETE"
    )
    guard answer.status == "204" else { throw HarnessFailure("alice is still there: \(answer)") }
  }
}
