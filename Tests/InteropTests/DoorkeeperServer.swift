import AcctTestSupport
import StrictJSON

/// A Rails application with Doorkeeper, the OAuth 2 provider that GitLab is built on.
///
/// It has no discovery: a client is told its endpoints. A refresh token is good for one use.
final class DoorkeeperServer: Sendable {
  /// The one of a whole suite, since Rails takes two seconds of a processor to start.
  ///
  /// It ends with this process, whose end closes its standard input.
  static let shared = Task { try await DoorkeeperServer() }

  let origin: String
  private let folder: TemporaryFolder
  private let input: OpenInput
  private let process: RunningProcess

  /// How a client of it authenticates.
  enum Client: String, CaseIterable {
    case basic
    case post
    case isPublic = "none"

    var identifier: String { self == .isPublic ? "public" : "app" }
  }

  private init() async throws {
    folder = try TemporaryFolder()
    input = try OpenInput()
    let script = Product.source("Tests/InteropTests/Doorkeeper/serve.rb")
    process = try RunningProcess(input.feeding(ChildProcess("ruby", [script, folder.path])))
    let greeting = try JSON(parsing: Array(try await process.firstLine().utf8))
    guard let origin = greeting["origin"]?.stringValue else {
      throw GlewlwydFailure(said: "Doorkeeper said something else than its address")
    }
    self.origin = origin
  }

  /// Tells who the token's owner is, or the application if it has none.
  var user: String { "\(origin)/api/v4/user" }

  /// The file with the secret of the client `app`.
  func secretFile(_ secret: String = "made-up-secret") throws -> String {
    try folder.file("secret", containing: "\(secret)\n")
  }

  /// Signs alice in as a client; a script is alice and her browser.
  func signIn(
    to home: AcctHome,
    as client: Client,
    secret: String = "made-up-secret"
  ) async throws -> ChildProcess.Output {
    var arguments = [
      "add", "--name", "work", "--client-id", client.identifier, "--scope", "read_user",
      "--authorize-url", "\(origin)/oauth/authorize", "--token-url", "\(origin)/oauth/token",
      "--revoke-url", "\(origin)/oauth/revoke", "--userinfo-url", user,
    ]
    switch client {
    case .basic: arguments += ["--client-secret-file", try secretFile(secret)]
    case .post: arguments += ["--client-secret-file", try secretFile(secret), "--client-auth", "post"]
    case .isPublic: break
    }
    var adding = home.command(arguments)
    adding.environment["BROWSER"] = Product.source("Tests/InteropTests/Doorkeeper/browser.py")
    return try await adding.run()
  }

  /// How many access tokens it has issued so far.
  func issued() async throws -> Int64 {
    let answer = try await curl("\(origin)/tokens")
    return try JSON(parsing: Array(answer.body.utf8))["tokens"]?.numberValue?.integer ?? -1
  }

  /// Ends every session.
  func end() async throws { _ = try await curl("\(origin)/end", "--data", "") }
}
