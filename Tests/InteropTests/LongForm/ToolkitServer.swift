import AcctTestSupport
import StrictJSON

/// A Django site with django-oauth-toolkit, as its documentation mounts it.
///
/// Its two metadata documents differ, and neither names the device endpoint. A refresh token is good for one use.
final class ToolkitServer: Sendable {
  /// The one of a whole suite, which ends with this process.
  static let shared = Task { try await ToolkitServer() }

  let issuer: String
  private let server: PythonServer
  private let folder: TemporaryFolder

  /// How a client of it authenticates.
  enum Client: String, CaseIterable {
    case basic
    case post
    case isPublic = "none"
  }

  private init() async throws {
    folder = try TemporaryFolder()
    server = try await PythonServer("InteropTests/LongForm/Scripts/toolkit_server.py", [folder.path])
    issuer = try server.address("issuer")
  }

  var userInfo: String { "\(issuer)/userinfo/" }
  /// The site, below which the toolkit is.
  private var site: Substring { issuer.dropLast("/o".count) }

  /// The file with the clients' secret.
  func secretFile(_ secret: String = "made-up-secret") throws -> String {
    try folder.file("secret", containing: "\(secret)\n")
  }

  /// Signs alice in as a client; a script is alice and her browser.
  func signIn(
    to home: AcctHome,
    as client: Client,
    scope: String = "openid read",
    secret: String = "made-up-secret"
  ) async throws -> ChildProcess.Output {
    let options =
      switch client {
      case .isPublic: ["--client-id", "public"]
      case .basic, .post:
        ["--client-id", "app", "--client-auth", client.rawValue, "--client-secret-file", try secretFile(secret)]
      }
    return try await signIn(to: home, scope: scope, options)
  }

  /// The same with a client that the server registers at once.
  ///
  /// Without `openid`: the toolkit cannot make an ID token for such a client, and fails.
  func register(with home: AcctHome) async throws -> ChildProcess.Output {
    try await signIn(to: home, scope: "read", [])
  }

  private func signIn(to home: AcctHome, scope: String, _ options: [String]) async throws -> ChildProcess.Output {
    var adding = home.command(["add", "--name", "work", "--issuer", issuer, "--scope", scope] + options)
    adding.environment["BROWSER"] = Product.source(person)
    return try await adding.run()
  }

  /// Signs in with the device flow; a script is alice and her other device.
  func signInOnDevice(to home: AcctHome) async throws -> (status: Int32, errorText: String) {
    let waiting = try RunningProcess(
      home.command([
        "add", "--name", "work", "--issuer", issuer, "--scope", "openid read",
        "--client-id", "device", "--device", "--device-url", "\(issuer)/device-authorization/",
      ])
    )
    func said() -> String { String(decoding: waiting.standardError.contents(), as: UTF8.self) }
    /// The page with the code in it.
    func page() -> Substring? {
      // The last line may still be in the writing.
      said().split(separator: "\n", omittingEmptySubsequences: false).dropLast().first { $0.contains("?user_code=") }
    }
    try await waiting.ready { page() != nil }
    try await python(person, String(page() ?? "")).mustHaveWorked()
    return (await waiting.ended(), said())
  }

  /// How many access tokens it has issued so far.
  func issued() async throws -> Int64 { try await tokens(at: "\(site)/tokens") }

  /// Ends every session.
  func end() async throws { _ = try await curl("\(site)/end", "--data", "") }

  /// What the server says of one of its tokens (RFC 7662).
  func facts(of token: String) async throws -> JSONObject {
    let answer = try await curl(
      "\(issuer)/introspect/",
      "--user",
      "reports:made-up-secret",
      "--data-urlencode",
      "token=\(token)"
    )
    return try JSON(parsing: Array(answer.body.utf8)).objectValue ?? [:]
  }
}
