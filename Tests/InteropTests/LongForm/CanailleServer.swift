import AcctTestSupport
import StrictJSON

/// A Canaille, an identity provider of another project: OpenID Connect, registration (RFC 7591), clients with a key.
///
/// It compares the port of a redirect address. A client's assertion is for its token endpoint alone. A refresh token ends
/// with the access token that it came with.
final class CanailleServer: Sendable {
  /// The one of a whole suite, which ends with this process.
  static let shared = Task { try await CanailleServer() }

  let issuer: String
  private let server: PythonServer
  private let folder: TemporaryFolder
  private let callback: FreePort

  /// How a client of it authenticates.
  enum Client: String, CaseIterable {
    case basic = "app"
    case key = "signed"
    case isPublic = "public"
  }

  private init() async throws {
    folder = try TemporaryFolder()
    callback = try FreePort()
    server = try await PythonServer(
      "InteropTests/LongForm/Scripts/canaille_server.py",
      [folder.path, "\(callback.number)"]
    )
    issuer = try server.address("issuer")
  }

  var userInfo: String { "\(issuer)/oauth/userinfo" }

  /// Signs alice in as a client; a script is alice and her browser.
  func signIn(
    to home: AcctHome,
    as client: Client,
    scope: String = "openid profile",
    secret: String = "made-up-secret"
  ) async throws -> ChildProcess.Output {
    var options = ["--client-id", client.rawValue, "--redirect-port", "\(callback.number)"]
    switch client {
    case .basic:
      let file = try folder.file("secret", containing: "\(secret)\n")
      options += ["--client-secret-file", file]
    case .key: options += ["--client-key", "\(folder.path)/client.pem"]
    case .isPublic: break
    }
    return try await signIn(to: home, scope: scope, options)
  }

  /// The same with a client that the server registers at once.
  func register(with home: AcctHome) async throws -> ChildProcess.Output {
    try await signIn(to: home, scope: "openid profile", [])
  }

  private func signIn(to home: AcctHome, scope: String, _ options: [String]) async throws -> ChildProcess.Output {
    var adding = home.command(["add", "--name", "work", "--issuer", issuer, "--scope", scope] + options)
    adding.environment["BROWSER"] = Product.source(person)
    return try await adding.run()
  }

  /// How many access tokens it has issued so far.
  func issued() async throws -> Int64 { try await tokens(at: "\(issuer)/tokens") }
}

/// The script that is alice and her browser, wherever a page asks for a name, a password or consent.
let person = "Tests/InteropTests/LongForm/Scripts/browser.py"

/// How many tokens a server says that it has issued.
func tokens(at url: String) async throws -> Int64 {
  try JSON(parsing: Array(try await curl(url).body.utf8))["tokens"]?.numberValue?.integer ?? -1
}
