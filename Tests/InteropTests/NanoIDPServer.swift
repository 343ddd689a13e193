import AcctTestSupport
import StrictJSON

/// A NanoIDP, an identity provider for tests from another project: it registers clients (RFC 7591), has the device flow,
/// and binds tokens to the resource that was asked for (RFC 8707).
final class NanoIDPServer: Sendable {
  /// The one of a whole suite, which ends with this process.
  static let shared = Task { try await NanoIDPServer() }

  let issuer: String
  private let server: PythonServer
  private let folder: TemporaryFolder

  private init() async throws {
    folder = try TemporaryFolder()
    server = try await PythonServer("InteropTests/NanoIDP/serve.py", [folder.path])
    issuer = try server.address("issuer")
  }

  /// Signs in with the device flow; a script is alice and her other device.
  func signInOnDevice(to home: AcctHome, for resource: String) async throws -> (status: Int32, errorText: String) {
    let waiting = try RunningProcess(
      home.command([
        "add", "--issuer", issuer, "--device", "--scope", "openid notes offline_access", "--resource", resource,
      ])
    )
    func said() -> String { String(decoding: waiting.standardError.contents(), as: UTF8.self) }
    /// The page with the code in it.
    func page() -> Substring? {
      // The last line may still be in the writing.
      said().split(separator: "\n", omittingEmptySubsequences: false).dropLast().compactMap { line in
        line.split(separator: " ").first { $0.contains("/device?user_code=") }
      }.first
    }
    try await waiting.ready { page() != nil }
    try await python("Tests/InteropTests/NanoIDP/browser.py", String(page() ?? "")).mustHaveWorked()
    return (await waiting.ended(), said())
  }

  /// What the server says of one of its tokens (RFC 7662).
  func facts(of token: String) async throws -> JSONObject {
    let answer = try await curl(
      "\(issuer)/introspect",
      "--user",
      "reports:made-up-secret",
      "--data-urlencode",
      "token=\(token)"
    )
    return try JSON(parsing: Array(answer.body.utf8)).objectValue ?? [:]
  }
}
