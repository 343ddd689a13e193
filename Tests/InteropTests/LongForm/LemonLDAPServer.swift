import AcctTestSupport

/// The portal of LemonLDAP::NG, an identity provider in Perl: OpenID Connect without a revocation endpoint.
///
/// Its issuer has no path. It compares the port of a redirect address, keeps a refresh token over renewals, and names no
/// reason when it refuses one.
final class LemonLDAPServer: Sendable {
  /// The one of a whole suite, since it takes seconds to start; it ends with this process.
  static let shared = Task { try await LemonLDAPServer() }

  let issuer: String
  private let server: PythonServer
  private let folder: TemporaryFolder
  private let callback: FreePort

  /// How a client of it authenticates.
  enum Client: String, CaseIterable {
    case basic = "app"
    case isPublic = "public"
  }

  private init() async throws {
    folder = try TemporaryFolder()
    callback = try FreePort()
    server = try await PythonServer(
      "InteropTests/LongForm/Scripts/lemonldap_server.py",
      [folder.path, "\(FreePort().number)", "\(callback.number)"]
    )
    issuer = try server.address("issuer")
  }

  var userInfo: String { "\(issuer)/oauth2/userinfo" }

  /// Signs alice in as a client; a script is alice and her browser.
  func signIn(
    to home: AcctHome,
    as client: Client,
    secret: String = "made-up-secret"
  ) async throws -> ChildProcess.Output {
    var options = ["--client-id", client.rawValue, "--redirect-port", "\(callback.number)"]
    if client == .basic { options += ["--client-secret-file", try folder.file("secret", containing: "\(secret)\n")] }
    var adding = home.command(
      ["add", "--name", "work", "--issuer", issuer, "--scope", "openid profile"] + options
    )
    adding.environment["BROWSER"] = Product.source(person)
    return try await adding.run()
  }

  /// Ends every session, as an administrator would who deletes them.
  func end() async throws {
    for name in ["sessions", "cache"] {
      try await ChildProcess("find", ["\(folder.path)/\(name)", "-type", "f", "-delete"]).run().mustHaveWorked()
    }
  }
}
